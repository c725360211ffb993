// What a response is to the request it answers: the rules alone, without a network.

import { describe, expect, it, test } from 'vitest';
import type { CachedResponse, Validation } from '../../../loader/cache/http-cache.ts';
import type { LoaderErrorCode } from '../../../loader/errors.ts';
import { LoaderError } from '../../../loader/errors.ts';
import type { HeaderPair } from '../../../loader/page-load.ts';
import { plainPlan } from '../../../loader/request/request-plan.ts';
import { type AskedHow, inPlaceOf, verdictOn } from '../../../loader/response/verdict.ts';

const stored: CachedResponse = {
  status: 200,
  statusText: 'OK',
  headers: [],
  body: Buffer.from('stored'),
};
const validation = {
  conditions: [['if-none-match', '"1"']],
  staleIfError: null,
} as unknown as Validation;
const lenient: Validation = { ...validation, staleIfError: stored };
const conditional: AskedHow = { ...plainPlan, validation };
const orStale: AskedHow = { ...plainPlan, validation: lenient };
const firstTen: AskedHow = { ...plainPlan, range: { first: 0, last: 9 } };
const rest: AskedHow = {
  ...plainPlan,
  range: { first: 10, last: null },
  total: 20,
  ifRange: '"1"',
};

function kindOf(asked: AskedHow, status: number, headers: HeaderPair[] = []): string {
  return verdictOn(asked, { status, headers }).kind;
}

const part = (range: string, etag = '"1"'): HeaderPair[] => [
  ['Content-Range', `bytes ${range}`],
  ['ETag', etag],
];

describe('a response to', () => {
  test.each<[string, AskedHow, number, HeaderPair[], string]>([
    ['a plain request: as it is', plainPlan, 200, [], 'as-is'],
    ['a plain request: a 206 nobody asked for, too', plainPlan, 206, part('0-9/20'), 'as-is'],
    ['a plain request: a 304 means nothing', plainPlan, 304, [], 'as-is'],
    ['a plain request: an error', plainPlan, 503, [], 'as-is'],
    ['conditions: 304, what is stored stands', conditional, 304, [], 'not-modified'],
    ['conditions: 200, it has changed', conditional, 200, [], 'as-is'],
    ['conditions: 500', conditional, 500, [], 'as-is'],
    ['conditions with stale-if-error: 500 (RFC 5861 4)', orStale, 500, [], 'stale-if-error'],
    ['the same: 404 is an answer', orStale, 404, [], 'as-is'],
    ['a range: the part', firstTen, 206, part('0-9/20'), 'part'],
    ['a range: less of it', firstTen, 206, part('0-4/20'), 'part'],
    ['a range: the whole, as servers may (RFC 9110 14.2)', firstTen, 200, [], 'as-is'],
    ['a range: another part', firstTen, 206, part('10-19/20'), 'unusable'],
    ['a range: a part of unknown place', firstTen, 206, [], 'unusable'],
    ['a range: no such bytes (RFC 9110 15.5.17)', firstTen, 416, [], 'unusable'],
    [
      'a range and conditions: 304 has no range',
      { ...firstTen, validation },
      304,
      [],
      'not-modified',
    ],
    ['If-Range: the rest', rest, 206, part('10-19/20'), 'part'],
    ['If-Range: of another representation', rest, 206, part('10-19/20', '"2"'), 'unusable'],
    ['If-Range: of another length', rest, 206, part('10-19/21'), 'unusable'],
  ])('%s', (_, asked, status, headers, kind) => {
    expect(kindOf(asked, status, headers)).toBe(kind);
  });

  it('a range: two ETags name no representation for sure', () => {
    expect(kindOf(rest, 206, [...part('10-19/20'), ['ETag', '"2"']])).toBe('unusable');
  });
});

describe('in place of a failure', () => {
  const failure = (code: LoaderErrorCode) => new LoaderError(code, '');

  it('a stored response that says it may be used (RFC 9111 4.2.4)', () => {
    expect(inPlaceOf(failure('connection-lost'), orStale)).toBe(stored);
    expect(inPlaceOf(failure('connection-lost'), conditional)).toBeNull();
    expect(inPlaceOf(failure('connection-lost'), plainPlan)).toBeNull();
  });

  test.each<LoaderErrorCode>(['aborted', 'page-timeout', 'loader-closed'])(
    '%s: nothing, for it was us who gave up',
    (code) => {
      expect(inPlaceOf(failure(code), orStale)).toBeNull();
    },
  );
});
