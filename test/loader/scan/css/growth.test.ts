// Sheets of the size that an attack has are read without an exception, and what is behind the limits is left out.

import { expect, it } from 'vitest';
import { found, scan } from './found-in.ts';

it.each([
  ['rules in rules', '', 'p{'],
  ['closing braces', '', '}'],
  ['parentheses', 'p{a:', '('],
  ['parentheses in a prelude', 'a{}', '('],
  ['url(', 'p{a:', 'url('],
  ['var(', 'p{mask:', 'var(--a,'],
  [':not(', 'p', ':not('],
  ['a bad string', 'p{content:', '"\n'],
  ['escapes', 'p{a:"', '\\x'],
  ['<!--', '', '<!--'],
  ['comments', '', '/**/'],
  ['imports without an end', '@import ', 'a'],
  ['a custom property of blocks', 'p{--x:', '{}'],
  ['at-rules in one another', '', '@media screen{'],
  ['rules that css-tree takes for declarations', 'p{', 'i{a:b}'],
])('no stack overflows: %s', (_, start, unit) => {
  const css = `p{mask:url(a)}${start}${unit.repeat(2 ** 16)}`;
  expect(scan([css], 'html body p')[0]?.written).toBe('a');
});

it('what is too deep is left out', () => {
  const deep = (depth: number) => `${'@media screen{'.repeat(depth)}p{mask:url(a)}`;
  expect(found(deep(25))).toHaveLength(1);
  expect(found(deep(50))).toEqual([]);
});
