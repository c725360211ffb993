// What has to hold for every log: checked on random ones.

import { describe, expect, it } from 'vitest';
import { predictorNames } from '../../../prefetchd/model/index.ts';
import { simulate } from '../../../prefetchd/simulate/simulate.ts';
import { type PointSpec, timingModels } from '../../../prefetchd/simulate/simulate-options.ts';
import { sweep } from '../../../prefetchd/simulate/sweep.ts';
import { traceOf } from '../../../prefetchd/simulate/trace.ts';
import fc from '../../support/property.ts';
import { randomLog } from './random-log.ts';

const points: PointSpec[] = timingModels.flatMap((model) =>
  [0, 0.3, 0.5, 1.1].flatMap((threshold) =>
    [1, 2, null].map((limit) => ({ model, threshold, limit })),
  ),
);

const usual = { predictor: 'dependency-graph', window: 4, train: 0.3 } as const;

describe('a simulation of any log', () => {
  it('with p = 1.1 is the one without prefetching', () => {
    fc.assert(
      fc.property(randomLog, fc.constantFrom(...timingModels), (log, model) => {
        const never = [{ model, threshold: 1.1, limit: null }];
        const { baseline, points } = simulate(traceOf(log), { ...usual, points: never });
        const { missRate, averageAccessTimeMs } = baseline;
        const nothing = { trafficIncrease: 0, requestIncrease: 0, prefetches: 0, precision: null };
        expect(points[0]).toMatchObject({ missRate, averageAccessTimeMs, ...nothing });
      }),
    );
  });

  it('adds traffic and saves time, where caches lose nothing', () => {
    fc.assert(
      fc.property(randomLog, (log) => {
        const trace = traceOf(log);
        const { baseline, points: all } = simulate(trace, { ...usual, points });
        for (const point of all) {
          expect(point.trafficIncrease).toBeGreaterThanOrEqual(-1e-12);
          expect(point.requestIncrease).toBeGreaterThanOrEqual(-1e-12);
          expect(point.missRate).toBeLessThanOrEqual(baseline.missRate);
          const beforeMs = baseline.averageAccessTimeMs;
          expect(point.averageAccessTimeMs).toBeLessThanOrEqual(beforeMs + 1e-9);
          for (const share of [point.precision, point.recall]) {
            expect(share ?? 0).toBeGreaterThanOrEqual(0);
            expect(share ?? 0).toBeLessThanOrEqual(1);
          }
        }
      }),
    );
  });

  it('gives each point the same alone as among others, with every predictor and small caches', () => {
    fc.assert(
      fc.property(randomLog, fc.constantFrom(...predictorNames), (log, predictor) => {
        const trace = traceOf(log);
        const job = { predictor, window: 3, train: 0.3, cacheBytes: 5 * 8192, maxClients: 3 };
        const together = simulate(trace, { ...job, points });
        points.forEach((point, index) => {
          const alone = simulate(trace, { ...job, points: [point] });
          expect(alone.points[0]).toEqual(together.points[index]);
          expect(alone.baseline).toEqual(together.baseline);
        });
      }),
      { numRuns: 30 },
    );
  });
});

describe('a sweep', () => {
  const [log] = fc.sample(randomLog, { numRuns: 1, seed: 1995 });
  const trace = traceOf(log ?? []);
  const options = {
    predictors: ['dependency-graph', 'double-graph'],
    models: timingModels,
    windows: [2, 5],
    thresholds: [0.2, 0.5],
    limits: [1, null],
    train: 0.3,
  } as const;

  it('gives the same in workers as in this thread', async () => {
    const here = await sweep(trace, { ...options, workers: 0 });
    expect(await sweep(trace, { ...options, workers: 2 })).toEqual(here);
  });

  it('orders its points by predictor, model, w, p, i', async () => {
    const { points } = await sweep(trace, { ...options, workers: 0 });
    const expected = options.predictors.flatMap((predictor) =>
      options.models.flatMap((model) =>
        options.windows.flatMap((window) =>
          options.thresholds.flatMap((threshold) =>
            options.limits.map((limit) => ({ predictor, model, window, threshold, limit })),
          ),
        ),
      ),
    );
    expect(points).toHaveLength(expected.length);
    expect(points).toMatchObject(expected);
  });

  it('tells how far it is, up to all of it', async () => {
    const told: number[] = [];
    const total = options.predictors.length * options.windows.length * trace.accesses.length;
    await sweep(trace, { ...options, workers: 0, onProgress: ({ done }) => told.push(done) });
    expect(told.at(-1)).toBe(total);
    expect(told).toEqual(told.toSorted((left, right) => left - right));
  });

  it.each([0, 2])('passes on what a job refuses, with %i workers', async (workers) => {
    const wrong = sweep(trace, { ...options, windows: [1, 2], workers });
    const refused = { name: 'PrefetchdError', code: 'invalid-option' };
    await expect(wrong).rejects.toMatchObject(refused);
  });
});
