// RFC 9111 3.2, 4.3; RFC 9110 8.8, 13.

import {
  type Case,
  content,
  control,
  date,
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

const stale = { 'cache-control': 'max-age=5' };
const fresh = { 'cache-control': 'max-age=60' };
const modified = { 'last-modified': date(-1000) };
const tag = { etag: '"a"' };
const again = { ...fresh, ...tag };
const old = { ...stale, ...tag };
const asking = (conditions: Record<string, string>) => ({ ...validate, conditions });
const byTag = asking({ 'if-none-match': '"a"' });
/** A stored response that was validated at 10 s; the 304 brought these fields. */
const confirmed = (
  stored: Record<string, string | string[]>,
  news: Record<string, string | string[] | null>,
) => [got({ ...stale, ...stored }), got(news, { at: 10, status: 304, body: '' })];

export const validationCases: Case[] = [
  ...section('RFC 9111 4.3.1 conditions', [
    ['If-None-Match of the ETag', old, 9, byTag],
    ['a weak one too', { ...stale, etag: 'W/"a"' }, 9, asking({ 'if-none-match': 'W/"a"' })],
    ['one without quotes as it came', { ...stale, etag: 'a' }, 9, asking({ 'if-none-match': 'a' })],
    ['an empty one is none', { ...stale, etag: '' }, 9, miss],
    ['two are none', { ...stale, etag: ['"a"', '"b"'] }, 9, miss],
    ['junk is none', { ...stale, etag: '"a" "b"' }, 9, miss],
    [
      'If-Modified-Since of Last-Modified, as it came',
      { ...stale, 'last-modified': 'Thu, 15 Jan 2015 12:00:00 gmt' },
      9,
      asking({ 'if-modified-since': 'Thu, 15 Jan 2015 12:00:00 gmt' }),
    ],
    ['an invalid Last-Modified is none', { ...stale, 'last-modified': 'yesterday' }, 9, miss],
    [
      'both where both are',
      { ...stale, ...tag, ...modified },
      9,
      asking({ 'if-none-match': '"a"', 'if-modified-since': date(-1000) }),
    ],
    ['stale without a validator: asked anew', stale, 9, miss],
    ['a stale 404 is validated too', got(old, { status: 404 }), 9, byTag],
    ['HEAD as well', old, get(9, {}, { method: 'HEAD' }), byTag],
  ]),
  ...section('RFC 9111 3.2, 4.3.4 what a 304 changes', [
    ['fresh again', confirmed(tag, old), 14, hit],
    ['for as long as the 304 says', confirmed(tag, again), 69, hit],
    ['counted from the 304', confirmed(tag, old), 15, validate],
    [
      'fields it has are replaced',
      confirmed({ ...tag, 'X-a': 'old' }, { ...again, 'x-A': 'new' }),
      11,
      hitWith({ 'x-a': 'new' }),
    ],
    [
      'fields it has not stay',
      confirmed({ ...tag, 'x-a': 'old' }, again),
      11,
      hitWith({ 'x-a': 'old' }),
    ],
    [
      'fields it adds are there',
      confirmed(tag, { ...again, 'x-b': '1' }),
      11,
      hitWith({ 'x-b': '1' }),
    ],
    [
      'all lines of a field are replaced',
      confirmed({ ...tag, 'set-cookie': ['a=1', 'b=2'] }, { ...again, 'set-cookie': 'c=3' }),
      11,
      hitWith({ 'set-cookie': 'c=3' }),
    ],
    ['Date is the new one', confirmed(tag, again), 11, hitWith({ date: date(10) })],
    ['the old Age is gone', confirmed({ ...tag, age: '3' }, again), 11, hitWith({ age: '1' })],
    ['the body stays', confirmed(tag, again), 11, { ...hit, status: 200, body: content }],
    [
      'what describes the body stays',
      confirmed(
        { ...tag, 'content-length': '10', 'content-encoding': 'gzip', 'content-md5': 'x' },
        { ...again, 'content-length': '0', 'content-encoding': 'br', 'content-md5': 'y' },
      ),
      11,
      hitWith({ 'content-length': '10', 'content-encoding': 'gzip', 'content-md5': 'x' }),
    ],
    [
      'Content-Type and Content-Location change',
      confirmed(
        { ...tag, 'content-type': 'a/b' },
        { ...again, 'content-type': 'c/d', 'content-location': '/x' },
      ),
      11,
      hitWith({ 'content-type': 'c/d', 'content-location': '/x' }),
    ],
    [
      'what is not stored is not taken over',
      confirmed({ ...tag, 'x-a': 'old' }, { ...again, connection: 'x-a', 'x-a': 'new' }),
      11,
      hitWith({ connection: null, 'x-a': 'old' }),
    ],
    ['by Last-Modified', confirmed(modified, { ...fresh, ...modified }), 11, hit],
    ['by nothing: about what was asked', confirmed(tag, fresh), 11, hit],
    [
      'a weak ETag confirms a strong one',
      confirmed(tag, { ...fresh, etag: 'W/"a"' }),
      11,
      hitWith({ etag: '"a"' }),
    ],
    [
      'a strong ETag confirms a weak one: nginx compresses so',
      confirmed({ etag: 'W/"a"' }, again),
      11,
      hitWith({ etag: 'W/"a"' }),
    ],
    ['another strong ETag freshens nothing', confirmed(tag, { ...fresh, etag: '"b"' }), 11, byTag],
    [
      'another weak ETag freshens nothing',
      confirmed({ etag: 'W/"a"' }, { ...fresh, etag: 'W/"b"' }),
      11,
      validate,
    ],
    [
      'another Last-Modified freshens nothing',
      confirmed(modified, { ...fresh, 'last-modified': date(-9) }),
      11,
      validate,
    ],
    ['no-store: forgotten', confirmed(tag, control('no-store', tag)), 11, miss],
    ['no-cache: validated from now on', confirmed(tag, control('no-cache', tag)), 11, validate],
    [
      'Vary: stored under it',
      confirmed(tag, { ...again, vary: 'foo' }),
      get(11, { foo: '1' }),
      miss,
    ],
    ['Vary: *: forgotten', confirmed(tag, { ...again, vary: '*' }), 11, miss],
    [
      'a full response replaces it',
      [got(old), got({ ...fresh, etag: '"b"' }, { at: 10, body: 'new' })],
      11,
      hitOf('new'),
    ],
    [
      'a 5xx leaves it as it is',
      [got(old), got(control('no-store'), { at: 10, status: 503 })],
      11,
      byTag,
    ],
  ]),
  ...section("RFC 9110 13 conditions of the caller are the server's", [
    ...['if-none-match', 'if-modified-since', 'if-match', 'if-unmodified-since', 'if-range'].map(
      (name): Row => [name, got(again), get(1, { [name]: '"a"' }), miss],
    ),
    [
      'their 304 is no response to store',
      got(again, { status: 304, ask: { 'if-none-match': '"a"' } }),
      1,
      miss,
    ],
    ['their 200 is stored', got(again, { ask: { 'if-none-match': '"z"' } }), 1, hit],
    ['GET with content is passed on', fresh, get(1, { 'content-length': '3' }), miss],
  ]),
];
