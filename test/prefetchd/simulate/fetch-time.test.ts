import { describe, expect, it } from 'vitest';
import {
  type FetchSample,
  type FittedFetchTime,
  fitFetchTime,
  samplesOf,
} from '../../../prefetchd/simulate/fetch-time.ts';
import { traceOf } from '../../../prefetchd/simulate/trace.ts';
import { accessesOf } from './hand-log.ts';

function fitted(samples: readonly FetchSample[]): FittedFetchTime {
  const line = fitFetchTime(samples);
  if (line === null) throw new Error('no line');
  return line;
}

const sample = (bytes: number, durationMs: number): FetchSample => ({ bytes, durationMs });

describe('regression of fetch time over size (Padmanabhan 1995, 8.2.1)', () => {
  const onLine = Array.from({ length: 40 }, (_, at) =>
    sample(at * 1000, 1130 + 0.0536 * at * 1000 + (at % 2 === 0 ? 5 : -5)),
  );

  it('worked out: 100, 200, 300 and 400 bytes in 11, 11, 14 and 14 ms', () => {
    // Means 250 and 12.5; covariance (-150)(-1.5) + (-50)(-1.5) + (50)(1.5) + (150)(1.5) = 600;
    // variance 50,000; 600 / 50,000 = 0.012 ms a byte, 12.5 - 0.012 * 250 = 9.5 ms.
    const line = fitted([sample(100, 11), sample(200, 11), sample(300, 14), sample(400, 14)]);
    expect(line).toMatchObject({ samples: 4, outliers: 0 });
    expect(line.latencyMs).toBeCloseTo(9.5, 12);
    expect(line.perByteMs).toBeCloseTo(0.012, 12);
  });

  it('is not led astray by a fifth of the samples that hung, the large ones above all', () => {
    // Least squares from the start finds 10 times the slope and keeps most of them.
    const hung = Array.from({ length: 10 }, (_, at) => sample(30_000 + at * 1000, 30_000));
    const line = fitted([...onLine, ...hung]);
    expect(line).toMatchObject({ samples: 40, outliers: 10 });
    expect(line.perByteMs).toBeCloseTo(0.0536, 3);
  });

  it('where time does not rise with size: the mean time, and nothing a byte', () => {
    const flat = [sample(10, 6), sample(20, 5), sample(30, 5), sample(40, 4)];
    expect(fitted(flat)).toMatchObject({ latencyMs: 5, perByteMs: 0 });
  });

  it('a latency is never below zero: then the best line through the origin', () => {
    // Plain least squares: 2 x - 10. Through the origin: (1*10 + ... ) = sum xy / sum xx.
    const steep = [sample(10, 10), sample(20, 30), sample(30, 50)];
    const line = fitted(steep);
    expect(line.latencyMs).toBe(0);
    expect(line.perByteMs).toBeCloseTo((10 * 10 + 20 * 30 + 30 * 50) / (100 + 400 + 900), 12);
  });

  it('needs two sizes', () => {
    expect(fitFetchTime([])).toBeNull();
    expect(fitFetchTime([sample(1, 1), sample(1, 2)])).toBeNull();
  });
});

describe('samples of a log', () => {
  const accesses = accessesOf(`
    a 0 /x.html 5000 200
    a 1 /x.html    0 304
    a 2 /y.html  300 206
    a 3 /z.html    0 200
    a 4 /w.html  700 200
    a 5 /v.html  900 200`).map((access, at) => ({ ...access, durationMs: at + 1 }));

  it('are complete answers that sent something, of the accesses that teach', () => {
    expect(samplesOf(traceOf(accesses), 5)).toEqual([sample(5000, 1), sample(700, 5)]);
  });

  it('stay with their access when the log is put in order', () => {
    const mixed = [accesses[4], accesses[0]].flatMap((access) => access ?? []);
    expect(samplesOf(traceOf(mixed), 2)).toEqual([sample(5000, 1), sample(700, 5)]);
  });

  it('are none where no duration is told', () => {
    const untold = accesses.map(({ durationMs: _, ...access }) => access);
    expect(samplesOf(traceOf(untold), 9)).toEqual([]);
  });
});
