// What asks to come last (RFC 9218 4.1, u=7: prefetches) comes behind what is waited for on the same connection.

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createOrigin } from '../../../server/index.ts';
import { folderOfTest } from '../../support/folder-of-tests.ts';

const [large, small] = [24 * 1024 * 1024, 20_000];
/** More than all responses: the line limits them, not the client. */
const window = 2 ** 30;

async function startSite(initialWindowSize = window) {
  const folder = folderOfTest();
  await writeFile(join(folder, 'large.bin'), Buffer.alloc(large, 'l'));
  await writeFile(join(folder, 'small.txt'), Buffer.alloc(small, 's'));
  const origin = createOrigin(folder, {
    handlers: [
      (request, response, next) => {
        if (request.url !== '/events') return next();
        response.setHeader('content-type', 'text/event-stream');
        response.write(Buffer.from('data: a\n\n'));
      },
    ],
  });
  const { url } = await origin.listen({ port: 0 });
  const session = connect(url, { settings: { initialWindowSize } });
  await once(session, 'connect');
  session.setLocalWindowSize(window);
  onTestFinished(async () => {
    session.destroy();
    await origin.destroy();
  });
  const ask = (path: string, priority: string) => {
    const stream = session.request({ ':path': path, priority });
    const seen = { stream, bytes: 0, ended: once(stream, 'end') };
    stream.on('data', (chunk: Buffer) => {
      seen.bytes += chunk.length;
    });
    return seen;
  };
  return ask;
}

it('bodies asked for with u=7 wait while others have bytes to send, and come whole', async () => {
  const ask = await startSite();
  const last = [ask('/large.bin', 'u=7'), ask('/large.bin?2', 'i, u=7')];
  const first = [ask('/large.bin?3', 'u=0, i'), ask('/large.bin?4', '')];
  await Promise.all(first.map(({ ended }) => ended));
  const came = last.reduce((sum, { bytes }) => sum + bytes, 0);
  // What was on its way before the others were asked for; in equal shares both would nearly be there.
  expect(came).toBeLessThan(large);
  await Promise.all(last.map(({ ended }) => ended));
  expect([...first, ...last].map(({ bytes }) => bytes)).toEqual(Array(4).fill(large));
});

it('a stream that is open and has nothing to send holds none of them back', async () => {
  const ask = await startSite();
  ask('/events', 'u=3');
  const last = ask('/small.txt', 'u=7');
  await last.ended;
  expect(last.bytes).toBe(small);
});

it('what is not read holds them back for a while only', async () => {
  const ask = await startSite(65_535);
  const unread = ask('/large.bin', 'u=3');
  await once(unread.stream, 'response');
  unread.stream.pause();
  const last = ask('/small.txt', 'u=7');
  await last.ended;
  expect(last.bytes).toBe(small);
}, 20_000);
