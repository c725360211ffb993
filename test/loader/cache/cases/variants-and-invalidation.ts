// Which of several stored responses is chosen, and what invalidates them: RFC 9111 4.1, 4.3.5, 4.4; RFC 9110 9.2.1,
// 9.3.2.

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

const chosenBy = (vary: string | string[], ask: Fields, options: Parameters<typeof got>[1] = {}) =>
  got({ ...year, vary }, { ask, ...options });
const later = (body: string) => ({ at: 1, body });

const one = chosenBy('foo', { foo: '1' });
const two = chosenBy('foo', { foo: '2' }, later('two'));
const beside = [year, chosenBy('foo', { foo: '1' }, later('two'))];
/** Two names of Vary, and values of both. */
const both = (foo: string, bar: string) => ({ foo, bar });
/** A field by which a response varies, as it was sent then and is now. */
const spelt = (name: string, then: string, now: string) =>
  [name, { [name]: then }, { [name]: now }] as const;
/** One response is stored: what it varies by, what was asked then, what is asked now. */
const choosing = (rows: [string, string | string[], Fields, Fields, Expected][]): Row[] =>
  rows.map(([name, vary, then, now, expected]) => [
    name,
    chosenBy(vary, then),
    get(1, now),
    expected,
  ]);

export const varyCases: Case[] = [
  ...section('RFC 9111 4.1 Vary', [
    ...choosing([
      ['the same value', 'foo', { foo: '1' }, { foo: '1' }, hit],
      ['another value', 'foo', { foo: '1' }, { foo: '2' }, miss],
      ['absent now', 'foo', { foo: '1' }, {}, miss],
      ['absent then', 'foo', {}, { foo: '1' }, miss],
      ['absent both times', 'foo', {}, {}, hit],
      ['names are in any case', 'FOO', { foo: '1' }, { foo: '2' }, miss],
      ['fields that are not named do not matter', 'foo', both('1', '1'), both('1', '2'), hit],
      ['two names, both the same', 'foo, bar', both('1', '2'), both('1', '2'), hit],
      ['two names, one differs', 'foo, bar', both('1', '2'), both('1', '3'), miss],
      ['two lines', ['foo', 'bar'], both('1', '2'), both('1', '3'), miss],
      ['an empty Vary names nothing', '', { foo: '1' }, { foo: '2' }, hit],
      ['*', '*', {}, {}, miss],
      ['* among others', 'foo, *', { foo: '1' }, { foo: '1' }, miss],
      ['* in a second line', ['foo', '*'], { foo: '1' }, { foo: '1' }, miss],
      ['* behind an empty member', ', *', {}, {}, miss],
    ]),
    ['* is not even validated', { ...year, vary: '*', etag: '"a"' }, 1, miss],
    ['two variants: the first is still there', [one, two], get(2, { foo: '1' }), hitOf(content)],
    ['two variants: the second', [one, two], get(2, { foo: '2' }), hitOf('two')],
    [
      'the order of names in Vary does not matter',
      [chosenBy('foo, bar', both('1', '2')), chosenBy('bar, foo', both('1', '2'), later('new'))],
      get(2, both('1', '2')),
      hitOf('new'),
    ],
    ['one without Vary answers all: the newest', beside, get(2, { foo: '1' }), hitOf('two')],
    ['one without Vary answers who has no variant', beside, get(2, { foo: '2' }), hitOf(content)],
    ['64 KB of commas', chosenBy(','.repeat(65_536), {}), 1, hit],
  ]),
  ...section('RFC 9111 4.1 the same in meaning', [
    ...choosing([
      ['lines of one field are one list', 'foo', { foo: '1, 2' }, { foo: ['1', '2'] }, hit],
      ['blanks around commas', 'foo', { foo: '1,2' }, { foo: ' 1 ,  2 ' }, hit],
      ['not blanks within quotes', 'foo', { foo: '"1,2"' }, { foo: '"1, 2"' }, miss],
      ['not the order of an unknown field', 'foo', { foo: '1, 2' }, { foo: '2, 1' }, miss],
      ['not the case of an unknown field', 'foo', { foo: 'a' }, { foo: 'A' }, miss],
      ['languages in any case', ...spelt('accept-language', 'en, de', 'eN, De'), hit],
      ['blanks within a language', ...spelt('accept-language', 'en;q=0.5', 'en ; q=0.5'), hit],
      ['languages in another order', ...spelt('accept-language', 'en, de', 'de, en'), miss],
      ['codings in any order', ...spelt('accept-encoding', 'gzip, br', 'BR,gzip'), hit],
      ['codings of other weights', ...spelt('accept-encoding', 'gzip, br', 'gzip, br;q=0'), miss],
      ['cookies to the letter', ...spelt('cookie', 'a=1,2', 'a=1, 2'), miss],
    ]),
    [
      'the same variant in another spelling is replaced',
      [chosenBy('foo', { foo: '1,2' }), chosenBy('foo', { foo: '1, 2' }, later('new'))],
      get(2, { foo: '1,2' }),
      hitOf('new'),
    ],
  ]),
];
