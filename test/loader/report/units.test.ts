import { describe, expect, it } from 'vitest';
import {
  formatBytes,
  formatCount,
  formatMs,
  roundMs,
  timeTicks,
} from '../../../loader/report/units.ts';
import fc from '../../support/property.ts';

describe('units', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [42_180, '42.2 kB'],
    [99_960, '100 kB'],
    [999_499, '999 kB'],
    [999_500, '1.0 MB'],
    [2_500_000_000, '2.5 GB'],
  ])('%d bytes are %s', (bytes, written) => expect(formatBytes(bytes)).toBe(written));

  it.each([
    [null, '-'],
    [0, '0.00 ms'],
    [6.614, '6.61 ms'],
    [9.996, '10.0 ms'],
    [99.96, '100 ms'],
    [999.4, '999 ms'],
    [999.6, '1.00 s'],
    [61_300, '61.3 s'],
  ])('%s ms are %s', (ms, written) => expect(formatMs(ms)).toBe(written));

  it('groups thousands and rounds to 0.001 ms without -0', () => {
    expect(formatCount(1_234_567)).toBe('1,234,567');
    expect(roundMs(-0.0001)).toBe(0);
    expect(Object.is(roundMs(-0.0001), 0)).toBe(true);
  });
});

describe('timeTicks', () => {
  it('begins at 0, stays within the end, is about as many as asked, in even steps', () => {
    const endMs = fc.double({ min: 0.01, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(endMs, fc.integer({ min: 1, max: 12 }), (end, count) => {
        const ticks = timeTicks(end, count);
        expect(ticks[0]).toEqual({ atMs: 0, label: '0' });
        expect(ticks.length).toBeLessThanOrEqual(count + 1);
        expect(ticks.at(-1)?.atMs).toBeLessThanOrEqual(end + 0.001);
      }),
    );
  });

  it('never has the same label twice, however little time there is', () => {
    for (const endMs of [0.0001, 0.001, 0.0024, 0.1]) {
      const labels = timeTicks(endMs, 8).map(({ label }) => label);
      expect(new Set(labels).size).toBe(labels.length);
    }
  });

  it('keeps to one unit', () => {
    expect(timeTicks(1200, 3).map(({ label }) => label)).toEqual(['0', '0.5 s', '1 s']);
    expect(timeTicks(45, 4).map(({ label }) => label)).toEqual(['0', '20 ms', '40 ms']);
  });
});
