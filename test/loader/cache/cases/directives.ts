// RFC 9111 4.2.4, 5.2.1, 5.2.2, 5.4; RFC 5861; RFC 8246; the Fetch Standard's cache modes.

import { type Case, content, get, got, hit, miss, section, unavailable, validate } from './case.ts';

const tag = { etag: '"a"' };
const said = (cacheControl: string) => got({ 'cache-control': cacheControl, ...tag });
const asks = (at: number, cacheControl: string) => get(at, { 'cache-control': cacheControl });
const refresh = { ...hit, refresh: true };
const orStale = { ...validate, usableOnError: true };

export const responseDirectiveCases: Case[] = [
  ...section('RFC 9111 5.2.2.4 no-cache', [
    ['validated although fresh', said('no-cache, max-age=60'), get(1), validate],
    ['in any case', said('No-CaChE, max-age=60'), get(1), validate],
    ['with names: the rest is used', said('no-cache="x-a", max-age=60'), get(1), hit],
    ['with empty quotes as without', said('no-cache="", max-age=60'), get(1), validate],
    [
      'with and without names: without counts',
      said('no-cache="x-a", no-cache, max-age=60'),
      get(1),
      validate,
    ],
    ['max-stale does not help', said('no-cache, max-age=60'), asks(1, 'max-stale'), validate],
    [
      'stale-while-revalidate does not help',
      said('no-cache, max-age=1, stale-while-revalidate=60'),
      get(9),
      validate,
    ],
    [
      'stale-if-error does not help',
      said('no-cache, max-age=1, stale-if-error=60'),
      get(9),
      validate,
    ],
    [
      'Pragma in a response means nothing',
      got({ 'cache-control': 'max-age=60', pragma: 'no-cache' }),
      get(1),
      hit,
    ],
  ]),
  ...section('RFC 9111 5.2.2.2 must-revalidate', [
    ['no matter while fresh', said('must-revalidate, max-age=60'), get(59), hit],
    [
      'stale: max-stale does not help',
      said('must-revalidate, max-age=60'),
      asks(61, 'max-stale'),
      validate,
    ],
    [
      'stale: stale-while-revalidate does not help',
      said('must-revalidate, max-age=1, stale-while-revalidate=60'),
      get(9),
      validate,
    ],
    [
      'stale: stale-if-error does not help',
      said('must-revalidate, max-age=1, stale-if-error=60'),
      get(9),
      validate,
    ],
  ]),
  ...section('RFC 9111 5.2.2.8 proxy-revalidate and 5.2.2.10 s-maxage, private cache', [
    [
      'proxy-revalidate is not meant',
      said('proxy-revalidate, max-age=60'),
      asks(61, 'max-stale'),
      hit,
    ],
    ['s-maxage is not meant', said('s-maxage=60, max-age=60'), asks(61, 'max-stale'), hit],
  ]),
  ...section('RFC 5861 3 stale-while-revalidate', [
    ['used and refreshed', said('max-age=60, stale-while-revalidate=30'), get(90), refresh],
    ['its window is over', said('max-age=60, stale-while-revalidate=30'), get(90.5), validate],
    ['fresh: no refreshment', said('max-age=60, stale-while-revalidate=30'), get(59), hit],
    ['0 is no window', said('max-age=60, stale-while-revalidate=0'), get(60), validate],
    ['junk is no window', said('max-age=60, stale-while-revalidate=x'), get(60), validate],
    [
      'without a validator too',
      got({ 'cache-control': 'max-age=60, stale-while-revalidate=30' }),
      get(70),
      refresh,
    ],
    [
      'max-age of the request goes before',
      said('max-age=60, stale-while-revalidate=30'),
      asks(70, 'max-age=60'),
      validate,
    ],
    [
      'min-fresh of the request goes before',
      said('max-age=60, stale-while-revalidate=30'),
      asks(70, 'min-fresh=1'),
      validate,
    ],
    [
      'the mode no-cache goes before',
      said('max-age=60, stale-while-revalidate=30'),
      get(70, {}, { mode: 'no-cache' }),
      validate,
    ],
    [
      'its age is told',
      said('max-age=60, stale-while-revalidate=30'),
      get(70),
      { ...refresh, fields: { age: '70' } },
    ],
  ]),
  ...section('RFC 5861 4 stale-if-error', [
    ['of the response', said('max-age=60, stale-if-error=30'), get(90), orStale],
    ['its window is over', said('max-age=60, stale-if-error=30'), get(91), validate],
    ['0 is no window', said('max-age=60, stale-if-error=0'), get(60), validate],
    ['of the request', said('max-age=60'), asks(90, 'stale-if-error=30'), orStale],
    ['of the request: over', said('max-age=60'), asks(91, 'stale-if-error=30'), validate],
    ['not said: an error is an error', said('max-age=60'), get(61), validate],
    [
      'without a validator',
      got({ 'cache-control': 'max-age=60, stale-if-error=30' }),
      get(70),
      { ...orStale, conditions: {} },
    ],
    [
      'no-cache of the request goes before',
      said('max-age=60, stale-if-error=30'),
      asks(70, 'no-cache'),
      validate,
    ],
  ]),
  ...section('RFC 8246 2 immutable', [
    [
      'a reload does not validate it',
      said('max-age=60, immutable'),
      get(59, {}, { mode: 'no-cache' }),
      hit,
    ],
    [
      'not even with the max-age=0 of a reload',
      said('max-age=60, immutable'),
      get(59, { 'cache-control': 'max-age=0' }, { mode: 'no-cache' }),
      hit,
    ],
    ['stale: validated', said('max-age=60, immutable'), get(60), validate],
    [
      'stale, by a reload: validated',
      said('max-age=60, immutable'),
      get(60, {}, { mode: 'no-cache' }),
      validate,
    ],
    [
      'no-cache of the request goes before',
      said('max-age=60, immutable'),
      asks(1, 'no-cache'),
      validate,
    ],
    [
      'max-age of the request goes before',
      said('max-age=60, immutable'),
      asks(9, 'max-age=5'),
      validate,
    ],
  ]),
];

