// The range of a 206: sound, and the one that was asked for (RFC 9110 14.4).

import { describe, expect, test } from 'vitest';
import { soundRange } from '../../../loader/cache/policy/ranges.ts';
import { answersRange } from '../../../loader/response/verdict.ts';

describe('Content-Range', () => {
  test.each<[string, ReturnType<typeof soundRange>]>([
    ['bytes 0-9/10', { first: 0, last: 9, total: 10 }],
    ['BYTES 5-5/6', { first: 5, last: 5, total: 6 }],
    ['bytes 0-10/10', null],
    ['bytes 5-4/10', null],
    ['bytes 0-9/*', null],
    ['bytes */10', null],
    ['lines 0-9/10', null],
    ['bytes 0-9/10, bytes 0-9/10', null],
    ['bytes 0-9/99999999999999999999', null],
    ['', null],
  ])('%s', (value, range) => {
    expect(soundRange([['Content-Range', value]])).toEqual(range);
  });
});

describe('a part answers what was asked for', () => {
  const came = { first: 10, last: 19, total: 100 };
  test.each<[string, { first: number; last: number | null }, number | null, boolean]>([
    ['exactly', { first: 10, last: 19 }, null, true],
    ['less of it', { first: 10, last: 50 }, 100, true],
    ['to the end', { first: 10, last: null }, 100, true],
    ['not from another place', { first: 9, last: 19 }, null, false],
    ['not more than that', { first: 10, last: 18 }, null, false],
    ['not of another whole', { first: 10, last: 19 }, 101, false],
  ])('%s', (_, asked, total, answers) => {
    expect(answersRange(came, asked, total)).toBe(answers);
  });
});
