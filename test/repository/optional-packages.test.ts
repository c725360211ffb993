// What is installed only by those who need it is asked for by name.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { installPackage } from '../docs/installed-package.ts';
import { folderOfTest } from '../support/folder-of-tests.ts';

test('a store in Redis asks for ioredis, and nothing is served without it', async () => {
  const folder = folderOfTest();
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
