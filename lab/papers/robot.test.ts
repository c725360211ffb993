// The robot against our origin: what a visit opens, asks for and writes.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOrigin } from '../../server/index.ts';
import { microscape } from '../paths.ts';
import { type Cache, type RobotVisit, visitPage } from './robot.ts';

const origin = createOrigin(microscape);
const cache: Cache = new Map();
let place: { host: string; port: number };

beforeAll(async () => {
  const { port } = await origin.listen({ host: '127.0.0.1', port: 0 });
  place = { host: '127.0.0.1', port };
});
afterAll(() => origin.close());

const visit = (rest: Omit<RobotVisit, 'host' | 'port'>) => visitPage({ ...place, ...rest }, cache);

it('has a connection for each request of HTTP/1.0, four at once', async () => {
  const old = { version: '1.0', connections: 4, lines: 'each' } as const;
  const whole = { connections: 43, atOnce: 4, requests: 43, writes: 43 };
  const first = await visit({ ...old, kind: 'first' });
  expect(first).toMatchObject({ ...whole, bodyBytes: 171_295 });
  // HEAD brings no image, and conditions bring nothing at all.
  expect(await visit({ ...old, kind: 'head' })).toMatchObject({ ...whole, bodyBytes: 43_008 });
  expect(await visit({ ...old, kind: 'conditional' })).toMatchObject({ ...whole, bodyBytes: 0 });
});

it('keeps connections with Keep-Alive', async () => {
  const kept = await visit({ version: '1.0', connections: 6, lines: 'kept', kind: 'first' });
  expect(kept).toMatchObject({ connections: 6, atOnce: 6, requests: 43 });
});

it('writes its buffer when it is full, and waits for the timer twice without a flush', async () => {
  const pipelined = { version: '1.1', connections: 1, lines: 'pipelined', kind: 'head' } as const;
  const buffer = { bytes: 1024, timerMs: 100 };
  const untuned = await visit({ ...pipelined, buffer: { ...buffer, flush: [] } });
  // 42 requests of 190 bytes are seven buffers and a rest; the page's own request is a write before them.
  expect(untuned).toMatchObject({ connections: 1, writes: 9 });
  expect(untuned.ms).toBeGreaterThan(195);
});
