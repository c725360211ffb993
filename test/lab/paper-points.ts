// A made-up sweep whose curves look as the paper's do; a test bends one of them.

import { type PaperPoint, PaperPoints } from '../../lab/prefetchd/paper-points.ts';

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

export function pointsLikeThePapers(
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
