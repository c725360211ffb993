// The commands on Deno, with a store in a file. It comes from npm; where it is not to be had, this is skipped by name.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runToEnd } from '../support/command.ts';
import { folderOfTests } from '../support/folder-of-tests.ts';
import { installFromNpm } from '../support/npm-package.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = folderOfTests();
const deno = join(folder, 'node_modules/.bin/deno');
const why = installFromNpm(folder, 'deno@2', deno);

const env = { ...process.env, NO_COLOR: '1' };
const run = (...args: string[]) =>
  spawn(deno, ['run', '--allow-all', ...args], { cwd: folder, env });

it.skipIf(why)(
  `loadahead and prefetchd start and end ${why}`.trim(),
  { timeout: 120_000 },
  async () => {
    for (const command of ['loadahead', 'prefetchd']) {
      const program = join(root, `dist/cli/${command}.js`);
      const { code, stderr } = await runToEnd(run(program, '--version'));
      expect([command, code, stderr]).toEqual([command, 0, '']);
    }
    const flags = ['serve', '--port', '0', '--store', 'sqlite:graph.db'];
    const serving = run(join(root, 'dist/cli/prefetchd.js'), ...flags);
    const ended = runToEnd(serving);
    serving.stdout?.once('data', () => serving.kill('SIGTERM'));
    const { code, stdout, stderr } = await ended;
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^listening on /)]);
    expect(stderr).not.toMatch(/error|not implemented/i);
  },
);
