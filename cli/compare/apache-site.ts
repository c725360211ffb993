// Apache httpd on a folder, as Debian sets it up: threads, deflate; HTTP/1.1 and HTTP/2 on one port.

import { spawn } from 'node:child_process';
import { chownSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort, listens, type Served } from './nginx-site.ts';

/** The user nobody: Apache refuses to be root. */
const nobody = 65_534;
/** Starts Apache as the user nobody, but with root's right to read any file. */
const asNobody = `setpriv --reuid ${nobody} --regid ${nobody} --clear-groups --inh-caps +dac_read_search --ambient-caps +dac_read_search`;

/** Serves the folder until this process ends. @returns the URL, the same for HTTP/1.1 and HTTP/2 */
export async function startApache(site: string, host: string): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), 'loadahead-apache-'));
  const port = await freePort(host);
  const file = join(folder, 'apache.conf');
  await writeFile(file, configuration(resolve(site), folder, `${host}:${port}`));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, nobody, nobody);
  const command = [...(isRoot ? asNobody.split(' ') : []), 'apache2', '-DFOREGROUND', '-f', file];
  const apache = spawn(command[0] as string, command.slice(1), {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.on('exit', () => apache.kill());
  apache.once('exit', () => void rm(folder, { recursive: true, force: true }));
  await listens(apache, port, host);
  const url = `http://${host}:${port}/`;
  return { url, h2Url: url };
}

function configuration(site: string, folder: string, listen: string): string {
  const modules = ['mpm_event', 'authz_core', 'dir', 'mime', 'filter', 'deflate', 'http2'];
  return `${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
ServerRoot ${folder}
ServerName localhost
Listen ${listen}
PidFile apache.pid
DefaultRuntimeDir ${folder}
ErrorLog errors.log
TypesConfig /etc/mime.types
Protocols h2c http/1.1
MaxKeepAliveRequests 10000
AddOutputFilterByType DEFLATE text/html text/css text/javascript application/javascript application/json image/svg+xml
DocumentRoot ${JSON.stringify(site)}
DirectoryIndex index.html
`;
}
