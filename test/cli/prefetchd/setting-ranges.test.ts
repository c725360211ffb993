import { describe, expect, it } from 'vitest';
import { parseRanges } from '../../../cli/prefetchd/setting-ranges.ts';

const rules = { name: '--x', least: 0, most: 100 };

describe('lists and ranges of numbers', () => {
  it.each([
    ['4', [4]],
    ['2..5', [2, 3, 4, 5]],
    ['0.0..1.1:0.1', [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1]],
    ['.5, 2..3,7', [0.5, 2, 3, 7]],
    ['1..10:4', [1, 5, 9]],
    ['3,2..4', [3, 2, 4]],
  ])('%s', (text, values) => {
    expect(parseRanges(text, rules)).toEqual(values);
  });

  it('1,2,inf has no limit as null', () => {
    expect(parseRanges('1,2,inf', { ...rules, unlimited: true })).toEqual([1, 2, null]);
  });

  it.each([
    '',
    'x',
    '1,',
    '5..2',
    '1..5:0',
    '0..101',
    '-1',
    'inf',
    '1...3',
    '0..100:0.000001',
    'NaN',
    '1e3',
  ])('%j is refused by name', (text) => {
    expect(() => parseRanges(text, rules)).toThrow(/^--x must be /);
  });

  it('whole numbers where they have to be', () => {
    expect(() => parseRanges('2.5', { ...rules, whole: true })).toThrow(/whole/);
  });
});
