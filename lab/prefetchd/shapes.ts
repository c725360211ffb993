// Checks whether the shapes of the paper's curves (Padmanabhan 1995, 8.1, figures 10 to 13) occur in a log's sweep,
// simple model: pure.

import { change, type Finding, rate } from './finding.ts';
import type { PaperPoint, PaperPoints } from './paper-points.ts';

/** Miss rates, or traffics, closer than this are the same. */
const same = 0.002;
/** The paper plots traffic from here on: below, "the curves shoot up". */
const steepBelow = 0.3;

export function shapesOf(points: PaperPoints): Finding[] {
  return [
    missRisesWithThreshold(points),
    missWorsensWhenGreedy(points),
    missFallsWithWindow(points),
    fourIsNearlyEnough(points),
    trafficShootsUp(points),
    trafficGrowsWithWindow(points),
    limitsMerge(points),
  ];
}

export function missRisesWithThreshold(points: PaperPoints): Finding {
  const from = points.thresholds.filter((p) => p >= steepBelow);
  const steps = points.windows.flatMap((w) =>
    pairs(from).map(([p, next]) => points.at(w, next).missRate - points.at(w, p).missRate),
  );
  const falls = steps.filter((step) => step < -same).length;
  return {
    says: 'miss rate rises with p (figure 10)',
    rule: `from p = ${steepBelow} on no step of p lets it fall, whatever w`,
    measured: `${steps.length - falls} of ${steps.length} steps do not fall`,
    holds: falls === 0,
    why: 'likely: hints push out of the small caches what would have been used',
  };
}

export function missWorsensWhenGreedy(points: PaperPoints): Finding {
  const w = points.windows.at(-1) as number;
  const p = points.thresholds[0] as number;
  const greedy = points.at(w, p);
  const best = least(points.thresholds.map((each) => points.at(w, each)));
  const holds = greedy.missRate > best.missRate + same;
  return {
    says: 'for large w and small p it worsens again (figure 10)',
    rule: `at w = ${w} the miss rate at p = ${p} is above the least over p`,
    measured: `${rate(greedy.missRate)} at p = ${p}, least ${rate(best.missRate)} at p = ${best.threshold}`,
    holds,
    why: 'likely: all that is hinted fits into 4 MB: nothing useful is pushed out',
  };
}

export function missFallsWithWindow(points: PaperPoints): Finding {
  const ps = points.thresholds.filter((p) => p >= steepBelow);
  const steps = ps.flatMap((p) =>
    pairs(points.windows).map(
      ([w, next]) => points.at(next, p).missRate - points.at(w, p).missRate,
    ),
  );
  const rises = steps.filter((step) => step > same).length;
  const [first, last] = [points.windows[0] as number, points.windows.at(-1) as number];
  const missOf = (w: number) => rate(points.at(w, 0.5).missRate);
  return {
    says: 'miss rate falls with w (figure 10)',
    rule: `from p = ${steepBelow} on no step of w lets it rise`,
    measured: `${steps.length - rises} of ${steps.length} steps do not rise; at p = 0.5 ${missOf(first)} for w = ${first}, ${missOf(last)} for w = ${last}`,
    holds: rises === 0,
    why: 'likely: wider windows hint more than the caches hold',
  };
}

export function fourIsNearlyEnough(points: PaperPoints): Finding {
  const last = points.windows.at(-1) as number;
  const miss = (w: number) => points.at(w, 0.5).missRate;
  const [toFour, beyond] = [miss(2) - miss(4), miss(4) - miss(last)];
  const holds = toFour > 0 && beyond < toFour;
  return {
    says: 'w = 4 misses almost as little as higher w, w = 2 much more',
    rule: `at p = 0.5, from w = 2 to 4 the miss rate falls by more than from 4 to ${last}`,
    measured: `by ${rate(toFour)} and ${rate(beyond)}`,
    holds,
    why: 'likely: what belongs together lies further apart in this log',
  };
}

export function trafficShootsUp(points: PaperPoints): Finding {
  const [lowest, highest] = [points.thresholds[0] as number, 1];
  const slope = (w: number, from: number, to: number) =>
    (points.at(w, from).trafficIncrease - points.at(w, to).trafficIncrease) / (to - from);
  const holdsAt = (w: number) =>
    slope(w, lowest, steepBelow) > 2 * slope(w, steepBelow, highest) &&
    slope(w, lowest, steepBelow) > 0;
  const held = points.windows.filter(holdsAt);
  const four = (p: number) => change(points.at(4, p).trafficIncrease);
  const holds = held.length === points.windows.length;
  return {
    says: `traffic shoots up below p = ${steepBelow} (figure 11)`,
    rule: `for every w it falls more than twice as steeply below p = ${steepBelow} as above`,
    measured: `for ${held.length} of ${points.windows.length} w; w = 4: ${[0, 0.1, 0.3, 0.5].map((p) => `${four(p)} at p = ${p}`).join(', ')}`,
    holds,
    why: 'likely: few pages of this log have many weak arcs',
  };
}

export function trafficGrowsWithWindow(points: PaperPoints): Finding {
  const ps = points.thresholds.filter((p) => p >= steepBelow);
  const steps = ps.flatMap((p) =>
    pairs(points.windows).map(
      ([w, next]) => points.at(next, p).trafficIncrease - points.at(w, p).trafficIncrease,
    ),
  );
  const falls = steps.filter((step) => step < -same).length;
  return {
    says: 'traffic grows with w (figure 11)',
    rule: `from p = ${steepBelow} on no step of w lets it fall`,
    measured: `${steps.length - falls} of ${steps.length} steps do not fall`,
    holds: falls === 0,
    why: 'likely: a prefetch that is used takes the place of a fetch',
  };
}

export function limitsMerge(points: PaperPoints): Finding {
  const ps = points.thresholds.filter((p) => p > steepBelow);
  const widest = (of: (point: PaperPoint) => number) =>
    Math.max(
      ...ps.flatMap((p) =>
        [1, 2].map((i) => Math.abs(of(points.at(2, p, i)) - of(points.at(2, p)))),
      ),
    );
  const miss = widest(({ missRate }) => missRate);
  const traffic = widest(({ trafficIncrease }) => trafficIncrease);
  const holds = miss <= 0.01 && traffic <= 0.02;
  return {
    says: `for p > ${steepBelow} the curves for i = 1, 2 and without limit merge, w = 2 (figures 12, 13)`,
    rule: 'miss rates within 0.01, traffic within 2 %',
    measured: `miss rates within ${rate(miss)}, traffic within ${(traffic * 100).toFixed(1)} %`,
    holds,
    why: 'likely: pages here have more than two sure followers',
  };
}

function pairs(values: readonly number[]): Array<[number, number]> {
  return values.slice(1).map((value, index) => [values[index] as number, value]);
}

function least(points: readonly PaperPoint[]): PaperPoint {
  return points.reduce((best, point) => (point.missRate < best.missRate ? point : best));
}
