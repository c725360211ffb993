// nginx on one core: as a small site, and as a proxy in front of one. One process, with keep-alive.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, isInstalled, startServer } from '../../test/support/command.ts';
import { onCore } from './one-core.ts';
import type { FrontServer } from './serve-front.ts';

export const hasNginx = isInstalled('nginx');

/** Answers any path with 1,000 bytes of HTML. */
export function siteNginx(folder: string): Promise<FrontServer> {
  const body = `<!doctype html><title>page</title>${'<p>hello'.repeat(121)}`.slice(0, 1000);
  const location = `default_type text/html; return 200 '${body}';`;
  return startNginx('upstream', 'first', folder, '', location);
}

export function proxyNginx(folder: string, upstreamPort: number): Promise<FrontServer> {
  const upstream = `upstream site { server 127.0.0.1:${upstreamPort}; keepalive 64; keepalive_requests 1000000000; }`;
  const location = `proxy_pass http://site; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header Host $host; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;`;
  return startNginx('nginx', 'last', folder, upstream, location);
}

async function startNginx(
  name: string,
  core: 'first' | 'last',
  scratch: string,
  upstream: string,
  location: string,
): Promise<FrontServer> {
  const folder = join(scratch, name);
  mkdirSync(folder);
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const pidFile = join(folder, 'nginx.pid');
  writeFileSync(
    file,
    `daemon off;
master_process off;
error_log stderr error;
pid ${pidFile};
events { worker_connections 1024; }
http {
  ${temporary.map((each) => `${each}_temp_path ${join(folder, each)};`).join('\n  ')}
  access_log off;
  tcp_nodelay on;
  keepalive_requests 1000000000;
  ${upstream}
  server { listen 127.0.0.1:${port}; location / { ${location} } }
}
`,
  );
  const args = ['-p', folder, '-e', 'stderr', '-c', file];
  const server = await startServer(...onCore(core, 'nginx', args), port);
  const pid = Number(readFileSync(pidFile, 'utf8'));
  return { name, port, pid, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
