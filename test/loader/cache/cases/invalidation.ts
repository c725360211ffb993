// RFC 9111 4.3.5, 4.4; RFC 9110 9.2.1, 9.3.2.

import {
  type Case,
  content,
  control,
  date,
  type Expected,
  type Fields,
  get,
  got,
  hit,
  hitOf,
  hitWith,
  miss,
  type Row,
  section,
  validate,
} from './case.ts';

const year = { 'cache-control': 'max-age=31536000' };
const stale = { 'cache-control': 'max-age=5' };
const tag = { etag: '"a"' };
const modified = { 'last-modified': date(-9_999) };
const old = { ...stale, ...tag };
const variant = got({ ...old, vary: 'foo' }, { ask: { foo: '1' } });
const stored = got({ ...year, ...tag });
const sent = (method: string, fields: Record<string, string> = {}, status = 200) =>
  got(fields, { at: 1, method, status });
const head = (fields: Fields, status = 200) =>
  got(fields, { at: 10, method: 'HEAD', status, body: '' });
const varying = head({ ...year, ...tag, vary: 'foo' });

/** Whether what is stored at a URL of this origin is still used after a request for `url`. */
const elsewhere = (rows: [string, Expected, ReturnType<typeof sent>, origin?: string][]): Row[] =>
  rows.map(([name, expected, unsafe, origin = 'http://cache.test']) => {
    const at = { url: `${origin}/a` };
    return [name, [got(year, at), unsafe], get(2, {}, at), expected];
  });
/** What a POST made of this place does to it. */
const leadingTo = (origin: string) => [sent('POST', { location: `${origin}/a` }), origin] as const;

export const invalidationCases: Case[] = [
  ...section('RFC 9111 4.4 unsafe methods', [
    ...['POST', 'PUT', 'DELETE', 'PATCH', 'M-SEARCH', 'UNHEARD-OF'].map(
      (method): Row => [`${method} makes its URL outdated`, [stored, sent(method)], 2, miss],
    ),
    ...['HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'].map(
      (method): Row => [`${method} does not`, [stored, sent(method, tag)], 2, hit],
    ),
    ['a redirect is no error', [stored, sent('POST', {}, 303)], 2, miss],
    ['4xx is one', [stored, sent('POST', {}, 404)], 2, hit],
    ['5xx is one', [stored, sent('POST', {}, 500)], 2, hit],
    ...elsewhere([
      ['Location', miss, sent('POST', { location: '/a' })],
      ['a relative Location, and its fragment', miss, sent('POST', { location: 'a#b' })],
      ['Content-Location', miss, sent('PUT', { 'content-location': 'http://cache.test/a' })],
      ['not at another host', hit, ...leadingTo('http://other.test')],
      ['not at another port', hit, ...leadingTo('http://cache.test:81')],
      ['not by another scheme', hit, ...leadingTo('https://cache.test')],
      ['Location after GET does not count', hit, sent('GET', { location: '/a' }, 302)],
      ['other URLs stay', hit, sent('POST')],
    ]),
    ['an invalid Location is nowhere', [stored, sent('POST', { location: 'http://[' })], 2, miss],
    ['all variants', [variant, sent('POST')], get(2, { foo: '1' }), miss],
  ]),
  ...section('RFC 9111 4.3.5 HEAD', [
    [
      'is answered by a stored GET, without body',
      stored,
      get(2, {}, { method: 'HEAD' }),
      { ...hit, status: 200, body: '', fields: { etag: '"a"' } },
    ],
    ['freshens what it describes', [old, head({ ...year, ...tag })], 11, hitOf(content)],
    [
      'changes its fields',
      [{ ...old, 'x-a': '1' }, head({ ...year, ...tag, 'x-a': '2' })],
      11,
      hitWith({ 'x-a': '2' }),
    ],
    ['another ETag: outdated', [stored, head({ ...year, etag: '"b"' })], 11, miss],
    ['another Last-Modified: outdated', [stored, head({ ...year, ...modified })], 11, miss],
    ['another length: outdated', [stored, head({ ...tag, 'content-length': '11' })], 11, miss],
    ['the same length: kept', [stored, head({ ...tag, 'content-length': '10' })], 11, hit],
    ['only 200 counts', [old, head({ ...year, ...tag }, 410)], 11, validate],
    ["nor does it make that one's its own", [variant, varying], 11, miss],
    ['a stored 404 is outdated by its 200', [got(year, { status: 404 }), head(year)], 11, miss],
    [
      'the same Last-Modified: kept',
      [{ ...stale, ...modified }, head({ ...year, ...modified })],
      11,
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
    ['only for requests it would have chosen', [variant, varying], get(11, { foo: '1' }), validate],
    ['no-store: forgotten', [stored, head(control('no-store', tag))], 11, miss],
  ]),
];
