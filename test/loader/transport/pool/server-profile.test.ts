// What a server teaches about its connections (docs/architecture.md, "What keeps a body under its own
// URL", 3 and 4): the rules alone, without sockets.

import { describe, expect, it } from 'vitest';
import { ServerProfile } from '../../../../loader/transport/pool/server-profile.ts';

describe('Lessons', () => {
  it('a connection broken after k responses: k is guessed, and half the depth until a second end at k proves it', () => {
    const profile = new ServerProfile();
    profile.broke(5, 12, 0);
    const guess = { perConnection: 5, isProven: false, mayTry: true, depth: 6, isCareful: true };
    expect(profile).toMatchObject(guess);
    profile.serves(5, false);
    expect(profile).toMatchObject(guess);
    profile.broke(5, 6, 1);
    const proof = { perConnection: 5, isProven: true, mayTry: false, isCareful: false };
    expect(profile).toMatchObject({ ...proof, depth: Number.POSITIVE_INFINITY });
  });

  it('one response more disproves the guess, and so does a request that ends connections by itself', () => {
    const more = new ServerProfile();
    more.broke(5, 12, 0);
    more.serves(6, false);
    const alone = new ServerProfile();
    alone.broke(5, 12, 0);
    alone.explained();
    for (const profile of [more, alone]) {
      // That it breaks is known, nevertheless.
      const none = { perConnection: Number.POSITIVE_INFINITY, mayTry: false };
      expect(profile).toMatchObject({ ...none, depth: 6, isCareful: true });
    }
  });

  it('breaks at other numbers halve the depth, down to one at a time', () => {
    const profile = new ServerProfile();
    const depths = [5, 3, null, 2, 1].map((served) => {
      profile.broke(served, 12, 0);
      return profile.depth;
    });
    expect(depths).toEqual([6, 3, 1, 1, 1]);
  });

  it('an announced end is no break: its number is guessed, the second time it is known', () => {
    const once = new ServerProfile();
    once.closed(1, 0);
    expect(once).toMatchObject({ isCareful: true, mayTry: true, depth: Number.POSITIVE_INFINITY });
    once.serves(2, false);
    expect(once).toMatchObject({ isCareful: false, perConnection: Number.POSITIVE_INFINITY });
    const always = new ServerProfile();
    always.closed(1, 0);
    always.closed(1, 1);
    expect(always).toMatchObject({ perConnection: 1, isProven: true, isCareful: false });
  });

  it('an HTTP/2 connection that broke: half as many streams, until it is one', () => {
    const profile = new ServerProfile();
    const depths = [100, 50, 2, 2].map((inFlight) => {
      profile.brokeStreams(inFlight, 0);
      return profile.streamDepth;
    });
    expect(depths).toEqual([50, 25, 1, 1]);
  });

  it('all is forgotten after a while, and when the stall was the resource being slow', () => {
    const profile = new ServerProfile();
    profile.broke(5, 12, 1_000);
    profile.forgetOld(60_999, 60_000);
    expect(profile.isBlank).toBe(false);
    profile.forgetOld(61_000, 60_000);
    expect(profile).toMatchObject({ isBlank: true, perConnection: Number.POSITIVE_INFINITY });
    profile.broke(5, 12, 0);
    profile.wasSlow();
    expect(profile.isBlank).toBe(true);
  });
});
