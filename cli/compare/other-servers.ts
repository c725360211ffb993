// Runs nginx or Apache httpd on a folder, as Debian sets them up: sendfile, gzip or deflate, threads. HTTP/1.1 and
// HTTP/2 have a port each, because nginx before 1.25 speaks only one of them on a port.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The URL of a page, its URL for HTTP/2 without TLS, and the URLs of a recorded page by the coding of its texts. */
export type Served = { url: string; h2Url: string; coded?: Record<string, string> };

/** The user nobody: Apache refuses to be root. */
const nobody = 65_534;
/** Settings of setpriv (util-linux) for a program of the user nobody, but with root's right to read any file. */
const asNobody = `--reuid ${nobody} --regid ${nobody} --clear-groups --inh-caps +dac_read_search --ambient-caps +dac_read_search`;

/** Serves the folder `site` by a server that ends with this process. @throws Error if it ends before it listens */
export async function startServer(
  name: 'nginx' | 'apache',
  site: string,
  host: string,
): Promise<Served> {
  const places = [await freePlace(host), await freePlace(host)] as const;
  const folder = await mkdtemp(join(tmpdir(), `loadahead-${name}-`));
  const file = join(folder, 'server.conf');
  const isNginx = name === 'nginx';
  const configuration = isNginx ? nginxConfiguration : apacheConfiguration;
  await writeFile(file, configuration(JSON.stringify(resolve(site)), places));
  const command = isNginx
    ? ['nginx', '-p', folder, '-e', 'stderr', '-c', file]
    : ['apache2', '-DFOREGROUND', '-d', folder, '-f', file];
  const args = ['--pdeathsig', 'TERM']; // The server also ends if this process is killed.
  if (!isNginx && process.getuid?.() === 0) {
    chownSync(folder, nobody, nobody);
    args.push(...asNobody.split(' '));
  }
  const server = spawn('setpriv', args.concat(command), { stdio: ['ignore', 'ignore', 'inherit'] });
  process.on('exit', () => {
    server.kill(isNginx ? 'SIGKILL' : 'SIGTERM'); // with SIGTERM, nginx would complain that its folder is gone
    rmSync(folder, { recursive: true, force: true });
  });
  for (const place of places) {
    const { hostname, port } = new URL(`http://${place}`);
    for (let isUp = false; !isUp; await sleep(20)) {
      if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`);
      const socket = connect(Number(port), hostname);
      isUp = (await once(socket, 'connect').catch(() => null)) !== null;
      socket.destroy();
    }
  }
  rmSync(folder, { recursive: true, force: true }); // It is read by now: a server that is killed leaves none.
  return { url: `http://${places[0]}/`, h2Url: `http://${places[1]}/` };
}

/** Returns the host with a port on which nothing listens. */
async function freePlace(host: string): Promise<string> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return `${host}:${port}`;
}

// Relative paths in both configurations lie in the temporary folder of the server.

function nginxConfiguration(site: string, [http1, http2]: readonly [string, string]): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off;
master_process off;
error_log stderr error;
pid nginx.pid;
events {}
http {
  ${temporary.map((name) => `${name}_temp_path ${name};`).join('\n  ')}
  access_log off;
  sendfile on;
  tcp_nopush on;
  gzip on;
  gzip_http_version 1.0;
  gzip_types text/css application/javascript text/javascript application/json image/svg+xml;
  keepalive_requests 10000;
  include /etc/nginx/mime.types;
  server { listen ${http1}; root ${site}; }
  server { listen ${http2} http2; root ${site}; }
}
`;
}

function apacheConfiguration(site: string, places: readonly string[]): string {
  const modules = ['mpm_event', 'authz_core', 'dir', 'mime', 'filter', 'deflate', 'http2'];
  return `${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
ServerName localhost
${places.map((place) => `Listen ${place}`).join('\n')}
PidFile apache.pid
DefaultRuntimeDir .
ErrorLog errors.log
TypesConfig /etc/mime.types
Protocols h2c http/1.1
MaxKeepAliveRequests 10000
AddOutputFilterByType DEFLATE text/html text/css text/javascript application/javascript application/json image/svg+xml
DocumentRoot ${site}
KeepAliveTimeout 75
`;
}
