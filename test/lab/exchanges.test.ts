// Round trips counted in the link's record.

import { expect, it } from 'vitest';
import { parseTrace } from '../../lab/link/trace.ts';
import { roundTrips } from '../../lab/padmanabhan/exchanges.ts';

const delayMs = 35;
const counted = (lines: readonly string[]) =>
  roundTrips(parseTrace(lines.map((line) => `${line}\n`).join('')), delayMs);

it('an image asked for on a connection of its own comes after four round trips', () => {
  const lines = [
    '0 up 4000 1 0 0 2 0',
    '70 up 4000 2 1 100 0 0',
    '70 down 4000 1 102 1448 0 0',
    '140 up 4001 1 0 0 2 0',
    '210 up 4001 2 1 100 0 0',
    '210 down 4001 1 102 1448 0 0',
    '217 down 4001 1449 102 1400 0 0',
  ];
  expect(counted(lines)).toBe(4);
});

it('on an open connection it comes after two, in the packet that its first byte is in', () => {
  const lines = [
    '0 up 4000 1 1 100 0 0',
    '0 down 4000 1 101 1448 0 0',
    '70 up 4000 101 1449 100 0 0',
    '70 down 4000 1449 201 1448 0 0',
    '84 down 4000 2897 201 1300 0 0',
  ];
  expect(counted(lines)).toBe(2);
});
