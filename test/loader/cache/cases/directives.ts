// RFC 9111 4.2.4, 5.2.1, 5.2.2, 5.4; RFC 5861; RFC 8246; the Fetch Standard's cache modes.

import type { CacheMode } from '../../../../loader/cache/http-cache.ts';
import {
  by,
  type Case,
  content,
  control,
  get,
  got,
  hit,
  hitOf,
  hitWith,
  miss,
  type Row,
  section,
  unavailable,
  validate,
} from './case.ts';

const tag = { etag: '"a"' };
const said = (cacheControl: string) => got({ 'cache-control': cacheControl, ...tag });
const minute = said('max-age=60');
const whileRenewed = said('max-age=60, stale-while-revalidate=30');
const onError = said('max-age=60, stale-if-error=30');
const immutable = said('max-age=60, immutable');
const asks = (at: number, cacheControl: string, mode: CacheMode = 'default') =>
  get(at, control(cacheControl), { mode });
const pragma = (value: string, more = {}) => get(1, { pragma: value, ...more });
const newer = (mode: CacheMode) => got(control('max-age=60'), { at: 1, mode, body: 'new' });
const refresh = { ...hit, refresh: true };
const orStale = { ...validate, usableOnError: true };
/** What lets a stale response be used does not count beside this directive. */
const strict = (directive: string, at: number): Row[] => [
  ['max-stale does not help', said(`${directive}, max-age=60`), asks(at, 'max-stale'), validate],
  ...['stale-while-revalidate', 'stale-if-error'].map((window): Row => {
    const given = said(`${directive}, max-age=1, ${window}=60`);
    return [`stale: ${window} does not help`, given, 9, validate];
  }),
];

export const responseDirectiveCases: Case[] = [
  ...section('RFC 9111 5.2.2.4 no-cache', [
    ['validated although fresh', said('no-cache, max-age=60'), 1, validate],
    ['in any case', said('No-CaChE, max-age=60'), 1, validate],
    ['with names: the rest is used', said('no-cache="x-a", max-age=60'), 1, hit],
    ['with empty quotes as without', said('no-cache="", max-age=60'), 1, validate],
    ['with and without names: without', said('no-cache="a", no-cache, max-age=60'), 1, validate],
    ...strict('no-cache', 1),
    ['Pragma in a response means nothing', control('max-age=60', { pragma: 'no-cache' }), 1, hit],
  ]),
  ...section('RFC 9111 5.2.2.2 must-revalidate', [
    ['no matter while fresh', said('must-revalidate, max-age=60'), 59, hit],
    ...strict('must-revalidate', 61),
  ]),
  ...section('RFC 9111 5.2.2.8 proxy-revalidate and 5.2.2.10 s-maxage, private cache', [
    ...['proxy-revalidate', 's-maxage=60'].map((directive): Row => {
      const given = said(`${directive}, max-age=60`);
      return [`${directive} is not meant`, given, asks(61, 'max-stale'), hit];
    }),
  ]),
  ...section('RFC 5861 3 stale-while-revalidate', [
    ['used and refreshed', whileRenewed, 90, refresh],
    ['its window is over', whileRenewed, 90.5, validate],
    ['fresh: no refreshment', whileRenewed, 59, hit],
    ['0 is no window', said('max-age=60, stale-while-revalidate=0'), 60, validate],
    ['junk is no window', said('max-age=60, stale-while-revalidate=x'), 60, validate],
    ['without a validator too', 'max-age=60, stale-while-revalidate=30', 70, refresh],
    ['max-age of the request goes before', whileRenewed, asks(70, 'max-age=60'), validate],
    ['min-fresh of the request goes before', whileRenewed, asks(70, 'min-fresh=1'), validate],
    ['the mode no-cache goes before', whileRenewed, by('no-cache', 70), validate],
    ['its age is told', whileRenewed, 70, { ...refresh, fields: { age: '70' } }],
  ]),
  ...section('RFC 5861 4 stale-if-error', [
    ['of the response', onError, 90, orStale],
    ['its window is over', onError, 91, validate],
    ['0 is no window', said('max-age=60, stale-if-error=0'), 60, validate],
    ['of the request', minute, asks(90, 'stale-if-error=30'), orStale],
    ['of the request: over', minute, asks(91, 'stale-if-error=30'), validate],
    ['not said: an error is an error', minute, 61, validate],
    ['without a validator', 'max-age=60, stale-if-error=30', 70, { ...orStale, conditions: {} }],
    ['no-cache of the request goes before', onError, asks(70, 'no-cache'), validate],
  ]),
  ...section('RFC 8246 2 immutable', [
    ['a reload does not validate it', immutable, by('no-cache', 59), hit],
    ['not even with its max-age=0', immutable, asks(59, 'max-age=0', 'no-cache'), hit],
    ['stale: validated', immutable, 60, validate],
    ['stale, by a reload: validated', immutable, by('no-cache', 60), validate],
    ['no-cache of the request goes before', immutable, asks(1, 'no-cache'), validate],
    ['max-age of the request goes before', immutable, asks(9, 'max-age=5'), validate],
  ]),
];

