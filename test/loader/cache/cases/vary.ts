// RFC 9111 4.1.

import { type Case, content, type Fields, get, got, hit, miss, section } from './case.ts';

const year = { 'cache-control': 'max-age=31536000' };
const chosenBy = (
  vary: string | string[],
  ask: Fields,
  options: { at?: number; body?: string; etag?: string } = {},
) => {
  const { etag, ...rest } = options;
  return got({ ...year, vary, ...(etag === undefined ? {} : { etag }) }, { ask, ...rest });
};

export const varyCases: Case[] = [
  ...section('RFC 9111 4.1 Vary', [
    ['the same value', chosenBy('foo', { foo: '1' }), get(1, { foo: '1' }), hit],
    ['another value', chosenBy('foo', { foo: '1' }), get(1, { foo: '2' }), miss],
    ['absent now', chosenBy('foo', { foo: '1' }), get(1), miss],
    ['absent then', chosenBy('foo', {}), get(1, { foo: '1' }), miss],
    ['absent both times', chosenBy('foo', {}), get(1), hit],
    ['names are in any case', chosenBy('FOO', { foo: '1' }), get(1, { foo: '2' }), miss],
    [
      'fields that are not named do not matter',
      chosenBy('foo', { foo: '1', bar: '1' }),
      get(1, { foo: '1', bar: '2' }),
      hit,
    ],
    [
      'two names, both the same',
      chosenBy('foo, bar', { foo: '1', bar: '2' }),
      get(1, { foo: '1', bar: '2' }),
      hit,
    ],
    [
      'two names, one differs',
      chosenBy('foo, bar', { foo: '1', bar: '2' }),
      get(1, { foo: '1', bar: '3' }),
      miss,
    ],
    [
      'two lines',
      chosenBy(['foo', 'bar'], { foo: '1', bar: '2' }),
      get(1, { foo: '1', bar: '3' }),
      miss,
    ],
    ['an empty Vary names nothing', chosenBy('', { foo: '1' }), get(1, { foo: '2' }), hit],
    ['*', chosenBy('*', {}), get(1), miss],
    ['* among others', chosenBy('foo, *', { foo: '1' }), get(1, { foo: '1' }), miss],
    ['* in a second line', chosenBy(['foo', '*'], { foo: '1' }), get(1, { foo: '1' }), miss],
    ['* behind an empty member', chosenBy(', *', {}), get(1), miss],
    ['* is not even validated', got({ ...year, vary: '*', etag: '"a"' }), get(1), miss],
    [
      'two variants: the first is still there',
      [chosenBy('foo', { foo: '1' }), chosenBy('foo', { foo: '2' }, { at: 1, body: 'two' })],
      get(2, { foo: '1' }),
      { ...hit, body: content },
    ],
    [
      'two variants: the second',
      [chosenBy('foo', { foo: '1' }), chosenBy('foo', { foo: '2' }, { at: 1, body: 'two' })],
      get(2, { foo: '2' }),
      { ...hit, body: 'two' },
    ],
    [
      'the order of names in Vary does not matter',
      [
        chosenBy('foo, bar', { foo: '1', bar: '2' }),
        chosenBy('bar, foo', { foo: '1', bar: '2' }, { at: 1, body: 'new' }),
      ],
      get(2, { foo: '1', bar: '2' }),
      { ...hit, body: 'new' },
    ],
    [
      'one without Vary answers all: the newest counts',
      [got(year), chosenBy('foo', { foo: '1' }, { at: 1, body: 'two' })],
      get(2, { foo: '1' }),
      { ...hit, body: 'two' },
    ],
    [
      'one without Vary answers who has no variant',
      [got(year), chosenBy('foo', { foo: '1' }, { at: 1, body: 'two' })],
      get(2, { foo: '2' }),
      { ...hit, body: content },
    ],
    ['64 KB of commas', chosenBy(','.repeat(65_536), {}), get(1), hit],
  ]),
  ...section('RFC 9111 4.1 the same in meaning', [
    [
      'lines of one field are one list',
      chosenBy('foo', { foo: '1, 2' }),
      get(1, { foo: ['1', '2'] }),
      hit,
    ],
    ['blanks around commas', chosenBy('foo', { foo: '1,2' }), get(1, { foo: ' 1 ,  2 ' }), hit],
    [
      'not blanks within quotes',
      chosenBy('foo', { foo: '"1,2"' }),
      get(1, { foo: '"1, 2"' }),
      miss,
    ],
    [
      'not the order of an unknown field',
      chosenBy('foo', { foo: '1, 2' }),
      get(1, { foo: '2, 1' }),
      miss,
    ],
    ['not the case of an unknown field', chosenBy('foo', { foo: 'a' }), get(1, { foo: 'A' }), miss],
    [
      'languages in any case',
      chosenBy('accept-language', { 'accept-language': 'en, de' }),
      get(1, { 'accept-language': 'eN, De' }),
      hit,
    ],
    [
      'blanks within a language',
      chosenBy('accept-language', { 'accept-language': 'en;q=0.5' }),
      get(1, { 'accept-language': 'en ; q=0.5' }),
      hit,
    ],
    [
      'languages in another order are another wish',
      chosenBy('accept-language', { 'accept-language': 'en, de' }),
      get(1, { 'accept-language': 'de, en' }),
      miss,
    ],
    [
      'codings in any order',
      chosenBy('accept-encoding', { 'accept-encoding': 'gzip, br' }),
      get(1, { 'accept-encoding': 'BR,gzip' }),
      hit,
    ],
    [
      'codings with other weights',
      chosenBy('accept-encoding', { 'accept-encoding': 'gzip, br' }),
      get(1, { 'accept-encoding': 'gzip, br;q=0' }),
      miss,
    ],
    [
      'cookies to the letter',
      chosenBy('cookie', { cookie: 'a=1,2' }),
      get(1, { cookie: 'a=1, 2' }),
      miss,
    ],
    [
      'the same variant in another spelling is replaced',
      [chosenBy('foo', { foo: '1,2' }), chosenBy('foo', { foo: '1, 2' }, { at: 1, body: 'new' })],
      get(2, { foo: '1,2' }),
      { ...hit, body: 'new' },
    ],
  ]),
];