export const requestDirectiveCases: Case[] = [
  ...section('RFC 9111 5.2.1.1 max-age', [
    ['young enough', said('max-age=60'), asks(10, 'max-age=10'), hit],
    ['too old', said('max-age=60'), asks(11, 'max-age=10'), validate],
    [
      'Age counts',
      got({ 'cache-control': 'max-age=60', age: '30', ...tag }),
      asks(1, 'max-age=30'),
      validate,
    ],
    ['0: always asked', said('max-age=60'), asks(0, 'max-age=0'), validate],
    ['junk as 0', said('max-age=60'), asks(1, 'max-age=x'), validate],
    ['it lengthens nothing', said('max-age=5'), asks(9, 'max-age=60'), validate],
  ]),
  ...section('RFC 9111 5.2.1.2 max-stale', [
    ['as stale as that', said('max-age=60'), asks(70, 'max-stale=10'), hit],
    ['staler', said('max-age=60'), asks(71, 'max-stale=10'), validate],
    ['without a number: however stale', said('max-age=60'), asks(9_999, 'max-stale'), hit],
    ['junk allows nothing', said('max-age=60'), asks(61, 'max-stale=x'), validate],
    ['0 allows nothing', said('max-age=60'), asks(60, 'max-stale=0'), validate],
    [
      'its age is told',
      said('max-age=60'),
      asks(70, 'max-stale=10'),
      { ...hit, fields: { age: '70' } },
    ],
  ]),
  ...section('RFC 9111 5.2.1.3 min-fresh', [
    ['fresh for that long', said('max-age=60'), asks(50, 'min-fresh=10'), hit],
    ['not for that long', said('max-age=60'), asks(51, 'min-fresh=10'), validate],
    ['longer than it ever was', said('max-age=60'), asks(0, 'min-fresh=61'), validate],
  ]),
  ...section('RFC 9111 5.2.1.4 no-cache, 5.4 Pragma', [
    ['validated', said('max-age=60'), asks(1, 'no-cache'), validate],
    [
      'nothing to validate by: asked anew',
      got({ 'cache-control': 'max-age=60' }),
      asks(1, 'no-cache'),
      miss,
    ],
    ['Pragma: no-cache', said('max-age=60'), get(1, { pragma: 'no-cache' }), validate],
    ['Pragma among others', said('max-age=60'), get(1, { pragma: 'a, No-Cache' }), validate],
    ['another Pragma', said('max-age=60'), get(1, { pragma: 'no-cache-please' }), hit],
    [
      'Pragma does not count beside Cache-Control',
      said('max-age=60'),
      get(1, { pragma: 'no-cache', 'cache-control': 'max-age=9' }),
      hit,
    ],
  ]),
  ...section('RFC 9111 5.2.1.5 no-store, 5.2.1.7 only-if-cached', [
    ['no-store: not answered from the store', said('max-age=60'), asks(1, 'no-store'), miss],
    ['only-if-cached: fresh', said('max-age=60'), asks(1, 'only-if-cached'), hit],
    ['only-if-cached: stale', said('max-age=60'), asks(61, 'only-if-cached'), unavailable],
    [
      'only-if-cached: stale, with max-stale',
      said('max-age=60'),
      asks(61, 'only-if-cached, max-stale'),
      hit,
    ],
    ['only-if-cached: nothing', [], asks(1, 'only-if-cached'), unavailable],
    [
      'only-if-cached: with no-store',
      said('max-age=60'),
      asks(1, 'only-if-cached, no-store'),
      unavailable,
    ],
  ]),
  ...section('Fetch Standard 2.2.5 cache modes', [
    ['no-store: not looked at', said('max-age=60'), get(1, {}, { mode: 'no-store' }), miss],
    [
      'no-store: not stored',
      got({ 'cache-control': 'max-age=60' }, { mode: 'no-store' }),
      get(1),
      miss,
    ],
    [
      'no-store: what is stored stays',
      [
        said('max-age=60'),
        got({ 'cache-control': 'max-age=60' }, { at: 1, mode: 'no-store', body: 'new' }),
      ],
      get(2),
      { ...hit, body: content },
    ],
    ['reload: not looked at', said('max-age=60'), get(1, {}, { mode: 'reload' }), miss],
    [
      'reload: stored',
      [
        said('max-age=60'),
        got({ 'cache-control': 'max-age=60' }, { at: 1, mode: 'reload', body: 'new' }),
      ],
      get(2),
      { ...hit, body: 'new' },
    ],
    ['no-cache: validated', said('max-age=60'), get(1, {}, { mode: 'no-cache' }), validate],
    [
      'no-cache: nothing to validate by',
      got({ 'cache-control': 'max-age=60' }),
      get(1, {}, { mode: 'no-cache' }),
      miss,
    ],
    [
      'force-cache: however stale',
      said('max-age=60'),
      get(9_999, {}, { mode: 'force-cache' }),
      hit,
    ],
    ['force-cache: even no-cache', said('no-cache'), get(1, {}, { mode: 'force-cache' }), hit],
    ['force-cache: nothing stored', [], get(1, {}, { mode: 'force-cache' }), miss],
    [
      'only-if-cached: however stale',
      said('max-age=60'),
      get(9_999, {}, { mode: 'only-if-cached' }),
      hit,
    ],
    ['only-if-cached: nothing stored', [], get(1, {}, { mode: 'only-if-cached' }), unavailable],
    [
      'only-if-cached: another variant is none',
      got({ 'cache-control': 'max-age=60', vary: 'a', ...tag }),
      get(1, { a: '1' }, { mode: 'only-if-cached' }),
      unavailable,
    ],
  ]),
];
