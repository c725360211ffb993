// A site whose prefetchd is down, stopped, or answers garbage: every request is answered as without it, within the
// deadline and a bound far above what a busy machine adds; and hints come back when it does.

import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../support/command.ts';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import { boundMs, deadlineMs, expectAsWithout, hasHint, learnt, siteWith } from './remote-site.ts';
import { serve, until } from './served.ts';

const backWithinMs = 5000;

const folder = folderOfTests();

test('down from the start: nobody notices, and hints come when it is there', async () => {
  const port = await freePort();
  await using site = await siteWith(`http://127.0.0.1:${port}`);
  await expectAsWithout(site);
  expect(site.middleware.stats().hinted).toBe(0);
  await using _served = await serve(folder, 'memory', ['--port', `${port}`]);
  const startMs = performance.now();
  await learnt(site);
  expect(performance.now() - startMs).toBeLessThan(backWithinMs);
});

test.each(['SIGKILL', 'SIGTERM', 'SIGSTOP'] as const)(
  '%s while it serves: nobody waits, and hints are back within 5 s',
  { timeout: 60_000 },
  async (signal) => {
    const port = await freePort();
    const store = `sqlite:${join(folder, `${signal}.db`)}`;
    await using served = await serve(folder, store, ['--port', `${port}`]);
    await using site = await siteWith(served.url);
    await learnt(site);
    await served.flushed();
    const hundred = () => Promise.all(Array.from({ length: 100 }, () => site.get('/other')));
    const asked = hundred();
    served.child.kill(signal);
    if (signal !== 'SIGSTOP') await served.ended;
    const during = [...(await asked), ...(await hundred())];
    await expectAsWithout(site);
    for (const { status, body, took } of during) {
      expect([status, body]).toEqual([200, 'page /other']);
      expect(took).toBeLessThan(deadlineMs + boundMs);
    }
    if (signal === 'SIGSTOP') served.child.kill('SIGCONT');
    await using _again =
      signal === 'SIGSTOP' ? served : await serve(folder, store, ['--port', `${port}`]);
    const startMs = performance.now(); // it listens again
    await until(async () => hasHint(await site.get('/a')));
    expect(performance.now() - startMs).toBeLessThan(backWithinMs);
    expect(site.middleware.stats().faults.request).toBeUndefined();
  },
);

describe('one that answers', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
  const garbage: Record<string, string | Buffer> = {
    'bytes of no protocol': Buffer.from(Array.from({ length: 4096 }, (_, n) => (n * 151) % 256)),
    'no JSON': `${head}Content-Length: 5\r\n\r\n<xml>`,
    'JSON of another shape': `${head}Content-Length: 13\r\n\r\n{"hints":{}}\n`,
    'hints that are none': `${head}Content-Length: 39\r\n\r\n{"hints":[{"url":7,"probability":"x"}]}`,
    'an error': 'HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n',
    'half an answer': `${head}Content-Length: 4000\r\n\r\n{"hints":[`,
    'without end':
      `${head}Transfer-Encoding: chunked\r\n\r\n${'400\r\n'}${' '.repeat(1024)}\r\n`.repeat(1),
    'and closes at once': '',
    'to go elsewhere':
      'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n',
  };

  test.each(Object.entries(garbage))('%s', async (name, answer) => {
    const sockets = new Set<Socket>();
    const liar = createTcpServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      if (name === 'and closes at once') socket.destroy();
      socket.on('data', () => socket.write(answer));
    });
    await once(liar.listen(0, '127.0.0.1'), 'listening');
    const { port } = liar.address() as AddressInfo;
    await using site = await siteWith(`http://127.0.0.1:${port}`);
    try {
      await expectAsWithout(site);
      const { hinted, faults } = site.middleware.stats();
      expect([hinted, faults.request, faults.head]).toEqual([0, undefined, undefined]);
    } finally {
      for (const socket of sockets) socket.destroy();
      liar.close();
    }
  });
});
