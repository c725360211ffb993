// `loadahead/web` in the servers of Deno, Bun and h3, as docs/guides/frameworks.md has them. They come from npm; where
// they are not to be had, they are skipped by name.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { visitPort } from '../server/hints/set-up.ts';
import { runToEnd } from '../support/command.ts';
import { folderOfTests } from '../support/folder-of-tests.ts';
import { installFromNpm } from '../support/npm-package.ts';

const folder = folderOfTests();
const site = `
import { hints } from 'loadahead/web';
const prefetch = hints();
const site = () =>
  new Response('<!doctype html><p>page', { headers: { 'Content-Type': 'text/html', 'Cache-Control': 'max-age=60' } });
const told = (port) => console.log(port);
`;
const runtimes = [
  [
    'deno@2',
    ['run', '--allow-all'],
    `const answer = (request, { remoteAddr }) => prefetch(request, site, { address: remoteAddr.hostname });
Deno.serve({ port: 0, hostname: '127.0.0.1', onListen: ({ port }) => told(port) }, answer);`,
  ],
  [
    'bun@1',
    ['run'],
    `const fetch = (request, server) => prefetch(request, site, server.requestIP(request) ?? undefined);
told(Bun.serve({ port: 0, hostname: '127.0.0.1', fetch }).port);`,
  ],
  [
    'h3@2',
    [],
    `import { H3, serve } from 'h3';
const app = new H3().get('/**', site);
const fetch = (request) => prefetch(request, app.fetch, { address: request.ip });
const server = serve({ fetch, port: 0, hostname: '127.0.0.1', silent: true });
await server.ready();
told(new URL(server.url).port);`,
  ],
] as const;

for (const [name, flags, serving] of runtimes) {
  const [runtime = ''] = name.split('@');
  const own = join(folder, runtime);
  mkdirSync(join(own, 'node_modules'), { recursive: true });
  const ownProgram = join(own, 'node_modules/.bin', runtime);
  const program = runtime === 'h3' ? process.execPath : ownProgram;
  const why = installFromNpm(own, name, program);

  it.skipIf(why)(
    `${name}: four visitors teach, and the fifth gets the hint ${why}`.trim(),
    { timeout: 60_000 },
    async () => {
      symlinkSync(
        fileURLToPath(new URL('../..', import.meta.url)),
        join(own, 'node_modules/loadahead'),
      );
      writeFileSync(join(own, 'site.mjs'), site + serving);
      const child = spawn(program, [...flags, 'site.mjs'], { cwd: own });
      const ended = runToEnd(child);
      onTestFinished(async () => {
        child.kill();
        await ended;
      });
      const [first] = await Promise.race([
        once(child.stdout, 'data'),
        ended.then(({ stderr }) => Promise.reject(new Error(stderr))),
      ]);
      const port = Number(String(first).trim());
      for (const visitor of [1, 2, 3, 4]) {
        for (const path of ['/', '/news']) {
          const { status, body } = await visitPort(port, path, { visitor });
          expect([status, body]).toEqual([200, '<!doctype html><p>page']);
        }
      }
      await expect
        .poll(async () => (await visitPort(port, '/', { visitor: 5 })).link)
        .toContain('</news>; rel=prefetch');
    },
  );
}