export const requestDirectiveCases: Case[] = [
  ...section('RFC 9111 5.2.1.1 max-age', [
    ['young enough', minute, asks(10, 'max-age=10'), hit],
    ['too old', minute, asks(11, 'max-age=10'), validate],
    ['Age counts', control('max-age=60', { age: '30', ...tag }), asks(1, 'max-age=30'), validate],
    ['0: always asked', minute, asks(0, 'max-age=0'), validate],
    ['junk as 0', minute, asks(1, 'max-age=x'), validate],
    ['it lengthens nothing', said('max-age=5'), asks(9, 'max-age=60'), validate],
  ]),
  ...section('RFC 9111 5.2.1.2 max-stale', [
    ['as stale as that', minute, asks(70, 'max-stale=10'), hit],
    ['staler', minute, asks(71, 'max-stale=10'), validate],
    ['without a number: however stale', minute, asks(9_999, 'max-stale'), hit],
    ['junk allows nothing', minute, asks(61, 'max-stale=x'), validate],
    ['0 allows nothing', minute, asks(60, 'max-stale=0'), validate],
    ['its age is told', minute, asks(70, 'max-stale=10'), hitWith({ age: '70' })],
  ]),
  ...section('RFC 9111 5.2.1.3 min-fresh', [
    ['fresh for that long', minute, asks(50, 'min-fresh=10'), hit],
    ['not for that long', minute, asks(51, 'min-fresh=10'), validate],
    ['longer than it ever was', minute, asks(0, 'min-fresh=61'), validate],
  ]),
  ...section('RFC 9111 5.2.1.4 no-cache, 5.4 Pragma', [
    ['validated', minute, asks(1, 'no-cache'), validate],
    ['nothing to validate by: asked anew', 'max-age=60', asks(1, 'no-cache'), miss],
    ['Pragma: no-cache', minute, pragma('no-cache'), validate],
    ['Pragma among others', minute, pragma('a, No-Cache'), validate],
    ['another Pragma', minute, pragma('no-cache-please'), hit],
    ['none beside Cache-Control', minute, pragma('no-cache', control('max-age=9')), hit],
  ]),
  ...section('RFC 9111 5.2.1.5 no-store, 5.2.1.7 only-if-cached', [
    ['no-store: not answered from the store', minute, asks(1, 'no-store'), miss],
    ['only-if-cached: fresh', minute, asks(1, 'only-if-cached'), hit],
    ['only-if-cached: stale', minute, asks(61, 'only-if-cached'), unavailable],
    ['only-if-cached: stale, with max-stale', minute, asks(61, 'only-if-cached, max-stale'), hit],
    ['only-if-cached: nothing', [], asks(1, 'only-if-cached'), unavailable],
    ['only-if-cached: with no-store', minute, asks(1, 'only-if-cached, no-store'), unavailable],
  ]),
  ...section('Fetch Standard 2.2.5 cache modes', [
    ['no-store: not looked at', minute, by('no-store', 1), miss],
    ['no-store: not stored', got(control('max-age=60'), { mode: 'no-store' }), 1, miss],
    ['no-store: what is stored stays', [minute, newer('no-store')], 2, hitOf(content)],
    ['reload: not looked at', minute, by('reload', 1), miss],
    ['reload: stored', [minute, newer('reload')], 2, hitOf('new')],
    ['no-cache: validated', minute, by('no-cache', 1), validate],
    ['no-cache: nothing to validate by', 'max-age=60', by('no-cache', 1), miss],
    ['force-cache: however stale', minute, by('force-cache', 9_999), hit],
    ['force-cache: even no-cache', said('no-cache'), by('force-cache', 1), hit],
    ['force-cache: nothing stored', [], by('force-cache', 1), miss],
    ['only-if-cached: however stale', minute, by('only-if-cached', 9_999), hit],
    ['only-if-cached: nothing stored', [], by('only-if-cached', 1), unavailable],
    [
      'only-if-cached: another variant is none',
      control('max-age=60', { vary: 'a', ...tag }),
      get(1, { a: '1' }, { mode: 'only-if-cached' }),
      unavailable,
    ],
  ]),
];
