// Reading the structure is linear work in every chunking, counted in characters examined.

import { expect, it } from 'vitest';
import { cutAt } from '../chunkings.ts';
import { examined } from '../tokens/work.ts';
import { scannerFor } from './found-in.ts';
import { nextPiece } from './next-piece.ts';

const length = 150_000;
const filled = (unit: string) => unit.repeat(Math.ceil(length / unit.length));

it.each([
  ['rules', filled('p{color:red}')],
  ['nested rules', filled('p{')],
  ['closing braces', filled('}')],
  ['semicolons', filled(';')],
  ['parentheses', `p{a:${filled('(')}`],
  ['url(', `p{a:${filled('url(')}`],
  ['a data: URL', `p{background:url(data:${filled('x')})}`],
  ['a string', `p{content:"${filled('x')}`],
  ['bad strings', `p{content:${filled('"\n')}`],
  ['backslashes', `p{content:${filled('\\')}`],
  ['slashes', `p{content:${filled('/')}`],
  ['comments', filled('/**/')],
  ['an open comment of almost ends', `/*${filled('* /')}`],
  ['<!--', filled('<!--')],
  ['hyphens', filled('-')],
  ['a custom property of blocks', `p{--x:${filled('{}')}`],
  ['imports', filled('@import "a";')],
  ['urls', filled('p{background:url(a)}')],
  ['what nobody wants', filled('p{color:red;margin:calc(1px + (2px))}')],
  ['what somebody wants, after much else', filled(`p{${'a:b;'.repeat(60)}mask:none}`)],
  ['rules in rules, after much else', filled(`p{${'a:b;'.repeat(60)}`)],
  ['parentheses in a prelude', `a{}${filled('(a)')}`],
  ['open parentheses in a prelude', `a{}${filled('(')}`],
  ['attribute selectors', `a{}${filled('[a="b"]')}`],
  ['open strings', filled('p{a:"b;}\n')],
  ['variables', filled('p{--a:var(--b);mask:var(--a)}')],
])('%s', (_, css) => {
  for (const size of [css.length, 1_460, 7]) {
    const places = Array.from({ length: Math.floor(css.length / size) }, (_, at) => at * size);
    const chunks = cutAt(css, places);
    const work = examined(() => {
      const scanner = scannerFor(() => {});
      for (const chunk of chunks) scanner.write(chunk);
      scanner.end();
    }, nextPiece);
    expect(work, `chunks of ${size}`).toBeLessThan(12 * css.length);
  }
});

it.each([
  ['groups', 'p{a:', '()'],
  ['groups in a group', 'p{a:(', '()'],
  ['slashes', 'p{a:', '/a'],
  ['a value', 'p{a:', 'xx'],
  ['a prelude', 'p{}', 'x '],
  ['attribute selectors', 'p{}', '[a]'],
  ['a string', 'p{a:"', 'xx'],
  ['escapes', 'p{a:"', '\\x'],
  ['declarations', 'p{', 'a:b;'],
  ['rules', '', 'p{a:b}'],
])('no stack overflows: %s in one chunk', (_, start, unit) => {
  const scanner = scannerFor(() => {});
  scanner.write(start + unit.repeat(2 ** 21));
  expect(() => scanner.end()).not.toThrow();
});
