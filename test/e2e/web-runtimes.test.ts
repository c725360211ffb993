// `loadahead/web` in the servers of Deno, Bun and h3, as examples/frameworks/ has them, and in Hono's example there,
// changed for Deno and Bun as examples/frameworks/README.md says. They come from npm; where they are not to be had, they are
// skipped by name.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { clickIsPrefetched, sharedBrowser } from '../browser/set-up.ts';
import { visitPort } from '../server/hints/set-up.ts';
import { runToEnd } from '../support/command.ts';
import { folderOfTests } from '../support/folder-of-tests.ts';
import { installFromNpm } from '../support/npm-package.ts';

const folder = folderOfTests();
const browser = sharedBrowser();
const examples = fileURLToPath(new URL('../../examples/frameworks/', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));
const allowed = ['run', '--allow-net', '--allow-env', '--allow-read'];
const local = "port: 0, hostname: '127.0.0.1'";
/** @member start How Hono is served there. */
const runtimes: [name: string, flags: string[], start?: string][] = [
  ['deno@2', allowed],
  ['bun@1', ['run']],
  ['h3@2', []],
  ['deno@2', allowed, `Deno.serve({ ${local} }, app.fetch);`],
  ['bun@1', ['run'], `console.log(Bun.serve({ ${local}, fetch: app.fetch }).url.href);`],
];

for (const [name, flags, start] of runtimes) {
  const [runtime = ''] = name.split('@');
  const site = start === undefined ? runtime : 'hono';
  const own = join(folder, runtime);
  mkdirSync(join(own, 'node_modules'), { recursive: true });
  const ownProgram = join(own, 'node_modules/.bin', runtime);
  const program = runtime === 'h3' ? process.execPath : ownProgram;
  const why = installFromNpm(own, name, program);

  it.skipIf(why)(
    `${start === undefined ? '' : 'Hono on '}${name}: four visitors teach, and the fifth gets the hint ${why}`.trim(),
    { timeout: 90_000 },
    async () => {
      for (const [link, path] of [
        ['loadahead', root],
        ['hono', join(root, 'node_modules/hono')],
      ] as const) {
        const at = join(own, 'node_modules', link);
        if (!existsSync(at)) symlinkSync(path, at);
      }
      const example = readFileSync(`${examples}${site}.mjs`, 'utf8')
        .replace('port: 3003', 'port: 0')
        .replace("import { serve } from '@hono/node-server';\n", '')
        .replace('@hono/node-server/conninfo', `hono/${runtime}`)
        .replaceAll(/(c\.html\(.*')\)/g, "$1, 200, { 'Cache-Control': 'max-age=60' })")
        .replace(/^serve\(.*/m, start ?? '');
      writeFileSync(join(own, `${site}.mjs`), example);
      const child = spawn(program, [...flags, `${site}.mjs`], { cwd: own });
      const ended = runToEnd(child);
      onTestFinished(async () => {
        child.kill();
        await ended;
      });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk) => {
          said += chunk;
        });
      }
      const address = /127\.0\.0\.1:(\d+)/;
      await expect.poll(() => said, { timeout: 30_000 }).toMatch(address);
      const port = Number(address.exec(said)?.[1]);
      for (const visitor of [1, 2, 3, 4]) {
        for (const path of ['/', '/news']) {
          const { status, body } = await visitPort(port, path, { visitor });
          expect([status, body]).toEqual([
            200,
            expect.stringMatching(/^<!doctype html>.*(?:News|Home)/),
          ]);
        }
      }
      await expect
        .poll(async () => (await visitPort(port, '/', { visitor: 5 })).link)
        .toContain('</news>; rel=prefetch');
      await clickIsPrefetched(browser(), `http://127.0.0.1:${port}`);
    },
  );
}
