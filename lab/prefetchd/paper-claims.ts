// Checks the numbers the paper gives for its log (Padmanabhan 1995, 8.1 and 8.2.2) against another log's sweep: pure.

import { change, type Finding, rate, seconds, share } from './finding.ts';
import type { PaperPoint, PaperPoints } from './paper-points.ts';

/** What of the log explains a difference. */
export interface LogTraits {
  /** Accesses that are embedded objects / accesses. */
  objectShare: number;
  /** Objects asked for sooner after the client's access before than any fetch takes / objects. */
  hurriedShare: number;
}

/** "if we are ready to pay for about a 40% increase in network traffic" */
export const trafficSpent = 0.4;

export function claimsOf(points: PaperPoints, traits: LogTraits): Finding[] {
  return [
    withoutPrefetching(points),
    ...pickedPoints.map((picked) => pickedPoint(points, picked)),
    timeSaved(points, traits, {
      model: 'simple',
      saved: 0.36,
      says: 'simple model: access time -36 % for +40 % traffic (8.2.2)',
    }),
    timeSaved(points, traits, {
      model: 'timed',
      saved: 0.345,
      says: 'timed model: access time -34.5 to -36 % for +40 % traffic (8.2.2)',
    }),
    timedCostsMore(points),
  ];
}

function withoutPrefetching({ baseline }: PaperPoints): Finding {
  const paper = 0.88;
  const holds = Math.abs(baseline.missRate - paper) <= 0.05;
  return {
    says: `miss rate without prefetching about ${paper}`,
    rule: 'within 0.05',
    measured: `${rate(baseline.missRate)}; access time ${seconds(baseline.averageAccessTimeMs)}`,
    holds,
    why: 'another site, other clients: how often a client comes back is theirs',
  };
}

/** A point that the paper picks out. */
interface PickedPoint {
  window: number;
  threshold: number;
  missesSaved: number;
  traffic: number;
}

const pickedPoints: PickedPoint[] = [
  { window: 2, threshold: 0.5, missesSaved: 0.34, traffic: 0.38 },
  { window: 4, threshold: 0.7, missesSaved: 0.38, traffic: 0.43 },
];

function pickedPoint(points: PaperPoints, picked: PickedPoint): Finding {
  const { window, threshold, missesSaved, traffic } = picked;
  const point = points.at(window, threshold);
  const saved = points.missesSaved(point);
  return {
    says: `w = ${window}, p = ${threshold}: miss rate ${change(-missesSaved)} for ${change(traffic)} traffic (8.1)`,
    rule: 'nine tenths of it at least, for no more traffic',
    measured: `${change(-saved)} for ${change(point.trafficIncrease)}`,
    holds: saved >= 0.9 * missesSaved && point.trafficIncrease <= traffic,
    why: whyNotThere(points, picked, point),
  };
}

function whyNotThere(points: PaperPoints, { traffic }: PickedPoint, point: PaperPoint): string {
  const best = points.fastestWithin(traffic, 'simple');
  const instead =
    best === null
      ? `no w and p stay within ${change(traffic)}`
      : `within ${change(traffic)} traffic there is ${change(-points.missesSaved(best))} at w = ${best.window}, p = ${best.threshold}`;
  return point.trafficIncrease < traffic / 2
    ? `so high a p hints less here: at the same p much less is spent; ${instead}`
    : `hints are less often right here; ${instead}`;
}

function timeSaved(
  points: PaperPoints,
  { objectShare, hurriedShare }: LogTraits,
  { model, saved, says }: { model: 'simple' | 'timed'; saved: number; says: string },
): Finding {
  const best = points.fastestWithin(trafficSpent, model);
  const found = best === null ? 0 : points.saved(best);
  const hurried = `${share(objectShare)} of the accesses are objects in pages, and ${share(hurriedShare)} of these are asked for sooner after the access before than any fetch takes: their prefetch is under way then, not done`;
  return {
    says,
    rule: `the best w and p, i without limit, saves as much for ${change(trafficSpent)} traffic at most`,
    measured:
      best === null
        ? 'no w and p have so little traffic'
        : `${change(-found)} for ${change(best.trafficIncrease)} (w = ${best.window}, p = ${best.threshold})`,
    holds: best !== null && found >= saved,
    why: model === 'timed' ? hurried : 'hints are less often right here',
  };
}

function timedCostsMore(points: PaperPoints): Finding {
  const pairsOf = points.windows.flatMap((w) =>
    points.thresholds.map((p) => [points.at(w, p), points.at(w, p, null, 'timed')] as const),
  );
  const slower = pairsOf.filter(
    ([simple, timed]) => timed.averageAccessTimeMs >= simple.averageAccessTimeMs - 1e-6,
  );
  const lighter = pairsOf.filter(
    ([simple, timed]) => timed.trafficIncrease <= simple.trafficIncrease + 1e-9,
  );
  const holds = slower.length === pairsOf.length && lighter.length === pairsOf.length;
  return {
    says: 'the timed model has higher access times and less traffic for the same w and p (figures 15, 16)',
    rule: 'at every w and p, i without limit',
    measured: `access time not lower at ${slower.length}, traffic not higher at ${lighter.length} of ${pairsOf.length} points`,
    holds,
    why: 'a line that is busy leaves out some prefetches that only push others out',
  };
}
