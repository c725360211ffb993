// A real Apache httpd (Debian package apache2) with a configuration of its own in a folder of the test: one page,
// on a free port, and a log of every request it read.

import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, isInstalled, startServer } from './command.ts';

/** Empty: it is there. */
export const whyNoApache = isInstalled('apache2') ? '' : 'apache2 is not installed';

export interface Apache extends AsyncDisposable {
  readonly url: string;
  /** Of each request, by default: method, target, X-Forwarded-For or `-`, and its place on its connection, from 0. */
  log(): Promise<string[]>;
}

const placeOfEach = '%m %U%q %{X-Forwarded-For}i %k';

/**
 * @param folder of the test; its `index.html` is served
 * @param logFormat of the log, as in a configuration
 */
export async function startApache(folder: string, logFormat = placeOfEach): Promise<Apache> {
  const port = await freePort();
  const log = join(folder, 'apache.log');
  const file = join(folder, 'apache.conf');
  const modules = ['mpm_event', 'authz_core', 'dir', 'mime']
    .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
    .join('\n');
  // Its workers are somebody else, who must be let in.
  await chmod(folder, 0o755);
  await writeFile(log, '');
  await writeFile(
    file,
    `${modules}
     ServerRoot ${folder}
     ServerName localhost
     TypesConfig /dev/null
     AddType text/html .html
     Listen 127.0.0.1:${port}
     PidFile ${folder}/apache.pid
     DefaultRuntimeDir ${folder}
     ErrorLog ${folder}/apache-errors.log
     User www-data
     Group www-data
     StartServers 1
     ThreadsPerChild 25
     MaxRequestWorkers 25
     MaxKeepAliveRequests 0
     DocumentRoot ${folder}
     DirectoryIndex index.html
     LogFormat "${logFormat}" all
     CustomLog ${log} all
     `,
  );
  const server = await startServer('apache2', ['-f', file, '-DFOREGROUND'], port);
  return {
    url: `http://127.0.0.1:${port}`,
    log: async () => (await readFile(log, 'utf8')).split('\n').slice(0, -1),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
