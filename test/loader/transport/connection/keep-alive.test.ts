// Keep-Alive of a reply: what servers send, what nobody should, and for how long a connection is used.

import { expect, it } from 'vitest';
import { parseKeepAlive, usableMs } from '../../../../loader/transport/connection/keep-alive.ts';

it.each([
  ['timeout=5', 5, null],
  ['timeout=5, max=100', 5, 100],
  ['max=100,timeout=5', 5, 100],
  ['Timeout=5, MAX=0', 5, 0],
  [' timeout = "7" ,, max=3 ', 7, 3],
  ['timeout=9, timeout=2, max=4, max=8', 2, 4],
  ['timeout=0', 0, null],
  ['timeout=99999999999999999999, max=99999999999999999999', 3600, Number.MAX_SAFE_INTEGER],
  [`timeout=${'9'.repeat(1_000)}`, 3600, null],
])('%s', (value, seconds, more) => {
  expect(parseKeepAlive(value)).toEqual({ seconds, more });
});

it.each([
  ...['', ',', '300', 'timeout', 'timeout=', 'timeout=-1', 'timeout=soon', 'timeout=5s'],
  ...[
    'timeout=1e3',
    'timeout=0x5',
    'timeout=5.5',
    'xtimeout=5',
    'timeout="5',
    'max=-1',
    'max=many',
  ],
])('garbage says nothing: %s', (value) => {
  expect(parseKeepAlive(value)).toEqual({ seconds: null, more: null });
});

it('an idle connection is used until a round trip and a tenth of the time, a second at most, are left', () => {
  expect(usableMs(5, 90)).toBe(5_000 - 90 - 500);
  expect([usableMs(60, 0), usableMs(1, 1_500), usableMs(0, 0)]).toEqual([59_000, 0, 0]);
});
