import { describe, expect, it } from 'vitest';
import { limits, thresholds, windows } from '../../cli/flag-values.ts';

describe('lists and ranges of numbers', () => {
  it.each([
    [windows, '4', [4]],
    [windows, '2..5', [2, 3, 4, 5]],
    [thresholds, '.5, 1..2', [0.5, 1, 2]],
    [thresholds, '1..2:.4', [1, 1.4, 1.8]],
    [thresholds, '0.0..0.7:0.1', [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]],
  ])('%o reads %s', (parse, text, values) => {
    expect(parse(text)).toEqual(values);
  });

  it('1,2,inf has no limit as null', () => {
    expect(limits('1,2,inf')).toEqual([1, 2, null]);
  });

  it.each([
    [windows, ['', 'x', '3,', '5..2', '2..5:0', '2..101', '1', '-1', 'inf', '2...3', '2.5', '1e1']],
    [thresholds, ['NaN', '-0.1', '0..3', '0..1:0.000001']],
    [limits, ['0', '5..1', '20000']],
  ])('%o refuses %j', (parse, texts) => {
    for (const text of texts) expect(() => parse(text)).toThrow(/^(It|A range) must /);
  });
});
