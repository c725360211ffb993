// Runs nginx or Apache httpd on a folder, as Debian sets them up: sendfile, gzip or deflate, threads. With nginx,
// HTTP/1.1 and HTTP/2 have a port each, since before 1.25 it speaks only one of them on a port; with Apache they share.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Served {
  url: string;
  /** URL of the page for HTTP/2 without TLS. */
  h2Url: string;
}

/** Serves the folder by nginx until this process ends. @returns the URLs for HTTP/1.1 and for HTTP/2 */
export async function startNginx(site: string, host: string): Promise<Served> {
  const [http1, http2] = [await freePlace(host), await freePlace(host)];
  const folder = await mkdtemp(join(tmpdir(), 'loadahead-nginx-'));
  const listen = [http1, `${http2} http2`];
  const command = ['nginx', '-p', folder, '-e', 'stderr', '-c'];
  await start(command, folder, nginxConfiguration(resolve(site), folder, listen), [http1, http2]);
  return { url: `http://${http1}/`, h2Url: `http://${http2}/` };
}

/** The user nobody: Apache refuses to be root. */
const nobody = 65_534;
/** Starts Apache as the user nobody, but with root's right to read any file. */
const asNobody = `setpriv --reuid ${nobody} --regid ${nobody} --clear-groups --inh-caps +dac_read_search --ambient-caps +dac_read_search`;

/** Serves the folder by Apache until this process ends. @returns the URL, the same for HTTP/1.1 and HTTP/2 */
export async function startApache(site: string, host: string): Promise<Served> {
  const place = await freePlace(host);
  const folder = await mkdtemp(join(tmpdir(), 'loadahead-apache-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, nobody, nobody);
  const command = [...(isRoot ? asNobody.split(' ') : []), 'apache2', '-DFOREGROUND', '-f'];
  await start(command, folder, apacheConfiguration(resolve(site), folder, place), [place]);
  return { url: `http://${place}/`, h2Url: `http://${place}/` };
}

/** Starts a server that ends with this process, by a command line to which the file of its configuration (in `folder`)
 *  is added, and waits until it accepts connections at all `places`. @throws Error if the server ends first */
async function start(
  [program = '', ...args]: string[],
  folder: string,
  configuration: string,
  places: readonly string[],
): Promise<void> {
  const file = join(folder, 'server.conf');
  await writeFile(file, configuration);
  const server = spawn(program, [...args, file], { stdio: ['ignore', 'ignore', 'inherit'] });
  process.on('exit', () => server.kill());
  server.once('exit', () => void rm(folder, { recursive: true, force: true }));
  for (const place of places) {
    const { hostname, port } = new URL(`http://${place}`);
    for (let isUp = false; !isUp; await sleep(20)) {
      if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`);
      const socket = connect(Number(port), hostname);
      isUp = (await once(socket, 'connect').catch(() => null)) !== null;
      socket.destroy();
    }
  }
}

/** Returns the host with a port on which nothing listens. */
async function freePlace(host: string): Promise<string> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `${host}:${port}`;
}

function nginxConfiguration(site: string, folder: string, listen: readonly string[]): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const servers = listen.map(
    (place) => `server { listen ${place}; root ${JSON.stringify(site)}; }`,
  );
  return `daemon off;
master_process off;
error_log stderr error;
pid ${join(folder, 'nginx.pid')};
events {}
http {
  ${temporary.map((name) => `${name}_temp_path ${join(folder, name)};`).join('\n  ')}
  access_log off;
  sendfile on;
  tcp_nopush on;
  gzip on;
  gzip_types text/css application/javascript text/javascript application/json image/svg+xml;
  keepalive_requests 10000;
  include /etc/nginx/mime.types;
  ${servers.join('\n  ')}
}
`;
}

function apacheConfiguration(site: string, folder: string, listen: string): string {
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
