// How far requests run ahead on a connection, how many it carries in its life, which connection a request goes on, and
// how many more are wanted: the rules alone, without sockets.

import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../../loader/options.ts';
import {
  depthOf,
  leftOn,
  missing,
  mostShared,
  roomiest,
  roomOn,
  unused,
} from '../../../../loader/transport/pool/concurrency.ts';
import { ServerProfile } from '../../../../loader/transport/pool/server-profile.ts';

const defaults = resolveOptions();

const pipelined = resolveOptions({ protocol: 'pipelined' });

const h1 = {
  ...{ httpVersion: 'http/1.1' as const, maxStreams: 1, mayCarry: Number.POSITIVE_INFINITY },
  ...{ served: 0, answered: 0, load: 0 },
};
const h2 = { ...h1, httpVersion: 'h2' as const, maxStreams: 128 };
const profileWith = (learned: Partial<ServerProfile> = {}) =>
  Object.assign(new ServerProfile(true, 100), learned);
const room = (one: typeof h1 | typeof h2, profile = profileWith()) =>
  roomOn(profile, one, depthOf(profile, pipelined, Number.POSITIVE_INFINITY, null));

describe('HTTP/1.1', () => {
  it('is asked for 100 on a connection, which servers usually allow, and for 1,000 when it answered those', () => {
    expect(room(h1)).toBe(100);
    expect(room({ ...h1, served: 1, load: 99 })).toBe(0);
    const profile = profileWith({ mostServed: 100 });
    expect(room(h1, profile)).toBe(defaults.pipeline.maxDepth);
    expect(leftOn(profile, { ...h1, served: 100 })).toBe(900);
    const most = profileWith({ mostServed: 1_000 });
    expect(leftOn(most, { ...h1, served: 1_000 })).toBe(Number.POSITIVE_INFINITY);
  });

  it('is asked for what a broken pipeline showed', () => {
    const profile = profileWith({ perConnection: 5, mayTry: true, depth: 6 });
    // Not pipelined at once (RFC 9112 9.3.2), and beyond the guess only one alone.
    expect(room(h1, profile)).toBe(1);
    expect(room({ ...h1, served: 2, load: 2 }, profile)).toBe(1);
    expect(room({ ...h1, served: 5 }, profile)).toBe(1);
    Object.assign(profile, { isProven: true, mayTry: false, depth: Number.POSITIVE_INFINITY });
    expect(room(h1, profile)).toBe(5);
    expect(room({ ...h1, served: 5 }, profile)).toBe(0);
  });

  it('auto has twelve in flight to a near server, half as many on one connection after each break, and ends as persistent', () => {
    const limited = (depth: number) => {
      const profile = profileWith({ depth });
      const most = depthOf(profile, defaults, Number.POSITIVE_INFINITY, null);
      return [most, mostShared(profile, most, defaults)];
    };
    // Three on one connection are fewer than one on each of six.
    expect([Number.POSITIVE_INFINITY, 6, 3, 1].map(limited)).toEqual([
      [12, 1],
      [6, 1],
      [1, 6],
      [1, 6],
    ]);
    expect([7, 4].map((budget) => depthOf(profileWith(), defaults, budget, null))).toEqual([7, 1]);
    const far = profileWith({ isFar: true });
    expect(depthOf(far, defaults, Number.POSITIVE_INFINITY, null)).toBe(defaults.pipeline.maxDepth);
    // What was in the cache this server has served before.
    const revalidation = { headers: ['If-None-Match', '"a"'] };
    expect(depthOf(profileWith(), defaults, Number.POSITIVE_INFINITY, revalidation)).toBe(
      defaults.pipeline.maxDepth,
    );
    const broken = profileWith({ depth: 1 });
    expect(depthOf(broken, defaults, Number.POSITIVE_INFINITY, revalidation)).toBe(1);
  });
});

it('HTTP/2: has as many streams as the server says, 100 at most; one where it says none', () => {
  expect(room(h2)).toBe(100);
  expect(room({ ...h2, maxStreams: 10, load: 3 })).toBe(7);
  expect(room({ ...h2, maxStreams: 0 })).toBe(1);
});

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
  const open = (living: number) => ({ living, connecting: 0 });
  const [none, connecting] = [open(0), { living: 1, connecting: 1 }];
  const demand = { lone: 0, shared: 0, perConnection: 5, ahead: 0 };

  it.each([
    ['nothing waits', none, demand, 0],
    ['what fits on one', none, { ...demand, shared: 5 }, 1],
    ['one more than fits on one', none, { ...demand, shared: 6 }, 2],
    ['as many as there may be', none, { ...demand, shared: 99 }, 6],
    ['what one that is connecting will take', connecting, { ...demand, shared: 5 }, 0],
    ['what those that are open had no room for', open(2), { ...demand, shared: 5 }, 1],
    ['one each for who goes alone', none, { ...demand, lone: 2 }, 2],
    ['beside those that go alone', connecting, { ...demand, lone: 1, shared: 5 }, 1],
    ['so many ahead of need', open(1), { ...demand, ahead: 4 }, 3],
  ])('%s', (_name, now, wanted, count) => {
    expect(missing(now, wanted, 6)).toBe(count);
  });
});
