import { describe, expect, it } from 'vitest';
import { fitFetchTime } from '../../../prefetchd/simulate/regression.ts';

describe('regression of fetch time over size (Padmanabhan 1995, 8.2.1)', () => {
  const onLine = Array.from({ length: 40 }, (_, at) => ({
    bytes: at * 1000,
    durationMs: 1130 + 0.0536 * at * 1000 + (at % 2 === 0 ? 5 : -5),
  }));

  it('finds the line', () => {
    const line = fitFetchTime(onLine);
    expect(line?.latencyMs).toBeCloseTo(1130, -1);
    expect(line?.perByteMs).toBeCloseTo(0.0536, 3);
  });

  it('ignores outliers', () => {
    const line = fitFetchTime([...onLine, { bytes: 500, durationMs: 90_000 }]);
    expect(line).toMatchObject({ samples: 40, outliers: 1 });
    expect(line?.latencyMs).toBeCloseTo(1130, -1);
  });

  it('needs two sizes, and time that rises with size', () => {
    expect(fitFetchTime([])).toBeNull();
    expect(
      fitFetchTime([
        { bytes: 1, durationMs: 1 },
        { bytes: 1, durationMs: 2 },
      ]),
    ).toBeNull();
    expect(
      fitFetchTime([
        { bytes: 1, durationMs: 9 },
        { bytes: 900, durationMs: 2 },
      ]),
    ).toBeNull();
  });
});
