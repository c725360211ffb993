import { describe, expect, test } from 'vitest';
import { PrefetchdError } from '../../../prefetchd/errors.ts';
import * as model from '../../../prefetchd/model/index.ts';

const refusal = (action: () => unknown): unknown => {
  try {
    action();
  } catch (error) {
    if (error instanceof PrefetchdError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'no error';
};

describe('options are checked once, when a predictor is made', () => {
  const cases: Array<[model.PredictorOptions, RegExp]> = [
    [{ window: 1 }, /window must be a whole number from 2 to 100, not 1/],
    [{ window: 2.5 }, /window must be a whole number/],
    [{ halfLifeMs: Number.NaN }, /halfLifeMs must be a number of at least 1, or null, not NaN/],
    [{ minClients: 7 }, /minClients must be a whole number from 1 to 6, not 7/],
    [{ mayHint: 'no' as never }, /mayHint must be a function/],
    [{ windw: 4 } as never, /option windw is unknown; did you mean window\?$/],
  ];
  for (const [options, message] of cases) {
    test(`${JSON.stringify(options)} is refused`, () => {
      const told = refusal(() => model.createPredictor('dependency-graph', options));
      expect(told).toMatch(message);
      expect(told).toMatch(/^invalid-option/);
    });
  }

  test('an unknown predictor is refused, also one that plain objects know', () => {
    for (const name of ['top', '__proto__', 'constructor']) {
      expect(refusal(() => model.createPredictor(name as never))).toMatch(
        /^unknown-predictor: predictor must be double-graph or dependency-graph, not /,
      );
    }
  });
});

describe('p and i', () => {
  test('a threshold above 1 is allowed and means no hints, a limit of null means no limit', () => {
    const options = { threshold: 1.1, limit: null };
    expect(model.checkPredictOptions(options)).toEqual(options);
  });

  test('0 is no limit to set, and neither NaN nor a percentage is a threshold', () => {
    expect(refusal(() => model.checkPredictOptions({ limit: 0 }))).toMatch(
      /^invalid-option: limit/,
    );
    for (const threshold of [Number.NaN, -0.1, 2.1, 50, Number.POSITIVE_INFINITY]) {
      expect(refusal(() => model.checkPredictOptions({ threshold }))).toBe(
        `invalid-option: threshold must be a number from 0 to 2, not ${threshold}`,
      );
    }
  });
});
