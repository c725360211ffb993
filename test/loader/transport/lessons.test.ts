// What a server teaches about its connections (docs/architecture.md, "What keeps a body under its own
// URL", 3 and 4): the rules alone, without sockets.

import { describe, expect, it } from 'vitest';
import { Lessons } from '../../../loader/transport/lessons.ts';

describe('Lessons', () => {
  it('a pipeline broken after k responses: k on a connection, one connection until that is shown', () => {
    const lessons = new Lessons();
    lessons.broke(5, 0);
    expect(lessons).toMatchObject({ perConnection: 5, proven: false, pipelines: true });
    lessons.serves(4, false);
    expect(lessons.proven).toBe(false);
    lessons.serves(5, false);
    expect(lessons.proven).toBe(true);
  });

  it('a second, earlier break ends pipelining; one at the same number does not', () => {
    const lessons = new Lessons();
    lessons.broke(5, 0);
    lessons.broke(5, 1);
    expect(lessons.pipelines).toBe(true);
    lessons.broke(3, 2);
    expect(lessons).toMatchObject({ perConnection: 3, pipelines: false });
  });

  it('one response and a close: careful until a connection serves two, then one request each', () => {
    const once = new Lessons();
    once.servedOne(0);
    expect(once).toMatchObject({ probing: true, perConnection: Number.POSITIVE_INFINITY });
    once.serves(2, false);
    expect(once.probing).toBe(false);
    const always = new Lessons();
    always.servedOne(0);
    always.servedOne(1);
    expect(always.perConnection).toBe(1);
  });

  it('a pipeline that fell silent: one at a time, and one more than was served tells why', () => {
    const drops = new Lessons();
    drops.stalled(2, 0);
    expect(drops).toMatchObject({ perConnection: 2, pipelines: false, mayTry: true });
    drops.tries();
    drops.serves(3, false);
    expect(drops).toMatchObject({ perConnection: Number.POSITIVE_INFINITY, pipelines: false });
    const limited = new Lessons();
    limited.stalled(2, 0);
    limited.tries();
    limited.triedInVain();
    expect(limited).toMatchObject({ perConnection: 2, pipelines: true, mayTry: false });
  });

  it('a reset may have taken answers along: fewer than before say nothing where more was asked', () => {
    const lessons = new Lessons();
    lessons.reset(5, 43, 0);
    lessons.reset(3, 20, 1);
    expect(lessons).toMatchObject({ perConnection: 5, pipelines: true });
    lessons.reset(3, 5, 2);
    expect(lessons).toMatchObject({ perConnection: 3, pipelines: false });
    const lost = new Lessons();
    lost.reset(3, 20, 0);
    lost.reset(5, 20, 1);
    expect(lost).toMatchObject({ perConnection: 5, pipelines: true });
  });

  it('all is forgotten after a while, and when the stall was the resource being slow', () => {
    const lessons = new Lessons();
    lessons.broke(5, 1_000);
    lessons.forgetOld(60_999, 60_000);
    expect(lessons.isBlank).toBe(false);
    lessons.forgetOld(61_000, 60_000);
    expect(lessons).toMatchObject({ isBlank: true, perConnection: Number.POSITIVE_INFINITY });
    lessons.broke(5, 0);
    lessons.wasSlow();
    expect(lessons.isBlank).toBe(true);
  });
});
