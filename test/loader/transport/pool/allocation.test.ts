// Which connection a request goes on, and how many more are wanted: the rules alone, without sockets.

import { describe, expect, it } from 'vitest';
import { missing, roomiest, unused } from '../../../../loader/transport/pool/allocation.ts';

const open = { usable: true, httpVersion: 'http/1.1' as const, sent: 4, served: 2, load: 2 };
const blank = { ...open, sent: 0, served: 0, load: 0 };

describe('a connection for a request', () => {
  it('that goes alone: one that carried none, and takes requests', () => {
    const given = { ...blank, load: 1 }; // given to it, not yet written
    expect(unused([{ ...open, load: 0 }, given, { ...blank, usable: false }])).toBe(null);
    expect(unused([open, blank])).toBe(blank);
  });

  it('that may share: the one with the fewest under policy that has room', () => {
    const least = { ...open, load: 1 };
    expect(roomiest([open, least, { ...least, usable: false }], () => 9)).toBe(least);
    expect(roomiest([open, least], () => 0)).toBe(null);
    expect(roomiest([open, least], (one) => (one === open ? 1 : 0))).toBe(open);
  });
});

describe('connections to open', () => {
  const none = { living: 0, connecting: 0 };
  const demand = { lone: 0, shared: 0, perConnection: 5, ahead: 0 };

  it.each([
    ['nothing waits', none, demand, 0],
    ['what fits on one', none, { ...demand, shared: 5 }, 1],
    ['one more than fits on one', none, { ...demand, shared: 6 }, 2],
    ['as many as there may be', none, { ...demand, shared: 99 }, 6],
    [
      'what one that is connecting will take',
      { living: 1, connecting: 1 },
      { ...demand, shared: 5 },
      0,
    ],
    [
      'what those that are open had no room for',
      { living: 2, connecting: 0 },
      { ...demand, shared: 5 },
      1,
    ],
    ['one each for who goes alone', none, { ...demand, lone: 2 }, 2],
    [
      'beside those that go alone',
      { living: 1, connecting: 1 },
      { ...demand, lone: 1, shared: 5 },
      1,
    ],
    ['so many ahead of need', { living: 1, connecting: 0 }, { ...demand, ahead: 4 }, 3],
  ])('%s', (_name, now, wanted, count) => {
    expect(missing(now, wanted, 6)).toBe(count);
  });
});
