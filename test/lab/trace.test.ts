// The link's record of packets, and the stalls in it.

import { expect, it } from 'vitest';
import { connectionsOf, parseTrace, stallsOf } from '../../lab/link/trace.ts';

/** A request, a first segment, 40 ms until its acknowledgment, then the rest at once. */
const stalled = [
  '0 up 4000 1 1 100 0 0',
  '1 down 4000 1 101 300 0 0',
  '41 up 4000 101 301 0 0 0',
  '41.5 down 4000 301 101 1000 0 0',
];

const parsed = (lines: readonly string[]) => parseTrace(lines.map((line) => `${line}\n`).join(''));

it('a server that waits for an acknowledgment, and then sends at once, has stalled', () => {
  expect(stallsOf(parsed(stalled), 30)).toEqual([{ fromMs: 1, toMs: 41, waitingBytes: 300 }]);
  expect(stallsOf(parsed(stalled), 41)).toEqual([]);
});

it.each([
  ['it answers a request', ['41 up 4000 101 301 80 0 0', '41.5 down 4000 301 181 1000 0 0']],
  ['it had nothing to send', ['41 up 4000 101 301 0 0 0', '60 down 4000 301 101 1000 0 0']],
  ['not all was acknowledged', ['41 up 4000 101 201 0 0 0', '41.5 down 4000 301 101 1000 0 0']],
])('no stall: %s', (_, rest) => {
  expect(stallsOf(parsed([...stalled.slice(0, 2), ...rest]), 30)).toEqual([]);
});

it('sequence numbers begin again after 2^32', () => {
  const last = 2 ** 32 - 100;
  const lines = [
    '0 up 4000 1 1 100 0 0',
    `1 down 4000 ${last} 101 300 0 0`,
    '41 up 4000 101 200 0 0 0',
    '41.5 down 4000 200 101 1000 0 0',
  ];
  expect(stallsOf(parsed(lines), 30)).toHaveLength(1);
});

it('packets are told apart by connection, and flags are read', () => {
  const packets = parsed(['0 up 4000 1 0 0 2 0', '1 up 4001 1 0 0 1 1', '2 down 4000 1 2 5 4 0']);
  expect(connectionsOf(packets).map((each) => each.length)).toEqual([2, 1]);
  expect(
    packets.map(({ isSyn, isFin, isReset, isDropped }) => [isSyn, isFin, isReset, isDropped]),
  ).toEqual([
    [true, false, false, false],
    [false, true, false, true],
    [false, false, true, false],
  ]);
});

it.each(['0 sideways 1 2 3 4 5 6', '0 up 1 2 3', '0 up a 2 3 4 5 6'])('%j is refused', (line) => {
  expect(() => parseTrace(`${line}\n`)).toThrow('not a line');
});
