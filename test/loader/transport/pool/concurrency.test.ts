// How far requests run ahead on a connection, and how many it carries in its life: the rules alone, without sockets.

import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../../loader/resolve-options.ts';
import {
  depthOf,
  leftOn,
  mostShared,
  roomOn,
} from '../../../../loader/transport/pool/concurrency.ts';
import { ServerProfile } from '../../../../loader/transport/pool/server-profile.ts';

const defaults = resolveOptions();

const pipelined = resolveOptions({ protocol: 'pipelined' });

const h1 = {
  ...{ httpVersion: 'http/1.1' as const, maxStreams: 1, mayCarry: Number.POSITIVE_INFINITY },
  ...{ served: 0, answered: 0, load: 0 },
};
const h2 = { ...h1, httpVersion: 'h2' as const, maxStreams: 128 };
const room = (one: typeof h1 | typeof h2, profile = new ServerProfile()) =>
  roomOn(profile, one, depthOf(profile, pipelined, Number.POSITIVE_INFINITY, null));

describe('HTTP/1.1', () => {
  it('is asked for 100 on a connection, which servers usually allow, and for 1,000 when it answered those', () => {
    expect(room(h1)).toBe(100);
    expect(room({ ...h1, served: 1, load: 99 })).toBe(0);
    expect(room({ ...h1, served: 99, load: 1 })).toBe(0);
    const profile = new ServerProfile();
    profile.serves(100, false);
    expect(room(h1, profile)).toBe(defaults.pipeline.maxDepth);
    expect(leftOn(profile, { ...h1, served: 100 })).toBe(900);
    profile.serves(1_000, false);
    expect(leftOn(profile, { ...h1, served: 1_000 })).toBe(Number.POSITIVE_INFINITY);
  });

  it('is asked for what the server says it takes (Keep-Alive: max)', () => {
    expect(room({ ...h1, mayCarry: 5, served: 1, load: 1 })).toBe(3);
    expect(room({ ...h1, mayCarry: 5, served: 5 })).toBe(0);
  });

  it('is asked for what a broken pipeline showed', () => {
    const profile = new ServerProfile();
    profile.broke(5, 12, 0);
    // Not pipelined at once (RFC 9112 9.3.2), and beyond the guess only one alone.
    expect(room(h1, profile)).toBe(1);
    expect(room({ ...h1, served: 2, load: 2 }, profile)).toBe(1);
    expect(room({ ...h1, served: 5 }, profile)).toBe(1);
    profile.closed(5, 1);
    expect(room(h1, profile)).toBe(5);
    expect(room({ ...h1, served: 5 }, profile)).toBe(0);
  });

  it('auto has twelve in flight to a near server, half as many on one connection after each break, and ends as persistent', () => {
    const profile = new ServerProfile();
    const now = () => {
      const depth = depthOf(profile, defaults, Number.POSITIVE_INFINITY, null);
      return [depth, mostShared(profile, depth, defaults)];
    };
    const seen = [now()];
    for (const served of [30, 20, 10]) {
      profile.broke(served, now()[0] ?? 0, 0);
      seen.push(now());
    }
    expect(seen).toEqual([
      [12, 1],
      [6, 1],
      // Three on one connection are fewer than one on each of six.
      [1, 6],
      [1, 6],
    ]);
    expect([7, 4].map((budget) => depthOf(new ServerProfile(), defaults, budget, null))).toEqual([
      7, 1,
    ]);
    const far = Object.assign(new ServerProfile(), { isFar: true });
    expect(depthOf(far, defaults, Number.POSITIVE_INFINITY, null)).toBe(defaults.pipeline.maxDepth);
    // What was in the cache this server has served before.
    const revalidation = { headers: ['If-None-Match', '"a"'] };
    expect(depthOf(new ServerProfile(), defaults, Number.POSITIVE_INFINITY, revalidation)).toBe(
      defaults.pipeline.maxDepth,
    );
    expect(depthOf(profile, defaults, Number.POSITIVE_INFINITY, revalidation)).toBe(1);
  });
});

describe('HTTP/2', () => {
  it('has as many streams as the server says, 100 at most; one where it says none', () => {
    expect(room(h2)).toBe(100);
    expect(room({ ...h2, maxStreams: 10, load: 3 })).toBe(7);
    expect(room({ ...h2, maxStreams: 0 })).toBe(1);
  });

  it('is asked for 100 on a connection until it began to answer those, for 1,000 then', () => {
    expect(room({ ...h2, served: 40, answered: 99, load: 60 })).toBe(0);
    expect(room({ ...h2, served: 40, answered: 100, load: 60 })).toBe(40);
    expect(room({ ...h2, served: 940, answered: 999, load: 60 })).toBe(0);
    const profile = new ServerProfile();
    profile.serves(100, false);
    expect(room({ ...h2, served: 60, answered: 60, load: 60 }, profile)).toBe(40);
  });

  it('carries what a GOAWAY left; beyond that one at a time may show that it was no limit', () => {
    const profile = new ServerProfile();
    profile.tookStreams(5, 0);
    expect(room(h2, profile)).toBe(5);
    expect(room({ ...h2, served: 3, load: 2 }, profile)).toBe(0);
    expect(room({ ...h2, served: 5 }, profile)).toBe(1);
    expect(room({ ...h2, served: 5, load: 1 }, profile)).toBeLessThanOrEqual(0);
    profile.servedStreams(6);
    expect(room({ ...h2, served: 6, answered: 6 }, profile)).toBe(100 - 6);
  });

  it('a server that takes none is going away: nothing is learned', () => {
    const profile = new ServerProfile();
    profile.tookStreams(0, 0);
    expect(profile.isBlank).toBe(true);
  });
});
