// A real Apache httpd (Debian package apache2) with a configuration of its own in a folder of the test: one page,
// on a free port, and a log of every request it read.

import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, isInstalled, startServer } from './command.ts';

/** Empty: it is there. */
export const whyNoApache = isInstalled('apache2') ? '' : 'apache2 is not installed';

export interface Apache extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Of each request, by default: method, target, X-Forwarded-For or `-`, and its place on its connection, from 0. */
  log(): Promise<string[]>;
}

const placeOfEach = '%m %U%q %{X-Forwarded-For}i %k';

export interface ApacheOptions {
  /** Of the log, as in a configuration. */
  logFormat?: string;
  /** More of the configuration, which holds for all its hosts. */
  directives?: string;
  modules?: readonly string[];
  /** Free, by default any. */
  port?: number;
}

/** @param folder of the test; its `index.html` is served, unless directives name another folder */
export async function startApache(folder: string, options: ApacheOptions = {}): Promise<Apache> {
  const {
    logFormat = placeOfEach,
    directives = '',
    modules = [],
    port = await freePort(),
  } = options;
  const [log, file] = [join(folder, 'apache.log'), join(folder, 'apache.conf')];
  const loaded = ['mpm_event', 'authz_core', 'dir', 'mime', ...modules].map(
    (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
  );
  // Its workers are somebody else, who must be let in.
  await chmod(folder, 0o755);
  await writeFile(log, '');
  await writeFile(
    file,
    `${loaded.join('\n')}
     ServerRoot ${folder}
     ServerName localhost
     TypesConfig /dev/null
     AddType text/html .html
     AddType image/gif .gif
     Listen 127.0.0.1:${port}
     PidFile ${folder}/apache.pid
     DefaultRuntimeDir ${folder}
     ErrorLog ${folder}/apache-errors.log
     User www-data
     Group www-data
     StartServers 1
     ThreadsPerChild 25
     MaxRequestWorkers 100
     MaxKeepAliveRequests 0
     DocumentRoot ${folder}
     DirectoryIndex index.html
     LogFormat "${logFormat}" all
     CustomLog ${log} all
     ${directives}
     `,
  );
  const server = await startServer('apache2', ['-f', file, '-DFOREGROUND'], port);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    log: async () => (await readFile(log, 'utf8')).split('\n').slice(0, -1),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
