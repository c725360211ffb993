// Round trips counted in the link's record.

import { expect, it } from 'vitest';
import type { TracedPacket } from '../link/trace.ts';
import { roundTrips } from './exchanges.ts';

const delayMs = 35;
type Row = [atMs: number, direction: 'up' | 'down', port: number, seq: number, dataBytes: number];
const counted = (rows: readonly Row[]) =>
  roundTrips(
    rows.map(
      ([atMs, direction, port, seq, dataBytes]): TracedPacket => ({
        ...{ atMs, direction, port, seq, dataBytes, ack: 1 },
        ...{ isSyn: false, isFin: false, isReset: false },
      }),
    ),
    delayMs,
  );

it('an image asked for on a connection of its own comes after four round trips', () => {
  const rows: Row[] = [
    [0, 'up', 4000, 1, 0],
    [70, 'up', 4000, 2, 100],
    [70, 'down', 4000, 1, 1448],
    [140, 'up', 4001, 1, 0],
    [210, 'up', 4001, 2, 100],
    [210, 'down', 4001, 1, 1448],
    [217, 'down', 4001, 1449, 1400],
  ];
  expect(counted(rows)).toBe(4);
});

it('on an open connection it comes after two, in the packet that its first byte is in', () => {
  const rows: Row[] = [
    [0, 'up', 4000, 1, 100],
    [0, 'down', 4000, 1, 1448],
    [70, 'up', 4000, 101, 100],
    [70, 'down', 4000, 1449, 1448],
    [84, 'down', 4000, 2897, 1300],
  ];
  expect(counted(rows)).toBe(2);
});
