// `loadahead/web` in the servers of Deno, Bun and h3, as examples/frameworks/ has them. They come from npm; where
// they are not to be had, they are skipped by name.

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
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
const runtimes = [
  ['deno@2', ['run', '--allow-net', '--allow-env', '--allow-read']],
  ['bun@1', ['run']],
  ['h3@2', []],
] as const;

for (const [name, flags] of runtimes) {
  const [runtime = ''] = name.split('@');
  const own = join(folder, runtime);
  mkdirSync(join(own, 'node_modules'), { recursive: true });
  const ownProgram = join(own, 'node_modules/.bin', runtime);
  const program = runtime === 'h3' ? process.execPath : ownProgram;
  const why = installFromNpm(own, name, program);

  it.skipIf(why)(
    `${name}: four visitors teach, and the fifth gets the hint ${why}`.trim(),
    { timeout: 90_000 },
    async () => {
      symlinkSync(
        fileURLToPath(new URL('../..', import.meta.url)),
        join(own, 'node_modules/loadahead'),
      );
      const example = readFileSync(`${examples}${runtime}.mjs`, 'utf8');
      writeFileSync(join(own, 'site.mjs'), example.replace('port: 3003', 'port: 0'));
      const child = spawn(program, [...flags, 'site.mjs'], { cwd: own });
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
          expect([status, body]).toEqual([200, expect.stringMatching(/^<!doctype html>.*News/)]);
        }
      }
      await expect
        .poll(async () => (await visitPort(port, '/', { visitor: 5 })).link)
        .toContain('</news>; rel=prefetch');
      await clickIsPrefetched(browser(), `http://127.0.0.1:${port}`);
    },
  );
}
