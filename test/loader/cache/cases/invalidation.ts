// RFC 9111 4.3.5, 4.4; RFC 9110 9.2.1, 9.3.2.

import { type Case, content, get, got, hit, miss, section, validate } from './case.ts';

const year = { 'cache-control': 'max-age=31536000' };
const stale = { 'cache-control': 'max-age=5' };
const tag = { etag: '"a"' };
const stored = got({ ...year, ...tag });
const other = (url: string) => got(year, { url });
const sent = (method: string, fields: Record<string, string> = {}, status = 200) =>
  got(fields, { at: 1, method, status });
const head = (fields: Record<string, string>, status = 200) =>
  got(fields, { at: 10, method: 'HEAD', status, body: '' });

export const invalidationCases: Case[] = [
  ...section('RFC 9111 4.4 unsafe methods', [
    ...['POST', 'PUT', 'DELETE', 'PATCH', 'M-SEARCH', 'UNHEARD-OF'].map(
      (method): [string, ReturnType<typeof got>[], ReturnType<typeof get>, typeof miss] => [
        `${method} makes its URL outdated`,
        [stored, sent(method)],
        get(2),
        miss,
      ],
    ),
    ...['HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'].map(
      (method): [string, ReturnType<typeof got>[], ReturnType<typeof get>, typeof hit] => [
        `${method} does not`,
        [stored, sent(method, tag)],
        get(2),
        hit,
      ],
    ),
    ['a redirect is no error', [stored, sent('POST', {}, 303)], get(2), miss],
    ['4xx is one', [stored, sent('POST', {}, 404)], get(2), hit],
    ['5xx is one', [stored, sent('POST', {}, 500)], get(2), hit],
    [
      'Location',
      [other('http://cache.test/a'), sent('POST', { location: '/a' })],
      get(2, {}, { url: 'http://cache.test/a' }),
      miss,
    ],
    [
      'a relative Location, and its fragment',
      [other('http://cache.test/a'), sent('POST', { location: 'a#b' })],
      get(2, {}, { url: 'http://cache.test/a' }),
      miss,
    ],
    [
      'Content-Location',
      [other('http://cache.test/a'), sent('PUT', { 'content-location': 'http://cache.test/a' })],
      get(2, {}, { url: 'http://cache.test/a' }),
      miss,
    ],
    [
      'not at another host',
      [other('http://other.test/a'), sent('POST', { location: 'http://other.test/a' })],
      get(2, {}, { url: 'http://other.test/a' }),
      hit,
    ],
    [
      'not at another port',
      [other('http://cache.test:81/a'), sent('POST', { location: 'http://cache.test:81/a' })],
      get(2, {}, { url: 'http://cache.test:81/a' }),
      hit,
    ],
    [
      'not by another scheme',
      [other('https://cache.test/a'), sent('POST', { location: 'https://cache.test/a' })],
      get(2, {}, { url: 'https://cache.test/a' }),
      hit,
    ],
    [
      'an invalid Location is nowhere',
      [stored, got({ location: 'http://[' }, { at: 1, method: 'POST' })],
      get(2),
      miss,
    ],
    [
      'Location after GET does not count',
      [other('http://cache.test/a'), sent('GET', { location: '/a' }, 302)],
      get(2, {}, { url: 'http://cache.test/a' }),
      hit,
    ],
    [
      'other URLs stay',
      [other('http://cache.test/a'), sent('POST')],
      get(2, {}, { url: 'http://cache.test/a' }),
      hit,
    ],
    [
      'all variants',
      [got({ ...year, vary: 'foo' }, { ask: { foo: '1' } }), sent('POST')],
      get(2, { foo: '1' }),
      miss,
    ],
  ]),
  ...section('RFC 9111 4.3.5 HEAD', [
    [
      'is answered by a stored GET, without body',
      stored,
      get(2, {}, { method: 'HEAD' }),
      { ...hit, status: 200, body: '', fields: { etag: '"a"' } },
    ],
    [
      'freshens what it describes',
      [got({ ...stale, ...tag }), head({ ...year, ...tag })],
      get(11),
      { ...hit, body: content },
    ],
    [
      'changes its fields',
      [got({ ...stale, ...tag, 'x-a': '1' }), head({ ...year, ...tag, 'x-a': '2' })],
      get(11),
      { ...hit, fields: { 'x-a': '2' } },
    ],
    ['another ETag: outdated', [stored, head({ ...year, etag: '"b"' })], get(11), miss],
    [
      'another Last-Modified: outdated',
      [stored, head({ ...year, 'last-modified': 'Thu, 15 Jan 2015 12:00:00 GMT' })],
      get(11),
      miss,
    ],
    ['another length: outdated', [stored, head({ ...tag, 'content-length': '11' })], get(11), miss],
    ['the same length: kept', [stored, head({ ...tag, 'content-length': '10' })], get(11), hit],
    [
      'only 200 counts',
      [got({ ...stale, ...tag }), head({ ...year, ...tag }, 410)],
      get(11),
      validate,
    ],
    [
      "nor does it make that one's its own",
      [
        got({ ...stale, ...tag, vary: 'foo' }, { ask: { foo: '1' } }),
        head({ ...year, ...tag, vary: 'foo' }),
      ],
      get(11),
      miss,
    ],
    [
      'a stored 404 is outdated by its 200',
      [got(year, { status: 404 }), head(year)],
      get(11),
      miss,
    ],
    [
      'the same Last-Modified: kept',
      [
        got({ ...stale, 'last-modified': 'Thu, 15 Jan 2015 12:00:00 GMT' }),
        head({ ...year, 'last-modified': 'Thu, 15 Jan 2015 12:00:00 GMT' }),
      ],
      get(11),
      hit,
    ],
    [
      'of a part, the length is that of the whole',
      [
        got(
          { ...year, ...tag, 'content-range': 'bytes 0-9/20' },
          { status: 206, ask: { range: 'bytes=0-9' } },
        ),
        head({ ...tag, 'content-length': '20' }),
      ],
      get(11, { range: 'bytes=0-1' }),
      hit,
    ],
    [
      'only for requests it would have chosen',
      [
        got({ ...stale, ...tag, vary: 'foo' }, { ask: { foo: '1' } }),
        head({ ...year, ...tag, vary: 'foo' }),
      ],
      get(11, { foo: '1' }),
      validate,
    ],
    ['no-store: forgotten', [stored, head({ 'cache-control': 'no-store', ...tag })], get(11), miss],
  ]),
];
