// Ten thousand clients at once, through a thousand connections that stay open: everyone is answered.

import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { send, serve, until } from './served.ts';

const clients = 10_000;
const sockets = 1000;

test(`${clients} clients at once over ${sockets} connections are all answered`, {
  timeout: 60_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'prefetchd-crowd-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await using served = await serve(folder, `sqlite:${join(folder, 'crowd.db')}`);
  const agent = new Agent({ keepAlive: true, maxSockets: sockets });
  const answers = await Promise.all(
    Array.from({ length: clients }, (_, n) => {
      const url = n % 2 === 0 ? '/a' : `/page-${n % 100}`;
      return send(
        served.port,
        '/v1/hints',
        { client: `visitor-${n} x`, url, kind: 'document' },
        agent,
      );
    }),
  );
  agent.destroy();
  expect(answers.filter(({ status, isBroken }) => status !== 200 || isBroken)).toEqual([]);
  for (const { body } of answers) expect(JSON.parse(body)).toEqual({ hints: expect.any(Array) });
  expect(await served.metric('prefetchd_accesses_total{kind="document"}')).toBe(clients);
  // Nobody went from one page to another, so nothing is to be hinted, and it is not busy any more.
  await served.post('/v1/accesses', [
    { client: 'last x', url: '/first', kind: 'document' },
    { client: 'last x', url: '/second', kind: 'document' },
  ]);
  await until(async () => (await served.hints('/first')).includes('/second'));
  expect(await served.kill('SIGTERM')).toBe(0);
});
