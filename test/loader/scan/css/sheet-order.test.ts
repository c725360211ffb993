// Which sheet of a page comes later, whenever they arrive (CSS Cascade 5, 6.4.4; CSS Variables 1, 2 and 3), and which mean nothing.

import { expect, it } from 'vitest';
import { createScanner } from '../../../../loader/scan/index.ts';

const url = 'http://site.example/';

/** Images that are fetched, with the sheets arriving in this order. */
function fetched(html: string, sheets: Readonly<Record<string, string>>): string[] {
  const scanner = createScanner({ url });
  const references = [...scanner.write(html), ...scanner.end()];
  for (const [name, css] of Object.entries(sheets)) {
    const sheet = scanner.styleSheet({ url: url + name });
    references.push(...sheet.write(css), ...sheet.end());
  }
  return references
    .filter(({ kind }) => kind === 'image')
    .map((reference) => reference.url.slice(url.length));
}

const first = 'p{mask:url(first)}';
const second = 'p{mask:url(second)}';
const a = '<link rel=stylesheet href=a.css>';
const b = '<link rel=stylesheet href=b.css>';
const c = '<link rel=stylesheet href=c.css>';

it.each<[string, string, Record<string, string>, string[]]>([
  ['of two links the later counts', `${a}${b}<p>`, { 'b.css': second, 'a.css': first }, ['second']],
  [
    'unless an earlier sheet is more specific',
    `<style>p.x{background:none}</style>${b}<p class=x>`,
    { 'b.css': 'p{background:url(b)}' },
    [],
  ],
  [
    'an import comes before the sheet that imports it',
    `${a}${b}<p>`,
    { 'b.css': `@import "c.css";${second}`, 'c.css': 'p{mask:url(import)}', 'a.css': first },
    ['second'],
  ],
  [
    'also before a style element',
    '<style>@import "b.css";p{mask:url(own)}</style><p>',
    { 'b.css': 'p{mask:url(b);background:url(b2)}' },
    ['own', 'b2'],
  ],
  [
    'a sheet whose media do not match means nothing',
    '<link rel=stylesheet href=a.css media=print><style>p{mask:url(b)}</style><p>',
    { 'a.css': 'p{background:url(a);display:none}' },
    ['b'],
  ],
  [
    'a sheet that is imported for other media hides nothing',
    `${a}${b}<p>`,
    { 'a.css': '@import "c.css" print;', 'c.css': 'p{display:none}', 'b.css': first },
    ['first'],
  ],
  [
    'a layer of an import loses to what is in none, whatever its specificity (2.1)',
    '<style>@import "b.css" layer(x);p{mask:url(own)}</style><p class=a>',
    { 'b.css': 'p.a{mask:url(b)}' },
    ['own'],
  ],
  [
    'it is around the layers of the sheet, and of those that it imports',
    `${a}${b}<p class=a>`,
    {
      'a.css': '@layer x, y;@import "c.css" layer(y.z);',
      'c.css': '@import "d.css" layer(inner);p{fill:url(b)}',
      'd.css': '@layer q{p.a{mask:url(c);fill:url(c2)}}',
      'b.css': '@layer x{p.a{mask:url(x)}}',
    },
    ['b', 'c'],
  ],
  [
    'without a name it is one of its own',
    `${a}<p class=a>`,
    {
      'a.css': '@import "b.css" layer;@import "c.css" layer;',
      'c.css': 'p{mask:url(c)}',
      'b.css': 'p.a{mask:url(b)}',
    },
    ['c'],
  ],
  [
    'a custom property is used in another sheet, through a third one',
    `${a}${b}${c}<p>`,
    { 'c.css': 'p{mask:var(--m)}', 'b.css': ':root{--m:var(--n)}', 'a.css': ':root{--n:url(n)}' },
    ['n'],
  ],
  [
    'also where that comes last',
    `${a}${b}<p>`,
    { 'b.css': 'p{mask:var(--m)}', 'a.css': ':root{--m:url(m)}' },
    ['m'],
  ],
  [
    'its URL is relative to the sheet that uses it (Chromium 156)',
    `${a}<link rel=stylesheet href=x/b.css><p>`,
    { 'x/b.css': ':root{--m:url(m)}', 'a.css': 'p{mask:var(--n,var(--m))}' },
    ['m'],
  ],
  [
    'the later definition of one counts',
    `${a}${b}<p>`,
    { 'b.css': ':root{--m:none}p{mask:var(--m)}', 'a.css': ':root{--m:url(m)}' },
    [],
  ],
])('%s', (_, html, sheets, expected) => {
  expect(fetched(html, sheets)).toEqual(expected);
});
