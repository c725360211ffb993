// Structured Fields (RFC 9651): what is read, and what makes a field malformed.

import { expect, it } from 'vitest';
import {
  parseDictionary,
  parseItem,
  parseList,
  WrittenItem,
} from '../../http/structured-fields.ts';

it.each([
  ['"a\\"b\\\\"', 'a"b\\'],
  [' -12.5 ', -12.5],
  ['?0', false],
  [':AAE=:', Buffer.from([0, 1])],
  ['tok/en', new WrittenItem('tok/en')],
  ['@-1', new WrittenItem('@-1')],
  ['%"f%c3%bc"', new WrittenItem('fü')],
])('an item: %s', (field, value) => {
  expect(parseItem(field)).toEqual({ value, parameters: new Map() });
});

it.each([
  '',
  '"a',
  '"é"',
  '"\\a"',
  '1.',
  '1.2345',
  '1234567890123456',
  '?2',
  ':A:',
  ':AA=:',
  '1 2',
  '%"%ff"',
  '1;A',
])('no item: %s', (field) => {
  expect(parseItem(field)).toBeNull();
});

it('lists, inner lists and parameters', () => {
  const parameters = new Map([['p', true]]);
  const bare = (value: unknown) => ({ value, parameters: new Map() });
  expect(parseList('')).toEqual([]);
  expect(parseList('"a"\t, (1  2;p );p')).toEqual([
    bare('a'),
    { value: [bare(1), { value: 2, parameters }], parameters },
  ]);
  for (const field of ['1,', ',1', '1 1', '(1', '(1,2)']) expect(parseList(field)).toBeNull();
});

it('dictionaries, of whose names the last counts', () => {
  expect(
    [...(parseDictionary('a=1, b;p, *c=(), a=2') ?? [])].map(([name, { value }]) => [name, value]),
  ).toEqual([
    ['a', 2],
    ['b', true],
    ['*c', []],
  ]);
  for (const field of ['A=1', 'a=', 'a=1,', 'a b']) expect(parseDictionary(field)).toBeNull();
});
