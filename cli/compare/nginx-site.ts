// Runs nginx on a folder, as Debian sets it up: sendfile, tcp_nopush, gzip; HTTP/1.1 and HTTP/2 on a port each, since
// nginx before 1.25 speaks only one of them on a port.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const types = '/etc/nginx/mime.types';

export interface Served {
  url: string;
  /** URL of the page for HTTP/2 without TLS. */
  h2Url: string;
}

/** Serves the folder until this process ends. @returns the URLs for HTTP/1.1 and for HTTP/2 */
export async function startNginx(site: string, host: string): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), 'loadahead-nginx-'));
  const [port, h2Port] = [await freePort(host), await freePort(host)];
  const file = join(folder, 'nginx.conf');
  const places = [`${host}:${port}`, `${host}:${h2Port} http2`];
  await writeFile(file, configuration(resolve(site), folder, places));
  const nginx = spawn('nginx', ['-p', folder, '-e', 'stderr', '-c', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.on('exit', () => nginx.kill());
  nginx.once('exit', () => void rm(folder, { recursive: true, force: true }));
  for (const each of [port, h2Port]) await listens(nginx, each, host);
  return { url: `http://${host}:${port}/`, h2Url: `http://${host}:${h2Port}/` };
}

function configuration(site: string, folder: string, listen: readonly string[]): string {
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
  ${existsSync(types) ? `include ${types};` : 'types { text/html html; text/css css; }'}
  ${servers.join('\n  ')}
}
`;
}

export async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Waits until a server accepts connections on the port. @throws Error if the server ends first */
export async function listens(server: ChildProcess, port: number, host: string): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`);
    const socket = connect(port, host);
    const connected = await once(socket, 'connect').catch(() => null);
    socket.destroy();
    if (connected !== null) return;
    await sleep(20);
  }
}
