// Whether a shape or number that the paper reports holds is computed: made-up curves for which all hold,
// and one bent for each that then does not (Padmanabhan 1995, 8).

import { describe, expect, test } from 'vitest';
import { change, findingTable } from './finding.ts';
import { claimsOf } from './paper-claims.ts';
import { type PaperPoint, PaperPoints } from './paper-points.ts';
import { shapesOf } from './shapes.ts';

/** A made-up sweep whose curves look as the paper's do; a test bends one of them. */
const windows = [2, 3, 4, 10];
const thresholds = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1];
const baseline = { missRate: 0.88, averageAccessTimeMs: 1220 };

/** Misses fall with small p and wide windows, but for the greediest; traffic rises steeply below 0.3. */
function asInPaper(point: Omit<PaperPoint, keyof Measures>): PaperPoint {
  const { model, window: w, threshold: p, limit } = point;
  const eager = Math.max(0, 1 - p);
  const breadth = 1 - 1 / w ** 2;
  const pushedOut = w === 10 && p === 0 ? 0.1 : 0;
  const late = model === 'timed' ? 0.97 : 1;
  const gained = late * Math.min(0.65, 0.7 * eager ** 0.5 * breadth) - pushedOut;
  const few = limit !== null && p <= 0.3 ? 0.05 * (3 - limit) : 0;
  const steep = Math.max(0, 0.3 - p) * 20;
  return {
    ...point,
    missRate: 0.88 * (1 - gained) + few,
    averageAccessTimeMs: 1220 * (1 - gained),
    trafficIncrease: late * (0.06 * w ** 0.2 * eager + steep * w - few),
  };
}

type Measures = Pick<PaperPoint, 'missRate' | 'averageAccessTimeMs' | 'trafficIncrease'>;

function pointsLikeThePapers(
  bend: (point: PaperPoint) => Partial<Measures> = () => ({}),
): PaperPoints {
  const points = (['simple', 'timed'] as const).flatMap((model) =>
    windows.flatMap((window) =>
      thresholds.flatMap((threshold) =>
        [1, 2, null].map((limit) => {
          const point = asInPaper({ model, window, threshold, limit });
          return { ...point, ...bend(point) };
        }),
      ),
    ),
  );
  return new PaperPoints({ baseline, points });
}

const traits = { objectShare: 0.5, hurriedShare: 0.4 };
type Bend = Parameters<typeof pointsLikeThePapers>[0];

const allFindings = (bend?: Bend) => {
  const points = pointsLikeThePapers(bend);
  return [...claimsOf(points, traits), ...shapesOf(points)];
};
const saysOf = (holds: boolean, bend?: Bend) =>
  allFindings(bend)
    .filter((finding) => finding.holds === holds)
    .map(({ says }) => says);

test('curves like the paper’s: all holds', () => {
  expect(saysOf(false)).toEqual([]);
  expect(saysOf(true)).toHaveLength(13);
});

describe('a curve that is bent', () => {
  const free = ({ limit, model }: PaperPoint) => limit === null && model === 'simple';
  const bends: Array<[says: RegExp, bend: Bend]> = [
    [/rises with p/, (at) => (at.threshold === 0.6 ? { missRate: 0.3 } : {})],
    [/worsens again/, (at) => (at.threshold === 0 ? { missRate: 0.1 } : {})],
    [/falls with w/, (at) => (at.window === 10 ? { missRate: at.missRate + 0.2 } : {})],
    [/w = 4 misses/, (at) => (at.window === 4 ? { missRate: at.missRate + 0.12 } : {})],
    [/shoots up/, (at) => (at.threshold < 0.3 ? { trafficIncrease: 0.1 } : {})],
    [/grows with w/, (at) => (at.window === 10 ? { trafficIncrease: 0 } : {})],
    [/merge/, (at) => (at.limit === 1 ? { missRate: at.missRate + 0.1 } : {})],
    [/w = 2, p = 0.5/, (at) => (at.window === 2 ? { missRate: 0.8 } : {})],
    [/w = 4, p = 0.7/, (at) => (at.window === 4 ? { trafficIncrease: 0.5 } : {})],
    [/^simple model/, (at) => (free(at) ? { averageAccessTimeMs: 1200 } : {})],
    [/^timed model/, (at) => (at.model === 'timed' ? { averageAccessTimeMs: 1200 } : {})],
    [/has higher access times/, (at) => (at.model === 'timed' ? { averageAccessTimeMs: 1 } : {})],
  ];
  for (const [says, bend] of bends) {
    test(`${says.source} does not hold`, () => {
      expect(saysOf(false, bend)).toContainEqual(expect.stringMatching(says));
    });
  }
});

test('where no point has so little traffic, nothing is made of it', () => {
  const [simple] = allFindings(() => ({ trafficIncrease: 3 })).filter(({ says }) =>
    says.startsWith('simple model'),
  );
  expect(simple).toMatchObject({ holds: false, measured: 'no w and p have so little traffic' });
});

test('the reason stands in the table only where something does not hold', () => {
  const row = { says: 'a', rule: 'b', measured: 'c', why: 'because' };
  const { rows } = findingTable([
    { ...row, holds: true },
    { ...row, holds: false },
  ]);
  expect(rows.map(([, , , verdict, why]) => [verdict, why])).toEqual([
    ['holds', ''],
    ['**does not hold**', 'because'],
  ]);
});

test('changes are told in per cent, large ones as multiples', () => {
  expect([0.4, -0.36, 0.018, 0, 25].map(change)).toEqual([
    '+40 %',
    '-36 %',
    '+1.8 %',
    '0.0 %',
    '26-fold',
  ]);
});
