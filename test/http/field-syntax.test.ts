// Lists and quoted strings of RFC 9110 5.6.

import { expect, it } from 'vitest';
import {
  endOfMember,
  joinedLines,
  nameList,
  readQuotedString,
  splitMembers,
  tokenOrQuoted,
  unquote,
} from '../../http/field-syntax.ts';

it.each([
  ['"a"b', 'a', 3, true],
  ['"a\\"b\\\\" c', 'a"b\\', 8, true],
  ['""', '', 2, true],
  ['"a', 'a', 2, false],
  ['"a\\', 'a', 3, false],
  ['"a\\"', 'a"', 4, false],
  ['"', '', 1, false],
])('quoted string %s (RFC 9110 5.6.4)', (text, value, end, closed) => {
  expect(readQuotedString(text, 0)).toEqual({ value, end, closed });
});

it('a comma in quotes ends no member', () => {
  expect(endOfMember('a="b, c"; d, e', 0)).toBe(11);
  expect(endOfMember('a="b, c', 0)).toBe(7);
  expect(splitMembers('a="b, c"; d, , e').members).toEqual(['a="b, c"; d', 'e']);
});

it('a quote that never closes is an ordinary character, and so are those behind it', () => {
  expect(splitMembers('"a", b="c, "d')).toEqual({
    members: ['"a"', 'b="c, "d'],
    openQuoteAt: null,
  });
  expect(splitMembers('a, b="c, d')).toEqual({ members: ['a', 'b="c', 'd'], openQuoteAt: 5 });
});

it('unquote reads what tokenOrQuoted writes', () => {
  for (const value of ['token', 'two words', 'a"b', '\\', ''])
    expect(unquote(tokenOrQuoted(value))).toBe(value);
  for (const broken of ['"a', 'a"b"', '"a"b']) expect(unquote(broken)).toBeNull();
});

it('several lines, and names in lower case', () => {
  expect(joinedLines(['a', 'b'])).toBe('a, b');
  expect(joinedLines(7)).toBe('7');
  expect(joinedLines(undefined)).toBe('');
  expect(nameList(' A,, b ,')).toEqual(['a', 'b']);
});
