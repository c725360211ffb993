// Segments on the way, counted in the link's record.

import { expect, it } from 'vitest';
import type { TracedPacket } from '../link/trace.ts';
import { mostInFlight } from './single-loads.ts';

type Row = [direction: 'up' | 'down', port: number, seq: number, ack: number, dataBytes: number];
const counted = (rows: readonly Row[]) =>
  mostInFlight(
    rows.map(
      ([direction, port, seq, ack, dataBytes]): TracedPacket => ({
        ...{ direction, port, seq, ack, dataBytes, atMs: 0 },
        ...{ isSyn: false, isFin: false, isReset: false },
      }),
    ),
  );

it('segments are on the way until they are acknowledged, on each connection by itself', () => {
  const rows: Row[] = [
    ['down', 1, 100, 1, 10],
    ['down', 1, 110, 1, 10],
    ['down', 2, 500, 1, 10],
    ['up', 1, 1, 110, 0],
    ['down', 1, 120, 1, 10],
  ];
  expect(counted(rows)).toBe(2);
});

it('sequence numbers that begin anew are no acknowledgment of what follows them', () => {
  const rows: Row[] = [
    ['down', 1, 2 ** 32 - 10, 1, 10],
    ['down', 1, 0, 1, 10],
    ['up', 1, 1, 0, 0],
    ['down', 1, 10, 1, 10],
  ];
  expect(counted(rows)).toBe(2);
});
