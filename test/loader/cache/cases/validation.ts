// RFC 9111 3.2, 4.3; RFC 9110 8.8, 13.

import {
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
  validate,
} from './case.ts';

const stale = { 'cache-control': 'max-age=5' };
const fresh = { 'cache-control': 'max-age=60' };
const modified = { 'last-modified': date(-1000) };
const tag = { etag: '"a"' };
const weak = (name: string) => ({ etag: `W/"${name}"` });
const long = 'Thu, 15 Jan 2015 12:00:00 gmt';
const since = (time: string) => ({ 'if-modified-since': time });
const cookies = (...lines: string[]) => ({ 'set-cookie': lines });
const again = { ...fresh, ...tag };
const old = { ...stale, ...tag };
const asking = (conditions: Record<string, string>) => ({ ...validate, conditions });
const byTag = asking({ 'if-none-match': '"a"' });
/** A stored response that was validated at 10 s; the 304 brought these fields. */
const confirmed = (stored: Fields, news: Fields) => [
  got({ ...stale, ...stored }),
  got(news, { at: 10, status: 304, body: '' }),
];
/** Of fields that were stored, or came with the 304, what a hit has. */
const changing = (rows: [name: string, stored: Fields, news: Fields, seen: Fields][]): Row[] =>
  rows.map(([name, stored, news, seen]) => {
    const given = confirmed({ ...tag, ...stored }, { ...again, ...news });
    return [name, given, 11, hitWith(seen)];
  });

export const validationCases: Case[] = [
  ...section('RFC 9111 4.3.1 conditions', [
    ['If-None-Match of the ETag', old, 9, byTag],
    ['a weak one too', { ...stale, etag: 'W/"a"' }, 9, asking({ 'if-none-match': 'W/"a"' })],
    ['one without quotes as it came', { ...stale, etag: 'a' }, 9, asking({ 'if-none-match': 'a' })],
    ['an empty one is none', { ...stale, etag: '' }, 9, miss],
    ['two are none', { ...stale, etag: ['"a"', '"b"'] }, 9, miss],
    ['junk is none', { ...stale, etag: '"a" "b"' }, 9, miss],
    ['Last-Modified as it came', { ...stale, 'last-modified': long }, 9, asking(since(long))],
    ['an invalid Last-Modified is none', { ...stale, 'last-modified': 'yesterday' }, 9, miss],
    [
      'both where both are',
      { ...stale, ...tag, ...modified },
      9,
      asking({ 'if-none-match': '"a"', ...since(date(-1000)) }),
    ],
    ['stale without a validator: asked anew', stale, 9, miss],
    ['a stale 404 is validated too', got(old, { status: 404 }), 9, byTag],
    ['HEAD as well', old, get(9, {}, { method: 'HEAD' }), byTag],
  ]),
  ...section('RFC 9111 3.2, 4.3.4 what a 304 changes', [
    ['fresh again', confirmed(tag, old), 14, hit],
    ['for as long as the 304 says', confirmed(tag, again), 69, hit],
    ['counted from the 304', confirmed(tag, old), 15, validate],
    ...changing([
      ['fields it has are replaced', { 'X-a': 'old' }, { 'x-A': 'new' }, { 'x-a': 'new' }],
      ['fields it has not stay', { 'x-a': 'old' }, {}, { 'x-a': 'old' }],
      ['fields it adds are there', {}, { 'x-b': '1' }, { 'x-b': '1' }],
      [
        'all lines of a field are replaced',
        cookies('a=1', 'b=2'),
        cookies('c=3'),
        { 'set-cookie': 'c=3' },
      ],
      ['Date is the new one', {}, {}, { date: date(10) }],
      ['the old Age is gone', { age: '3' }, {}, { age: '1' }],
      [
        'what describes the body stays',
        { 'content-length': '10', 'content-encoding': 'gzip', 'content-md5': 'x' },
        { 'content-length': '0', 'content-encoding': 'br', 'content-md5': 'y' },
        { 'content-length': '10', 'content-encoding': 'gzip', 'content-md5': 'x' },
      ],
      [
        'Content-Type and Content-Location change',
        { 'content-type': 'a/b' },
        { 'content-type': 'c/d', 'content-location': '/x' },
        { 'content-type': 'c/d', 'content-location': '/x' },
      ],
      [
        'what is not stored is not taken over',
        { 'x-a': 'old' },
        { connection: 'x-a', 'x-a': 'new' },
        { connection: null, 'x-a': 'old' },
      ],
      ['a weak ETag confirms a strong one', {}, { etag: 'W/"a"' }, tag],
      ['a strong ETag confirms a weak one: nginx compresses so', weak('a'), {}, weak('a')],
    ]),
    ['the body stays', confirmed(tag, again), 11, { ...hit, status: 200, body: content }],
    ['by Last-Modified', confirmed(modified, { ...fresh, ...modified }), 11, hit],
    ['by nothing: about what was asked', confirmed(tag, fresh), 11, hit],
    ['another strong ETag freshens nothing', confirmed(tag, { ...fresh, etag: '"b"' }), 11, byTag],
    ['another weak one, too', confirmed(weak('a'), { ...fresh, ...weak('b') }), 11, validate],
    [
      'another Last-Modified freshens nothing',
      confirmed(modified, { ...fresh, 'last-modified': date(-9) }),
      11,
      validate,
    ],
    ['no-store: forgotten', confirmed(tag, control('no-store', tag)), 11, miss],
    ['no-cache: validated from now on', confirmed(tag, control('no-cache', tag)), 11, validate],
    ['Vary: under it', confirmed(tag, { ...again, vary: 'foo' }), get(11, { foo: '1' }), miss],
    ['Vary: *: forgotten', confirmed(tag, { ...again, vary: '*' }), 11, miss],
    [
      'a full response replaces it',
      [old, got({ ...fresh, etag: '"b"' }, { at: 10, body: 'new' })],
      11,
      hitOf('new'),
    ],
    ['a 5xx leaves it', [old, got(control('no-store'), { at: 10, status: 503 })], 11, byTag],
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
