// Small pieces are gathered while nobody reads (Nagle's rule, RFC 896), and pass at once otherwise.

import { PassThrough, Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { gatherPieces, passOn } from '../../process/gathered-pieces.ts';
import { anySeed, randomFrom } from '../support/random.ts';

const gathering = (): Readable => {
  const stream = new Readable({ read() {} });
  gatherPieces(stream);
  return stream;
};

const collected = (stream: Readable): Buffer[] => {
  const pieces: Buffer[] = [];
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  return pieces;
};

test('of what waits, at most one piece in two has less than 4 KB', async () => {
  const stream = gathering();
  const pieces = collected(stream);
  stream.pause();
  for (let n = 0; n < 60_000; n++) stream.push(Buffer.of(n & 255));
  expect(pieces).toHaveLength(0);
  stream.resume();
  await turn();
  expect(pieces.map(({ length }) => length)).toEqual([1, ...Array(14).fill(4096), 2655]);
  expect(Buffer.concat(pieces).every((byte, n) => byte === (n & 255))).toBe(true);
});

test('a piece that waits for nothing is passed at once', async () => {
  const stream = gathering();
  const pieces = collected(stream);
  await turn();
  stream.push(Buffer.from('a'));
  stream.push(Buffer.from('b'));
  expect(pieces.map(String)).toEqual(['a', 'b']);
});

test('a full stream says so, whatever the size of its pieces', () => {
  const stream = gathering();
  stream.pause();
  let pieces = 0;
  while (stream.push(Buffer.of(97))) pieces++;
  expect(pieces).toBeGreaterThanOrEqual(stream.readableHighWaterMark - 4096);
  expect(pieces).toBeLessThan(stream.readableHighWaterMark + 4096);
});

test('all bytes arrive in order and the end behind them, however they are cut and read', async () => {
  const seed = anySeed();
  const random = randomFrom(seed);
  const below = (end: number) => Math.floor(random() * end);
  for (let round = 0; round < 50; round++) {
    const stream = gathering();
    const through = new PassThrough({ highWaterMark: 1 + below(10_000) });
    passOn(stream, through);
    const sent: Buffer[] = [];
    for (let n = below(200); n > 0; n--) {
      const piece = Buffer.alloc(1 + below(random() < 0.8 ? 20 : 9_000), below(256));
      sent.push(piece);
      stream.push(piece);
      if (random() < 0.2) await turn();
    }
    stream.push(null);
    const arrived: Buffer[] = [];
    for await (const piece of through) arrived.push(piece);
    expect(Buffer.concat(arrived).equals(Buffer.concat(sent)), `SEED=${seed}`).toBe(true);
  }
});
