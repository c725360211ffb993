// Which sheet of a page comes later, whenever they arrive (CSS Cascade 5, 6.4.4), and which mean nothing.

import { describe, expect, it } from 'vitest';
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

describe('the later sheet counts', () => {
  it('of two links, if it arrives first', () => {
    const html = '<link rel=stylesheet href=a.css><link rel=stylesheet href=b.css><p>';
    expect(fetched(html, { 'b.css': second, 'a.css': first })).toEqual(['second']);
  });

  it('unless an earlier one is more specific', () => {
    const html = '<style>p.x{background:none}</style><link rel=stylesheet href=b.css><p class=x>';
    expect(fetched(html, { 'b.css': 'p{background:url(b)}' })).toEqual([]);
  });

  it('an import before the sheet that imports it', () => {
    const html = '<link rel=stylesheet href=a.css><link rel=stylesheet href=b.css><p>';
    const sheets = { 'b.css': `@import "c.css";${second}`, 'c.css': 'p{mask:url(import)}' };
    expect(fetched(html, { ...sheets, 'a.css': first })).toEqual(['second']);
  });
});

it('a sheet whose media do not match means nothing', () => {
  const html = `<link rel=stylesheet href=a.css media=print><style>p{mask:url(b)}</style><p>`;
  expect(fetched(html, { 'a.css': 'p{background:url(a);display:none}' })).toEqual(['b']);
});

it('a sheet that is imported for other media hides nothing', () => {
  const html = '<link rel=stylesheet href=a.css><link rel=stylesheet href=c.css><p>';
  const sheets = { 'a.css': '@import "b.css" print;', 'b.css': 'p{display:none}', 'c.css': first };
  expect(fetched(html, sheets)).toEqual(['first']);
});

describe('a layer of an import (CSS Cascade 5, 2.1)', () => {
  it('loses to what is in none, whatever its specificity', () => {
    const html = '<style>@import "b.css" layer(x);p{mask:url(own)}</style><p class=a>';
    expect(fetched(html, { 'b.css': 'p.a{mask:url(b)}' })).toEqual(['own']);
  });

  it('is around the layers of the sheet, and of those that it imports', () => {
    const html = '<link rel=stylesheet href=a.css><link rel=stylesheet href=d.css><p class=a>';
    const sheets = {
      'a.css': '@layer x, y;@import "b.css" layer(y.z);',
      'b.css': '@import "c.css" layer(inner);p{fill:url(b)}',
      'c.css': '@layer q{p.a{mask:url(c);fill:url(c2)}}',
      'd.css': '@layer x{p.a{mask:url(x)}}',
    };
    expect(fetched(html, sheets)).toEqual(['b', 'c']);
  });

  it('without a name is one of its own', () => {
    const html = '<link rel=stylesheet href=a.css><p class=a>';
    const sheets = {
      'a.css': '@import "b.css" layer;@import "c.css" layer;',
      'c.css': 'p{mask:url(c)}',
      'b.css': 'p.a{mask:url(b)}',
    };
    expect(fetched(html, sheets)).toEqual(['c']);
  });

  it('and without one the sheet comes before the style element that imports it', () => {
    const html = '<style>@import "b.css";p{mask:url(own)}</style><p>';
    expect(fetched(html, { 'b.css': 'p{mask:url(b);background:url(b2)}' })).toEqual(['own', 'b2']);
  });
});
