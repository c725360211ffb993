// Looks up points of the paper's sweep by w, p and i.

import type { SimulationPoint, TimingModel } from '../../prefetchd/simulate/index.ts';

/** What the paper reports of a point. */
export type PaperPoint = Pick<
  SimulationPoint,
  | 'model'
  | 'window'
  | 'threshold'
  | 'limit'
  | 'missRate'
  | 'averageAccessTimeMs'
  | 'trafficIncrease'
>;

export interface WithoutPrefetching {
  missRate: number;
  averageAccessTimeMs: number;
}

export class PaperPoints {
  readonly baseline: WithoutPrefetching;
  /** Rising. */
  readonly windows: readonly number[];
  /** Rising. */
  readonly thresholds: readonly number[];
  readonly points: readonly PaperPoint[];
  readonly #byKey: ReadonlyMap<string, PaperPoint>;

  constructor(simulation: { baseline: WithoutPrefetching; points: readonly PaperPoint[] }) {
    const { baseline, points } = simulation;
    this.baseline = baseline;
    this.points = points;
    this.windows = rising(points.map(({ window }) => window));
    this.thresholds = rising(points.map(({ threshold }) => threshold));
    this.#byKey = new Map(points.map((point) => [keyOf(point), point]));
  }

  /** @throws RangeError when the sweep has no such point. */
  at(
    window: number,
    threshold: number,
    limit: number | null = null,
    model: TimingModel = 'simple',
  ): PaperPoint {
    const point = this.#byKey.get(keyOf({ model, window, threshold, limit }));
    if (point !== undefined) return point;
    throw new RangeError(`no point for ${model}, w ${window}, p ${threshold}, i ${limit}`);
  }

  /** The least access time for so much more traffic at most, i without limit; null: there is none. */
  fastestWithin(traffic: number, model: TimingModel): PaperPoint | null {
    const [first] = this.points
      .filter((point) => point.model === model && point.limit === null)
      .filter(({ trafficIncrease }) => trafficIncrease <= traffic)
      .toSorted((left, right) => left.averageAccessTimeMs - right.averageAccessTimeMs);
    return first ?? null;
  }

  /** Share of the access time without prefetching that a point saves. */
  saved({ averageAccessTimeMs }: PaperPoint): number {
    return 1 - averageAccessTimeMs / this.baseline.averageAccessTimeMs;
  }

  /** The same of the miss rate. */
  missesSaved({ missRate }: PaperPoint): number {
    return 1 - missRate / this.baseline.missRate;
  }
}

function keyOf({ model, window, threshold, limit }: Omit<PaperPoint, keyof Measures>): string {
  return `${model} ${window} ${threshold} ${limit}`;
}

type Measures = Pick<PaperPoint, 'missRate' | 'averageAccessTimeMs' | 'trafficIncrease'>;

function rising(values: readonly number[]): number[] {
  return [...new Set(values)].sort((left, right) => left - right);
}
