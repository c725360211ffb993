// A busy server works for fewer visitors, and takes all back when it is calm. How busy it is: test/process/thread-load.test.ts.

import { describe, expect, it } from 'vitest';
import { LoadShedding } from '../../../server/hints/load-shedding.ts';

const visitors = Array.from({ length: 4000 }, (_, n) => `192.0.${n >> 8}.${n & 255}`);

/** A server, and how busy it is with what its share of the work adds. */
function server(loadOf: (share: number) => number) {
  const work: LoadShedding = new LoadShedding(() => loadOf(work.share));
  let nowMs = 1000;
  return {
    work,
    /** Requests come every 10 ms. */
    runFor(ms: number) {
      for (const untilMs = nowMs + ms; nowMs < untilMs; nowMs += 10) work.sample(nowMs);
    },
    served: () => visitors.filter((visitor) => work.has(visitor)),
  };
}

describe('the share of visitors that a busy server works for', () => {
  it('halves while it is busy, and is none within two seconds', () => {
    const { work, runFor, served } = server(() => 1);
    const shares = new Set<number>();
    shares.add(work.share);
    for (let n = 0; n < 200; n++) {
      runFor(10);
      shares.add(work.share);
    }
    expect([...shares]).toEqual([1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 0]);
    expect(served()).toEqual([]);
  });

  it('is of visitors: who is left out at a half is left out at a quarter', () => {
    const { work, runFor, served } = server((share) => (share > 1 / 4 ? 1 : 0.75));
    while (work.share === 1) runFor(10);
    const half = served();
    expect(half.length).toBeGreaterThan(visitors.length * 0.45);
    expect(half.length).toBeLessThan(visitors.length * 0.55);
    runFor(5000);
    const quarter = served();
    expect(work.share).toBe(1 / 4);
    expect(half).toEqual(expect.arrayContaining(quarter));
    expect(quarter.length).toBeGreaterThan(visitors.length * 0.2);
  });

  it('is everybody again within four seconds of calm, and prefetches are refused until then', () => {
    let load = 1;
    const { work, runFor, served } = server(() => load);
    runFor(4000);
    load = 0.2;
    runFor(1000);
    expect(work.isBusy).toBe(true);
    runFor(3000);
    expect(served()).toEqual(visitors);
    expect(work.isBusy).toBe(false);
  });

  it.each([
    [0.1, 3],
    [0.3, 5],
    [0.6, 0.5],
    [0.8, 4],
  ])(
    'settles: a loop busy for %f by itself, and %f times a loop with all of the work',
    (own, extra) => {
      const { work, runFor } = server((share) => Math.min(1, own + extra * share));
      runFor(10_000);
      const shares = new Set<number>();
      for (let n = 0; n < 500; n++) {
        runFor(10);
        shares.add(work.share);
      }
      expect([...shares]).toHaveLength(1);
      expect(own + extra * work.share).toBeLessThan(0.85);
    },
  );
});
