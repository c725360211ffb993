// RFC 9111 3, 3.1, 3.5, 5.2.2; RFC 9110 9.3.3; RFC 6585.

import { type Case, content, get, got, hit, miss, section, unavailable, validate } from './case.ts';

const year = { 'cache-control': 'max-age=31536000' };
const tag = { etag: '"a"' };
const bearer = { authorization: 'Bearer one' };
const withStatus = (status: number, cacheControl = 'max-age=60') =>
  got({ 'cache-control': cacheControl }, { status });

export const storingCases: Case[] = [
  ...section('RFC 9111 3 which responses', [
    ...[
      200, 203, 204, 299, 300, 301, 302, 303, 307, 308, 400, 403, 404, 405, 410, 414, 451, 500, 501,
      503, 504, 599,
    ].map((status): [string, ReturnType<typeof got>, ReturnType<typeof get>, typeof hit] => [
      `${status} with a lifetime`,
      withStatus(status),
      get(1),
      { ...hit, status },
    ]),
    ...[304, 401, 407, 412, 416, 417, 428, 429, 431, 511].map(
      (status): [string, ReturnType<typeof got>, ReturnType<typeof get>, typeof miss] => [
        `${status} is about its request: not kept`,
        withStatus(status),
        get(1),
        miss,
      ],
    ),
    ['an ETag alone is enough', got(tag), get(1), validate],
    [
      'Last-Modified alone is enough',
      got({ 'last-modified': 'Thu, 15 Jan 2026 12:00:00 GMT' }),
      get(1),
      validate,
    ],
    [
      'neither lifetime nor validator: of no use',
      got({}),
      get(0, {}, { mode: 'force-cache' }),
      miss,
    ],
    ['a status without default, and no lifetime', got(tag, { status: 302 }), get(1), miss],
    [
      'private is meant to be stored',
      got({ 'cache-control': 'private', ...tag }, { status: 302 }),
      get(1),
      validate,
    ],
    ['1xx is no final response', withStatus(103), get(1), miss],
    ['HEAD has no body to store', got(year, { method: 'HEAD' }), get(1), miss],
    ['OPTIONS is not stored', got(year, { method: 'OPTIONS' }), get(1), miss],
    ['PUT is not stored', got(year, { method: 'PUT' }), get(1), miss],
    [
      'a GET with content is not stored',
      got(year, { ask: { 'content-length': '3' } }),
      get(1),
      miss,
    ],
    [
      'a GET with chunks is not stored',
      got(year, { ask: { 'transfer-encoding': 'chunked' } }),
      get(1),
      miss,
    ],
    [
      'a query is part of the URL',
      got(year),
      get(1, {}, { url: 'http://cache.test/page?1' }),
      miss,
    ],
    [
      'a URL with a query is stored',
      got(year, { url: 'http://cache.test/?q' }),
      get(1, {}, { url: 'http://cache.test/?q' }),
      hit,
    ],
    [
      'the later one replaces the earlier',
      [got(year), got(year, { at: 5, body: 'new' })],
      get(6),
      { ...hit, body: 'new' },
    ],
    [
      'the later Date goes before the later arrival',
      [
        got(year, { at: 5, body: 'new', ask: { a: '1' } }),
        got({ ...year, vary: 'b', date: 'Thu, 15 Jan 2026 11:00:00 GMT' }, { at: 6, body: 'old' }),
      ],
      get(7),
      { ...hit, body: 'new' },
    ],
  ]),
  ...section('RFC 9110 9.3.3 POST', [
    [
      'is not stored, as in browsers',
      got({ ...year, 'content-location': 'http://cache.test/page' }, { method: 'POST' }),
      get(1),
      miss,
    ],
    ['is never answered', got(year), get(1, {}, { method: 'POST' }), miss],
  ]),
  ...section('RFC 9111 5.2.2.5 no-store', [
    ['not stored', got({ 'cache-control': 'no-store', ...tag }), get(1), miss],
    ['whatever else is said', got({ 'cache-control': 'max-age=60, no-store' }), get(1), miss],
    ['in any case', got({ 'cache-control': 'No-StOrE, max-age=60' }), get(1), miss],
    ['with an argument', got({ 'cache-control': 'no-store=1, max-age=60' }), get(1), miss],
    ['of the request (5.2.1.5)', got(year, { ask: { 'cache-control': 'no-store' } }), get(1), miss],
    [
      'what was stored before is outdated',
      [got(year), got({ 'cache-control': 'no-store' }, { at: 5, mode: 'reload' })],
      get(6),
      miss,
    ],
    ...[404, 410, 302].map(
      (status): [string, ReturnType<typeof got>[], ReturnType<typeof get>, typeof miss] => [
        `a ${status} with it, too`,
        [got(year), got({ 'cache-control': 'no-store' }, { at: 5, mode: 'reload', status })],
        get(6),
        miss,
      ],
    ),
    [
      'an error page with it outdates nothing',
      [got(year), got({ 'cache-control': 'no-store' }, { at: 5, mode: 'reload', status: 503 })],
      get(6),
      hit,
    ],
    [
      'of a part, too',
      [
        got(year),
        got(
          { 'cache-control': 'no-store', 'content-range': 'bytes 0-9/10' },
          { at: 5, mode: 'reload', status: 206, ask: { range: 'bytes=0-9' } },
        ),
      ],
      get(6),
      miss,
    ],
    [
      'of the caller outdates nothing',
      [got(year), got(year, { at: 5, ask: { 'cache-control': 'no-store' }, body: 'new' })],
      get(6),
      { ...hit, body: content },
    ],
  ]),
  ...section('What is newer and not stored', [
    [
      'makes outdated what it would have replaced',
      [got(year), got({}, { at: 5, mode: 'reload' })],
      get(6),
      miss,
    ],
    [
      'also with Vary: *',
      [got(year), got({ ...year, vary: '*' }, { at: 5, mode: 'reload' })],
      get(6),
      miss,
    ],
    [
      'not another variant',
      [got({ ...year, vary: 'foo' }, { ask: { foo: '1' } }), got({}, { at: 5, ask: { foo: '2' } })],
      get(6, { foo: '1' }),
      hit,
    ],
    [
      'not a part that cannot be kept',
      [
        got(year),
        got(year, { at: 5, mode: 'reload', status: 206, ask: { range: 'bytes=0-1,3-4' } }),
      ],
      get(6),
      hit,
    ],
    ['not an error', [got(year), got({}, { at: 5, mode: 'reload', status: 500 })], get(6), hit],
    [
      'not a demand for credentials',
      [got(year), got({}, { at: 5, mode: 'reload', status: 401 })],
      get(6),
      hit,
    ],
  ]),
  ...section('RFC 9111 5.2.2.3 must-understand', [
    [
      'a known status: no-store does not count',
      withStatus(200, 'must-understand, no-store, max-age=60'),
      get(1),
      hit,
    ],
    ['an unknown status: not stored', withStatus(599, 'must-understand, max-age=60'), get(1), miss],
    [
      'an unknown status with no-store',
      withStatus(599, 'must-understand, no-store, max-age=60'),
      get(1),
      miss,
    ],
  ]),
  ...section('RFC 9111 5.2.2.7 private, private cache', [
    ['stored', got({ 'cache-control': 'private, max-age=60' }), get(1), hit],
    [
      'its named fields too',
      got({ 'cache-control': 'private="x-me", max-age=60', 'x-me': '1' }),
      get(1),
      { ...hit, fields: { 'x-me': '1' } },
    ],
  ]),
  ...section('Authorization, private cache: stricter than RFC 9111 3.5', [
    ['for the same credentials', got(year, { ask: bearer }), get(1, bearer), hit],
    ['not for others', got(year, { ask: bearer }), get(1, { authorization: 'Bearer two' }), miss],
    ['not for nobody', got(year, { ask: bearer }), get(1), miss],
    ['what nobody got, not for somebody', got(year), get(1, bearer), miss],
    [
      'public: for all',
      got({ 'cache-control': 'public, max-age=60' }, { ask: bearer }),
      get(1),
      hit,
    ],
    [
      'others are not asked about',
      got({ ...year, ...tag }, { ask: bearer }),
      get(1, { authorization: 'Bearer two' }),
      miss,
    ],
  ]),
  ...section('RFC 9111 3.1 fields', [
    [
      'about the connection',
      got({
        ...year,
        connection: 'a, X-B',
        a: '1',
        'x-b': '2',
        c: '3',
        'keep-alive': '5',
        te: 'x',
        trailer: 'x',
        upgrade: 'x',
        'transfer-encoding': 'chunked',
      }),
      get(1),
      {
        ...hit,
        fields: {
          connection: null,
          a: null,
          'x-b': null,
          c: '3',
          'keep-alive': null,
          te: null,
          trailer: null,
          upgrade: null,
          'transfer-encoding': null,
        },
      },
    ],
    [
      'about the proxy',
      got({
        ...year,
        'proxy-authenticate': 'x',
        'proxy-authentication-info': 'x',
        'proxy-authorization': 'x',
        'proxy-connection': 'x',
      }),
      get(1),
      {
        ...hit,
        fields: {
          'proxy-authenticate': null,
          'proxy-authentication-info': null,
          'proxy-authorization': null,
          'proxy-connection': null,
        },
      },
    ],
    [
      'named by no-cache',
      got({
        'cache-control': 'max-age=60, no-cache="x-a, X-B"',
        'x-a': '1',
        'x-b': '2',
        'x-c': '3',
      }),
      get(1),
      { ...hit, fields: { 'x-a': null, 'x-b': null, 'x-c': '3' } },
    ],
    [
      'unknown ones are kept',
      got({ ...year, 'x-new': '1', 'content-foo': '2' }),
      get(1),
      { ...hit, fields: { 'x-new': '1', 'content-foo': '2' } },
    ],
    [
      'Connection cannot name Cache-Control away',
      got({
        'cache-control': 'max-age=1',
        'last-modified': 'Thu, 15 Jan 2015 12:00:00 GMT',
        connection: 'cache-control',
      }),
      get(9),
      validate,
    ],
    [
      'a private cache keeps cookies',
      got({ ...year, 'set-cookie': ['a=1', 'b=2'] }),
      get(1),
      { ...hit, fields: { 'set-cookie': ['a=1', 'b=2'] } },
    ],
  ]),
  ...section('Fetch Standard 2.2.5 only-if-cached', [
    ['unavailable', got({}), get(1, {}, { mode: 'only-if-cached' }), unavailable],
  ]),
];
