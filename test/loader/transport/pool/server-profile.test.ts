// What a server teaches about its connections (docs/architecture.md, "What keeps a body under its own
// URL", 3 and 4): the rules alone, without sockets.

import { describe, expect, it } from 'vitest';
import { ServerProfile } from '../../../../loader/transport/pool/server-profile.ts';

describe('Lessons', () => {
  it('a pipeline broken after k responses: k on a connection, one connection until that is shown', () => {
    const profile = new ServerProfile();
    profile.broke(5, 0);
    expect(profile).toMatchObject({ perConnection: 5, proven: false, pipelines: true });
    profile.serves(4, false);
    expect(profile.proven).toBe(false);
    profile.serves(5, false);
    expect(profile.proven).toBe(true);
  });

  it('a second, earlier break ends pipelining; one at the same number does not', () => {
    const profile = new ServerProfile();
    profile.broke(5, 0);
    profile.broke(5, 1);
    expect(profile.pipelines).toBe(true);
    profile.broke(3, 2);
    expect(profile).toMatchObject({ perConnection: 3, pipelines: false });
  });

  it('one response and a close: careful until a connection serves two, then one request each', () => {
    const once = new ServerProfile();
    once.servedOne(0);
    expect(once).toMatchObject({ probing: true, perConnection: Number.POSITIVE_INFINITY });
    once.serves(2, false);
    expect(once.probing).toBe(false);
    const always = new ServerProfile();
    always.servedOne(0);
    always.servedOne(1);
    expect(always.perConnection).toBe(1);
  });

  it('a pipeline that fell silent: one at a time, and one more than was served tells why', () => {
    const drops = new ServerProfile();
    drops.stalled(2, 0);
    expect(drops).toMatchObject({ perConnection: 2, pipelines: false, mayTry: true });
    drops.tries();
    drops.serves(3, false);
    expect(drops).toMatchObject({ perConnection: Number.POSITIVE_INFINITY, pipelines: false });
    const limited = new ServerProfile();
    limited.stalled(2, 0);
    limited.tries();
    limited.triedInVain();
    expect(limited).toMatchObject({ perConnection: 2, pipelines: true, mayTry: false });
  });

  it('a reset may have taken answers along: fewer than before say nothing where more was asked', () => {
    const profile = new ServerProfile();
    profile.reset(5, 43, 0);
    profile.reset(3, 20, 1);
    expect(profile).toMatchObject({ perConnection: 5, pipelines: true });
    profile.reset(3, 5, 2);
    expect(profile).toMatchObject({ perConnection: 3, pipelines: false });
    const lost = new ServerProfile();
    lost.reset(3, 20, 0);
    lost.reset(5, 20, 1);
    expect(lost).toMatchObject({ perConnection: 5, pipelines: true });
  });

  it('all is forgotten after a while, and when the stall was the resource being slow', () => {
    const profile = new ServerProfile();
    profile.broke(5, 1_000);
    profile.forgetOld(60_999, 60_000);
    expect(profile.isBlank).toBe(false);
    profile.forgetOld(61_000, 60_000);
    expect(profile).toMatchObject({ isBlank: true, perConnection: Number.POSITIVE_INFINITY });
    profile.broke(5, 0);
    profile.wasSlow();
    expect(profile.isBlank).toBe(true);
  });
});
