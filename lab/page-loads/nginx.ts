// nginx as the server at the far end: four ports on one folder, for HTTP/1.1 and HTTP/2 (in clear, by prior
// knowledge: this nginx speaks one of the two per port), each with and without gzip. Otherwise as in Debian:
// sendfile, tcp_nopush, tcp_nodelay.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Link } from '../link/link.ts';
import { LineProcess, run } from '../processes.ts';

export const ports = {
  plain: { http1: 80, http2: 81 },
  gzip: { http1: 82, http2: 83 },
} as const;

/** Where our origin listens beside nginx, with both protocols; it compresses if the client takes that. */
export const originPort = 84;

export type Coding = keyof typeof ports;

/** Ends with its block. @param scratch for configuration and temporary files. @param gzipLevel 1 is nginx's default */
export async function startNginx(
  link: Link,
  page: string,
  scratch: string,
  gzipLevel = 1,
): Promise<LineProcess> {
  const folder = join(scratch, 'nginx');
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'nginx.conf');
  await writeFile(file, configuration(page, folder, gzipLevel));
  const server = new LineProcess(
    ...link.at('server', ['nginx', '-p', folder, '-e', 'stderr', '-c', file]),
  );
  const listens = async () => {
    const { stdout } = await run(...link.at('server', ['ss', '-Htln']));
    return stdout.includes(`:${ports.gzip.http2} `);
  };
  for (let attempts = 0; !(await listens()); attempts++) {
    if (attempts > 50) throw new Error('nginx does not listen');
    await sleep(50);
  }
  return server;
}

function configuration(page: string, folder: string, gzipLevel: number): string {
  const server = (port: number, http2: boolean, gzip: boolean) => `
  server {
    listen ${port}${http2 ? ' http2' : ''};
    root ${page};
    gzip ${gzip ? 'on' : 'off'};
  }`;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
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
  tcp_nodelay on;
  keepalive_requests 10000;
  gzip_comp_level ${gzipLevel};
  gzip_types text/css;
  types { text/html html; text/css css; image/gif gif; image/png png; image/webp webp; image/avif avif; }
${server(ports.plain.http1, false, false)}${server(ports.plain.http2, true, false)}
${server(ports.gzip.http1, false, true)}${server(ports.gzip.http2, true, true)}
}
`;
}
