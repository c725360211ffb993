// RFC 9111 3, 3.1, 3.5, 5.2.2; RFC 9110 9.3.3; RFC 6585.

import {
  by,
  type Case,
  content,
  control,
  date,
  type Fields,
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
const bearer = { authorization: 'Bearer one' };
const withStatus = (status: number, cacheControl = 'max-age=60') =>
  got({ 'cache-control': cacheControl }, { status });

const reload = (fields: Fields, more: Parameters<typeof got>[1] = {}) =>
  got(fields, { at: 5, mode: 'reload', ...more });

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
    ['a status without default, and no lifetime', got(tag, { status: 302 }), 1, miss],
    ['private is meant to be stored', got(control('private', tag), { status: 302 }), 1, validate],
    ['1xx is no final response', withStatus(103), 1, miss],
    ['HEAD has no body to store', got(year, { method: 'HEAD' }), 1, miss],
    ['OPTIONS is not stored', got(year, { method: 'OPTIONS' }), 1, miss],
    ['PUT is not stored', got(year, { method: 'PUT' }), 1, miss],
    ['a GET with content is not stored', got(year, { ask: { 'content-length': '3' } }), 1, miss],
    [
      'a GET with chunks is not stored',
      got(year, { ask: { 'transfer-encoding': 'chunked' } }),
      1,
      miss,
    ],
    ['a query is part of the URL', year, get(1, {}, { url: 'http://cache.test/page?1' }), miss],
    [
      'a URL with a query is stored',
      got(year, { url: 'http://cache.test/?q' }),
      get(1, {}, { url: 'http://cache.test/?q' }),
      hit,
    ],
    [
      'the later one replaces the earlier',
      [got(year), got(year, { at: 5, body: 'new' })],
      6,
      hitOf('new'),
    ],
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
    [
      'is not stored, as in browsers',
      got({ ...year, 'content-location': 'http://cache.test/page' }, { method: 'POST' }),
      1,
      miss,
    ],
    ['is never answered', year, get(1, {}, { method: 'POST' }), miss],
  ]),
  ...section('RFC 9111 5.2.2.5 no-store', [
    ['not stored', control('no-store', tag), 1, miss],
    ['whatever else is said', 'max-age=60, no-store', 1, miss],
    ['in any case', 'No-StOrE, max-age=60', 1, miss],
    ['with an argument', 'no-store=1, max-age=60', 1, miss],
    ['of the request (5.2.1.5)', got(year, { ask: { 'cache-control': 'no-store' } }), 1, miss],
    ['what was stored before is outdated', [got(year), reload(control('no-store'))], 6, miss],
    ...[404, 410, 302].map(
      (status): Row => [
        `a ${status} with it, too`,
        [got(year), reload(control('no-store'), { status })],
        6,
        miss,
      ],
    ),
    [
      'an error page with it outdates nothing',
      [got(year), reload(control('no-store'), { status: 503 })],
      6,
      hit,
    ],
    [
      'of a part, too',
      [
        got(year),
        reload(control('no-store', { 'content-range': 'bytes 0-9/10' }), {
          status: 206,
          ask: { range: 'bytes=0-9' },
        }),
      ],
      6,
      miss,
    ],
    [
      'of the caller outdates nothing',
      [got(year), got(year, { at: 5, ask: { 'cache-control': 'no-store' }, body: 'new' })],
      6,
      hitOf(content),
    ],
  ]),
  ...section('What is newer and not stored', [
    ['makes outdated what it would have replaced', [got(year), reload({})], 6, miss],
    ['also with Vary: *', [got(year), reload({ ...year, vary: '*' })], 6, miss],
    [
      'not another variant',
      [got({ ...year, vary: 'foo' }, { ask: { foo: '1' } }), got({}, { at: 5, ask: { foo: '2' } })],
      get(6, { foo: '1' }),
      hit,
    ],
    [
      'not a part that cannot be kept',
      [got(year), reload(year, { status: 206, ask: { range: 'bytes=0-1,3-4' } })],
      6,
      hit,
    ],
    ['not an error', [got(year), reload({}, { status: 500 })], 6, hit],
    ['not a demand for credentials', [got(year), reload({}, { status: 401 })], 6, hit],
  ]),
  ...section('RFC 9111 5.2.2.3 must-understand', [
    [
      'a known status: no-store does not count',
      withStatus(200, 'must-understand, no-store, max-age=60'),
      1,
      hit,
    ],
    ['an unknown status: not stored', withStatus(599, 'must-understand, max-age=60'), 1, miss],
    [
      'an unknown status with no-store',
      withStatus(599, 'must-understand, no-store, max-age=60'),
      1,
      miss,
    ],
  ]),
  ...section('RFC 9111 5.2.2.7 private, private cache', [
    ['stored', 'private, max-age=60', 1, hit],
    [
      'its named fields too',
      control('private="x-me", max-age=60', { 'x-me': '1' }),
      1,
      hitWith({ 'x-me': '1' }),
    ],
  ]),
  ...section('Authorization, private cache: stricter than RFC 9111 3.5', [
    ['for the same credentials', got(year, { ask: bearer }), get(1, bearer), hit],
    ['not for others', got(year, { ask: bearer }), get(1, { authorization: 'Bearer two' }), miss],
    ['not for nobody', got(year, { ask: bearer }), 1, miss],
    ['what nobody got, not for somebody', year, get(1, bearer), miss],
    ['public: for all', got(control('public, max-age=60'), { ask: bearer }), 1, hit],
    [
      'others are not asked about',
      got({ ...year, ...tag }, { ask: bearer }),
      get(1, { authorization: 'Bearer two' }),
      miss,
    ],
  ]),
  ...section('RFC 9111 3.1 fields', [
    ...['keep-alive', 'te', 'trailer', 'upgrade', 'transfer-encoding']
      .concat(['proxy-authenticate', 'proxy-authentication-info', 'proxy-authorization'])
      .concat('proxy-connection')
      .map(
        (name): Row => [
          `${name} is not kept`,
          { ...year, [name]: 'x' },
          1,
          hitWith({ [name]: null }),
        ],
      ),
    [
      'nor what Connection names',
      { ...year, connection: 'a, X-B', a: '1', 'x-b': '2', c: '3' },
      1,
      hitWith({ connection: null, a: null, 'x-b': null, c: '3' }),
    ],
    [
      'named by no-cache',
      control('max-age=60, no-cache="x-a, X-B"', { 'x-a': '1', 'x-b': '2', 'x-c': '3' }),
      1,
      hitWith({ 'x-a': null, 'x-b': null, 'x-c': '3' }),
    ],
    [
      'unknown ones are kept',
      { ...year, 'x-new': '1', 'content-foo': '2' },
      1,
      hitWith({ 'x-new': '1', 'content-foo': '2' }),
    ],
    [
      'Connection cannot name Cache-Control away',
      control('max-age=1', { 'last-modified': date(-9_999), connection: 'cache-control' }),
      9,
      validate,
    ],
    [
      'a private cache keeps cookies',
      { ...year, 'set-cookie': ['a=1', 'b=2'] },
      1,
      hitWith({ 'set-cookie': ['a=1', 'b=2'] }),
    ],
  ]),
  ...section('Fetch Standard 2.2.5 only-if-cached', [
    ['unavailable', {}, by('only-if-cached', 1), unavailable],
  ]),
];
