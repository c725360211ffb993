// The holdback against visitors whose effect is known: it claims nothing where there is nothing, and finds what there is.

import { expect, it } from 'vitest';
import { Holdback } from '../../../prefetchd/holdback/holdback.ts';
import type { HoldbackReport } from '../../../prefetchd/holdback/report.ts';

interface Site {
  seed: number;
  percent: number;
  visitors: number;
  /** Navigations of each visitor, on average. */
  each: number;
  /** Times of visitors with hints are multiplied by this. */
  effect: number;
}

/** mulberry32: pairs of its numbers are independent, as normal deviates need. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Times are log-normal, and those of one visitor alike: a slow line is slow on each page. */
function walked({ seed, percent, visitors, each, effect }: Site): HoldbackReport {
  const random = seeded(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const holdback = new Holdback({ percent, maxClients: visitors, nowMs: 0 });
  for (let visitor = 0; visitor < visitors; visitor++) {
    const client = `${seed} ${visitor}`;
    holdback.arrived(client);
    holdback.offered(client, '/a', ['/b'], 0);
    const line = 0.4 * normal();
    const isHinted = holdback.armOf(client) === 'hinted';
    const pages = 1 + Math.floor(random() * (2 * each - 1));
    for (let page = 0; page < pages; page++) {
      const ms = 400 * Math.exp(line + 0.5 * normal()) * (isHinted ? effect : 1);
      const navigated = { client, device: 'desktop', from: '/a', page: '/b', timeMs: 0 } as const;
      holdback.measured(navigated, { ttfbMs: null, fcpMs: null, lcpMs: ms, inpMs: null });
    }
  }
  return holdback.report();
}

const ofLcp = ({ hinted }: HoldbackReport) => hinted[0]?.measures.find((one) => one.of === 'lcp');

const runs = 1000;
/** Of that many draws, each of them true of 95 %. */
const standardError = Math.sqrt(runs * 0.95 * 0.05);

for (const [visitors, percent] of [
  [300, 50],
  [60, 50],
  [300, 10],
] as const) {
  const name = `no effect: of ${runs} runs with ${visitors} visitors, ${percent} % held back, 95 % say none`;
  it(name, { timeout: 300_000 }, () => {
    let none = 0;
    for (let seed = 0; seed < runs; seed++) {
      const [low, high] = ofLcp(walked({ seed, percent, visitors, each: 4, effect: 1 }))
        ?.interval ?? [1, 0];
      if (low <= 0 && high >= 0) none++;
    }
    expect(Math.abs(none - 0.95 * runs) / standardError, String(none)).toBeLessThan(3);
  });
}

it('10 % faster is found with 20,000 navigations and a holdback of 10 %', {
  timeout: 300_000,
}, () => {
  let found = 0;
  let covered = 0;
  const walks = 40;
  /** A tenth of the mean of the log-normal times above. */
  const truth = -0.1 * 400 * Math.exp((0.4 ** 2 + 0.5 ** 2) / 2);
  for (let seed = 0; seed < walks; seed++) {
    const report = walked({ seed: 5000 + seed, percent: 10, visitors: 5000, each: 4, effect: 0.9 });
    if (report.verdict === 'faster') found++;
    const [low, high] = ofLcp(report)?.interval ?? [0, 0];
    if (low < truth && high > truth) covered++;
  }
  expect(found).toBeGreaterThanOrEqual(0.9 * walks);
  expect(covered).toBeGreaterThanOrEqual(0.85 * walks);
});
