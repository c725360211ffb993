// RFC 9111 3, 3.1, 3.5, 5.2.2; RFC 9110 9.3.3; RFC 6585.

import {
  by,
  type Case,
  content,
  control,
  date,
  type Fields,
  type Given,
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

const year = { 'cache-control': 'max-age=31536000' };
const tag = { etag: '"a"' };
const [bearer, another] = [{ authorization: 'Bearer one' }, { authorization: 'Bearer two' }];
const noStore = control('no-store');
const queried = { url: 'http://cache.test/?q' };
const located = { ...year, 'content-location': 'http://cache.test/page' };
const understand = 'must-understand, max-age=60';
const withStatus = (status: number, cacheControl = 'max-age=60') =>
  got({ 'cache-control': cacheControl }, { status });

const reload = (fields: Fields, more: Parameters<typeof got>[1] = {}) =>
  got(fields, { at: 5, mode: 'reload', ...more });
const aRange = { status: 206, ask: { range: 'bytes=0-9' } };
/** The named fields stay, but for those that are null. */
const keeping = (rows: [name: string, given: Fields, kept: Fields][]): Row[] =>
  rows.map(([name, given, kept]) => [name, { ...year, ...given }, 1, hitWith(kept)]);
const twice = (fields: Fields): [Fields, Fields] => [fields, fields];
/** Responses that are not stored. */
const refused = (rows: [name: string, given: Given][]): Row[] =>
  rows.map(([name, given]) => [name, given, 1, miss]);

export const storingCases: Case[] = [
  ...section('RFC 9111 3 which responses', [
    ...[
      200, 203, 204, 299, 300, 301, 302, 303, 307, 308, 400, 403, 404, 405, 410, 414, 451, 500, 501,
      503, 504, 599,
    ].map(
      (status): Row => [`${status} with a lifetime`, withStatus(status), 1, { ...hit, status }],
    ),
    ...[304, 401, 407, 412, 416, 417, 428, 429, 431, 511].map(
      (status): Row => [`${status} is about its request: not kept`, withStatus(status), 1, miss],
    ),
    ['an ETag alone is enough', tag, 1, validate],
    ['Last-Modified alone is enough', { 'last-modified': date(0) }, 1, validate],
    ['neither lifetime nor validator: of no use', {}, by('force-cache', 0), miss],
    ['private is meant to be stored', got(control('private', tag), { status: 302 }), 1, validate],
    ...refused([
      ['a status without default, and no lifetime', got(tag, { status: 302 })],
      ['1xx is no final response', withStatus(103)],
      ['HEAD has no body to store', got(year, { method: 'HEAD' })],
      ['not of OPTIONS', got(year, { method: 'OPTIONS' })],
      ['not of PUT', got(year, { method: 'PUT' })],
      ['not of a GET with content', got(year, { ask: { 'content-length': '3' } })],
      ['not of a GET with chunks', got(year, { ask: { 'transfer-encoding': 'chunked' } })],
    ]),
    ['a query is part of the URL', year, get(1, {}, { url: 'http://cache.test/page?1' }), miss],
    ['a URL with a query is stored', got(year, queried), get(1, {}, queried), hit],
    ['the later one replaces', [year, got(year, { at: 5, body: 'new' })], 6, hitOf('new')],
    [
      'the later Date goes before the later arrival',
      [
        got(year, { at: 5, body: 'new', ask: { a: '1' } }),
        got({ ...year, vary: 'b', date: date(-3600) }, { at: 6, body: 'old' }),
      ],
      7,
      hitOf('new'),
    ],
  ]),
  ...section('RFC 9110 9.3.3 POST', [
    ['is not stored, as in browsers', got(located, { method: 'POST' }), 1, miss],
    ['is never answered', year, get(1, {}, { method: 'POST' }), miss],
  ]),
  ...section('RFC 9111 5.2.2.5 no-store', [
    ...refused([
      ['not stored', control('no-store', tag)],
      ['whatever else is said', 'max-age=60, no-store'],
      ['in any case', 'No-StOrE, max-age=60'],
      ['with an argument', 'no-store=1, max-age=60'],
      ['of the request (5.2.1.5)', got(year, { ask: noStore })],
    ]),
    ['what was stored before is outdated', [year, reload(noStore)], 6, miss],
    ...[404, 410, 302].map(
      (status): Row => [`a ${status} with it, too`, [year, reload(noStore, { status })], 6, miss],
    ),
    ['an error page outdates nothing', [year, reload(noStore, { status: 503 })], 6, hit],
    [
      'of a part, too',
      [year, reload({ ...noStore, 'content-range': 'bytes 0-9/10' }, aRange)],
      6,
      miss,
    ],
    [
      'of the caller outdates nothing',
      [year, got(year, { at: 5, ask: noStore, body: 'new' })],
      6,
      hitOf(content),
    ],
  ]),
  ...section('What is newer and not stored', [
    ['makes outdated what it would have replaced', [year, reload({})], 6, miss],
    ['also with Vary: *', [year, reload({ ...year, vary: '*' })], 6, miss],
    [
      'not another variant',
      [got({ ...year, vary: 'foo' }, { ask: { foo: '1' } }), got({}, { at: 5, ask: { foo: '2' } })],
      get(6, { foo: '1' }),
      hit,
    ],
    [
      'not a part that cannot be kept',
      [year, reload(year, { status: 206, ask: { range: 'bytes=0-1,3-4' } })],
      6,
      hit,
    ],
    ['not an error', [year, reload({}, { status: 500 })], 6, hit],
    ['not a demand for credentials', [year, reload({}, { status: 401 })], 6, hit],
  ]),
  ...section('RFC 9111 5.2.2.3 must-understand', [
    ['a known status: no-store does not count', `${understand}, no-store`, 1, hit],
    ['an unknown status: not stored', withStatus(599, understand), 1, miss],
    ['nor with no-store', withStatus(599, `${understand}, no-store`), 1, miss],
  ]),
  ...section('RFC 9111 5.2.2.7 private, private cache', [
    ['stored', 'private, max-age=60', 1, hit],
    ...keeping([
      ['its named fields', control('private="x-me", max-age=60', { 'x-me': '1' }), { 'x-me': '1' }],
    ]),
  ]),
  ...section('Authorization, private cache: stricter than RFC 9111 3.5', [
    ['for the same credentials', got(year, { ask: bearer }), get(1, bearer), hit],
    ['not for others', got(year, { ask: bearer }), get(1, another), miss],
    ['not for nobody', got(year, { ask: bearer }), 1, miss],
    ['what nobody got, not for somebody', year, get(1, bearer), miss],
    ['public: for all', got(control('public, max-age=60'), { ask: bearer }), 1, hit],
    [
      'others are not asked about',
      got({ ...year, ...tag }, { ask: bearer }),
      get(1, another),
      miss,
    ],
  ]),
  ...section('RFC 9111 3.1 fields that are kept', [
    ...keeping([
      ...['keep-alive', 'te', 'trailer', 'upgrade', 'transfer-encoding']
        .concat(['proxy-authenticate', 'proxy-authentication-info', 'proxy-authorization'])
        .concat('proxy-connection')
        .map((name): [string, Fields, Fields] => [
          `not ${name}`,
          { [name]: 'x' },
          { [name]: null },
        ]),
      [
        'not what Connection names',
        { connection: 'a, X-B', a: '1', 'x-b': '2', c: '3' },
        { connection: null, a: null, 'x-b': null, c: '3' },
      ],
      [
        'not what no-cache names',
        control('max-age=60, no-cache="x-a, X-B"', { 'x-a': '1', 'x-b': '2', 'x-c': '3' }),
        { 'x-a': null, 'x-b': null, 'x-c': '3' },
      ],
      ['unknown ones', ...twice({ 'x-new': '1', 'content-foo': '2' })],
      ['cookies, in a private cache', ...twice({ 'set-cookie': ['a=1', 'b=2'] })],
    ]),
    [
      'Connection cannot name Cache-Control away',
      control('max-age=1', { 'last-modified': date(-9_999), connection: 'cache-control' }),
      9,
      validate,
    ],
  ]),
  ...section('Fetch Standard 2.2.5 only-if-cached', [
    ['unavailable', {}, by('only-if-cached', 1), unavailable],
  ]),
];
