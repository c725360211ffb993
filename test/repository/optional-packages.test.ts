// What is installed only by those who need it is asked for by name.

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { installPackage } from '../docs/installed-package.ts';

test('a store in Redis asks for ioredis, and nothing is served without it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'loadahead-optional-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await installPackage(folder, []);
  const command = join(folder, 'node_modules/loadahead/dist/cli/prefetchd.js');
  const args = [command, 'serve', '--port', '0', '--store', 'redis://127.0.0.1:1'];
  await expect(promisify(execFile)(process.execPath, args, { cwd: folder })).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^prefetchd: .*store redis:\/\/ needs the package ioredis: npm install ioredis\n$/,
    ),
  });
});
