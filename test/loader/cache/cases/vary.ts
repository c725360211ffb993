// RFC 9111 4.1.

import {
  type Case,
  content,
  type Expected,
  type Fields,
  get,
  got,
  hit,
  hitOf,
  miss,
  type Row,
  section,
} from './case.ts';

const year = { 'cache-control': 'max-age=31536000' };
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
