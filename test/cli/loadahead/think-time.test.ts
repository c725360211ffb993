// How long the visitor of `loadahead browse` stays on a page, by --think and --max-think.

import { describe, expect, test } from 'vitest';
import { parseThink, stayOf } from '../../../cli/loadahead/think-time.ts';

const whole = (thinkMs: number) => ({ thinkMs, isCut: false });

describe('stayOf', () => {
  test.each<[think: string, told: number | null, thinkMs: number]>([
    ['recorded', 30, 30],
    ['recorded', 0, 0],
    ['recorded', null, 1_000],
    ['none', 30, 0],
    ['none', null, 0],
    ['40', 30, 40],
    ['40ms', null, 40],
    ['2.5s', 30, 2_500],
    ['x0.5', 30, 15],
    ['x.5', null, 500],
    ['x3', 30, 90],
  ])('--think %s where %s ms are told: %d ms', (think, told, thinkMs) => {
    expect(stayOf(told, parseThink(think), 10_000)).toEqual(whole(thinkMs));
  });

  test.each<[think: string, told: number | null]>([
    ['recorded', 60_000],
    ['60s', 30],
    ['x1000', 30],
    ['x30', null],
  ])(
    '--think %s where %s ms are told: no longer than --max-think, and that is known',
    (think, told) => {
      expect(stayOf(told, parseThink(think), 20)).toEqual({ thinkMs: 20, isCut: true });
    },
  );

  test('what is as long as --max-think is not cut', () => {
    expect(stayOf(20, 'recorded', 20)).toEqual(whole(20));
    expect(stayOf(60_000, 'none', 20)).toEqual(whole(0));
  });
});
