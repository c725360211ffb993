// What is installed only by those who need it is asked for by name.

import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { runToEnd, withoutPackage } from '../support/command.ts';
import { startPrefetchd } from '../support/prefetchd-command.ts';

test('a store in Redis asks for ioredis, and nothing is served without it', async () => {
  const args = ['serve', '--port', '0', '--store', 'redis://127.0.0.1:1'];
  const child = startPrefetchd(tmpdir(), args, withoutPackage('ioredis'));
  expect(await runToEnd(child)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^prefetchd: .*store redis:\/\/ needs the package ioredis: npm install ioredis\n$/,
    ),
  });
});
