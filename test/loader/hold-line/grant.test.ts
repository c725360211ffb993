// What a reply grants, from either field, and for how long a line is used.

import { describe, expect, it } from 'vitest';
import { grantOf } from '../../../loader/hold-line/held-line.ts';
import { usableMs } from '../../../loader/transport/connection/keep-alive.ts';

describe('a reply', () => {
  it.each([
    ['neither field', [], { holds: false, seconds: null, more: null }],
    ['Hold-Line', [['Hold-Line', '5']], { holds: true, seconds: 5, more: null }],
    ['no time', [['hold-line', '']], { holds: true, seconds: null, more: null }],
    ['Keep-Alive', [['KEEP-ALIVE', 'timeout=5, max=9']], { holds: false, seconds: 5, more: 9 }],
    [
      'both: the shorter',
      [
        ['Hold-Line', '7'],
        ['Keep-Alive', 'timeout=3'],
      ],
      { holds: true, seconds: 3, more: null },
    ],
    [
      'both, one of them garbage',
      [
        ['Hold-Line', '7'],
        ['Keep-Alive', 'timeout=-3'],
      ],
      { holds: true, seconds: 7, more: null },
    ],
    [
      'several lines',
      [
        ['Hold-Line', '7'],
        ['Hold-Line', '2'],
        ['Hold-Line', 'x'],
      ],
      { holds: true, seconds: 2, more: null },
    ],
    ['a negative time', [['Hold-Line', '-5']], { holds: false, seconds: null, more: null }],
    ['a list', [['Hold-Line', '5, 6']], { holds: false, seconds: null, more: null }],
    ['a huge time', [['Hold-Line', '999999999']], { holds: true, seconds: 3600, more: null }],
  ] as Array<[string, Array<[string, string]>, object]>)('%s', (_what, headers, grant) => {
    expect(grantOf(headers)).toEqual(grant);
  });
});

describe('the margin before the end', () => {
  it('is a round trip and a tenth of the time, a second at most', () => {
    expect(usableMs(5, 90)).toBe(5_000 - 90 - 500);
    expect(usableMs(60, 0)).toBe(59_000);
  });

  it('leaves nothing of a time that is shorter than a round trip', () => {
    expect([usableMs(1, 1_500), usableMs(0, 0)]).toEqual([0, 0]);
  });
});
