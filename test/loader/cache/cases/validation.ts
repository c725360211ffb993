// RFC 9111 3.2, 4.3; RFC 9110 8.8, 13.

import {
  type Case,
  content,
  date,
  get,
  got,
  hit,
  miss,
  type Row,
  section,
  validate,
} from './case.ts';

const stale = { 'cache-control': 'max-age=5' };
const fresh = { 'cache-control': 'max-age=60' };
const modified = { 'last-modified': date(-1000) };
const tag = { etag: '"a"' };
const asking = (conditions: Record<string, string>) => ({ ...validate, conditions });
/** A stored response that was validated at 10 s; the 304 brought these fields. */
const confirmed = (
  stored: Record<string, string | string[]>,
  news: Record<string, string | string[] | null>,
) => [got({ ...stale, ...stored }), got(news, { at: 10, status: 304, body: '' })];

export const validationCases: Case[] = [
  ...section('RFC 9111 4.3.1 conditions', [
    [
      'If-None-Match of the ETag',
      got({ ...stale, ...tag }),
      get(9),
      asking({ 'if-none-match': '"a"' }),
    ],
    [
      'a weak one too',
      got({ ...stale, etag: 'W/"a"' }),
      get(9),
      asking({ 'if-none-match': 'W/"a"' }),
    ],
    [
      'one without quotes as it came',
      got({ ...stale, etag: 'a' }),
      get(9),
      asking({ 'if-none-match': 'a' }),
    ],
    ['an empty one is none', got({ ...stale, etag: '' }), get(9), miss],
    ['two are none', got({ ...stale, etag: ['"a"', '"b"'] }), get(9), miss],
    ['junk is none', got({ ...stale, etag: '"a" "b"' }), get(9), miss],
    [
      'If-Modified-Since of Last-Modified, as it came',
      got({ ...stale, 'last-modified': 'Thu, 15 Jan 2015 12:00:00 gmt' }),
      get(9),
      asking({ 'if-modified-since': 'Thu, 15 Jan 2015 12:00:00 gmt' }),
    ],
    [
      'an invalid Last-Modified is none',
      got({ ...stale, 'last-modified': 'yesterday' }),
      get(9),
      miss,
    ],
    [
      'both where both are',
      got({ ...stale, ...tag, ...modified }),
      get(9),
      asking({ 'if-none-match': '"a"', 'if-modified-since': date(-1000) }),
    ],
    ['stale without a validator: asked anew', got(stale), get(9), miss],
    [
      'a stale 404 is validated too',
      got({ ...stale, ...tag }, { status: 404 }),
      get(9),
      asking({ 'if-none-match': '"a"' }),
    ],
    [
      'HEAD as well',
      got({ ...stale, ...tag }),
      get(9, {}, { method: 'HEAD' }),
      asking({ 'if-none-match': '"a"' }),
    ],
  ]),
  ...section('RFC 9111 3.2, 4.3.4 what a 304 changes', [
    ['fresh again', confirmed(tag, { ...stale, ...tag }), get(14), hit],
    ['for as long as the 304 says', confirmed(tag, { ...fresh, ...tag }), get(69), hit],
    ['counted from the 304', confirmed(tag, { ...stale, ...tag }), get(15), validate],
    [
      'fields it has are replaced',
      confirmed({ ...tag, 'X-a': 'old' }, { ...fresh, ...tag, 'x-A': 'new' }),
      get(11),
      { ...hit, fields: { 'x-a': 'new' } },
    ],
    [
      'fields it has not stay',
      confirmed({ ...tag, 'x-a': 'old' }, { ...fresh, ...tag }),
      get(11),
      { ...hit, fields: { 'x-a': 'old' } },
    ],
    [
      'fields it adds are there',
      confirmed(tag, { ...fresh, ...tag, 'x-b': '1' }),
      get(11),
      { ...hit, fields: { 'x-b': '1' } },
    ],
    [
      'all lines of a field are replaced',
      confirmed(
        { ...tag, 'set-cookie': ['a=1', 'b=2'] },
        { ...fresh, ...tag, 'set-cookie': 'c=3' },
      ),
      get(11),
      { ...hit, fields: { 'set-cookie': 'c=3' } },
    ],
    [
      'Date is the new one',
      confirmed(tag, { ...fresh, ...tag }),
      get(11),
      { ...hit, fields: { date: date(10) } },
    ],
    [
      'the old Age is gone',
      confirmed({ ...tag, age: '3' }, { ...fresh, ...tag }),
      get(11),
      { ...hit, fields: { age: '1' } },
    ],
    [
      'the body stays',
      confirmed(tag, { ...fresh, ...tag }),
      get(11),
      { ...hit, status: 200, body: content },
    ],
    [
      'what describes the body stays',
      confirmed(
        { ...tag, 'content-length': '10', 'content-encoding': 'gzip', 'content-md5': 'x' },
        { ...fresh, ...tag, 'content-length': '0', 'content-encoding': 'br', 'content-md5': 'y' },
      ),
      get(11),
      {
        ...hit,
        fields: { 'content-length': '10', 'content-encoding': 'gzip', 'content-md5': 'x' },
      },
    ],
    [
      'Content-Type and Content-Location change',
      confirmed(
        { ...tag, 'content-type': 'a/b' },
        { ...fresh, ...tag, 'content-type': 'c/d', 'content-location': '/x' },
      ),
      get(11),
      { ...hit, fields: { 'content-type': 'c/d', 'content-location': '/x' } },
    ],
    [
      'what is not stored is not taken over',
      confirmed({ ...tag, 'x-a': 'old' }, { ...fresh, ...tag, connection: 'x-a', 'x-a': 'new' }),
      get(11),
      { ...hit, fields: { connection: null, 'x-a': 'old' } },
    ],
    ['by Last-Modified', confirmed(modified, { ...fresh, ...modified }), get(11), hit],
    ['by nothing: about what was asked', confirmed(tag, fresh), get(11), hit],
    [
      'a weak ETag confirms a strong one',
      confirmed(tag, { ...fresh, etag: 'W/"a"' }),
      get(11),
      { ...hit, fields: { etag: '"a"' } },
    ],
    [
      'a strong ETag confirms a weak one: nginx compresses so',
      confirmed({ etag: 'W/"a"' }, { ...fresh, ...tag }),
      get(11),
      { ...hit, fields: { etag: 'W/"a"' } },
    ],
    [
      'another strong ETag freshens nothing',
      confirmed(tag, { ...fresh, etag: '"b"' }),
      get(11),
      { ...validate, conditions: { 'if-none-match': '"a"' } },
    ],
    [
      'another weak ETag freshens nothing',
      confirmed({ etag: 'W/"a"' }, { ...fresh, etag: 'W/"b"' }),
      get(11),
      validate,
    ],
    [
      'another Last-Modified freshens nothing',
      confirmed(modified, { ...fresh, 'last-modified': date(-9) }),
      get(11),
      validate,
    ],
    ['no-store: forgotten', confirmed(tag, { 'cache-control': 'no-store', ...tag }), get(11), miss],
    [
      'no-cache: validated from now on',
      confirmed(tag, { 'cache-control': 'no-cache', ...tag }),
      get(11),
      validate,
    ],
    [
      'Vary: stored under it',
      confirmed(tag, { ...fresh, ...tag, vary: 'foo' }),
      get(11, { foo: '1' }),
      miss,
    ],
    ['Vary: *: forgotten', confirmed(tag, { ...fresh, ...tag, vary: '*' }), get(11), miss],
    [
      'a full response replaces it',
      [got({ ...stale, ...tag }), got({ ...fresh, etag: '"b"' }, { at: 10, body: 'new' })],
      get(11),
      { ...hit, body: 'new' },
    ],
    [
      'a 5xx leaves it as it is',
      [got({ ...stale, ...tag }), got({ 'cache-control': 'no-store' }, { at: 10, status: 503 })],
      get(11),
      asking({ 'if-none-match': '"a"' }),
    ],
  ]),
  ...section("RFC 9110 13 conditions of the caller are the server's", [
    ...['if-none-match', 'if-modified-since', 'if-match', 'if-unmodified-since', 'if-range'].map(
      (name): Row => [name, got({ ...fresh, ...tag }), get(1, { [name]: '"a"' }), miss],
    ),
    [
      'their 304 is no response to store',
      got({ ...fresh, ...tag }, { status: 304, ask: { 'if-none-match': '"a"' } }),
      get(1),
      miss,
    ],
    [
      'their 200 is stored',
      got({ ...fresh, ...tag }, { ask: { 'if-none-match': '"z"' } }),
      get(1),
      hit,
    ],
    ['GET with content is passed on', got(fresh), get(1, { 'content-length': '3' }), miss],
  ]),
];
