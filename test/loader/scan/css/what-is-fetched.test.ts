// What the scanner says of rules and values. That Chromium does so, too, is in test/browser/style-sheets.test.ts.

import { describe, expect, it } from 'vitest';
import { fontFaceOf } from '../../../../loader/scan/css/font-face.ts';
import { fetched, found, scan } from './found-in.ts';

describe('fetched for sure, or perhaps (?)', () => {
  it.each<[string, string, string[]]>([
    [
      'CSS Cascade 5, 2: imports',
      '@import url(a) layer(x.y) screen;@import "b";p{}@import "c";',
      ['a', 'b'],
    ],
    ['CSS Cascade 5, 6.3: !important', 'p{background:url(a)!important;background:url(b)}', ['a']],
    ['CSS Cascade 5, 6.3: !IMPORTANT', 'p{background:url(a)!IMPORTANT;background:url(b)}', ['a']],
    ['CSS Cascade 5, 6: one of a list', 'i,p{background:url(a)}p{background:url(b)}', ['b']],
    ['CSS Cascade 5, 6.4: layers', '@layer x{p{mask:url(a)}}p{mask:url(b)}', ['b']],
    [
      'CSS Backgrounds 3, 2.10: a shorthand resets',
      'p{background-image:url(a);background:red}',
      [],
    ],
    ['CSS Images 4, 2.4: image-set()', 'p{background:image-set("a" 1x,"b" calc(1x * 2))}', ['b']],
    ['CSS Nesting 1, 3', 'p{&.c{mask:url(a)}.c &{mask:url(b)}i{mask:url(c)}}', ['a?', 'b?', 'c?']],
    [
      'CSS Conditional 4, 2: @supports',
      '@supports not (a:b){p{mask:url(a)}}@supports (-moz-a:b){p{mask:url(b)}}@supports selector(a>b) and (not (-ms-a:b)){p{mask:url(c)}}',
      ['c'],
    ],
    [
      'Media Queries 5, 2: @media',
      '@media (width>9px){@media print{p{mask:url(a)}}p{mask:url(b)}}',
      ['b'],
    ],
    ['Selectors 4, 6: attributes', 'p[a="},{"],p:hover{mask:url(a)}', ['a?']],
    ['Selectors 4, 5: types in upper case', 'BODY > P{mask:url(a)}', ['a']],
    [
      'CSS Pseudo 4, 4.1: ::before',
      'p:before{mask:url(a)}p::after{content:"";mask:url(b)}',
      ['a?', 'b'],
    ],
    [
      'CSS Fonts 4, 5.2: the face of a weight',
      '@font-face{font-family:f;src:url(a)}@font-face{font-family:f;font-weight:700;src:url(b)}p{font:12px f}',
      ['a', 'b?'],
    ],
    [
      'CSS Fonts 4, 4.3: sources',
      '@font-face{font-family:f;src:local(x),url(a) format("svg"),url(b) format("woff2")}p{font-family:f}',
      ['b'],
    ],
    [
      'CSS Fonts 4, 4.5: unicode-range',
      '@font-face{font-family:f;src:url(a);unicode-range:U+400-4ff}p{font-family:f}',
      ['a?'],
    ],
  ])('%s', (_, css, expected) => {
    expect(fetched(css, 'html body p', 2)).toEqual(expected);
  });
});

it('asks the page for classes, ids and types, whenever it is asked', () => {
  const css = '.c #i > b{mask:url(a)}';
  const sure = (names: string) => scan([css], names).map((item) => item.sure);
  expect([sure('.c #i b'), sure('.c #i'), sure('c i b')]).toEqual([[true], [false], [false]]);
});

it('says why something is not fetched', () => {
  const css = `p{--x:url(a)}@media print{p{mask:url(b)}}p{mask:url(c)}p{mask:url(d)}`;
  expect(found(css).map(({ written, skipped }) => [written, skipped])).toEqual([
    ['a', 'no element is known to use it'],
    ['b', 'in @media that does not match'],
    ['c', 'overridden by another declaration'],
    ['d', undefined],
  ]);
});

it('reads what a face is for', () => {
  const descriptors = new Map(
    Object.entries({
      ...{ 'font-family': '"A B"', 'font-weight': '100 900', 'font-style': 'italic' },
      ...{ 'unicode-range': 'U+4??,U+61', src: 'url(a)format(woff2)' },
    }),
  );
  expect(fontFaceOf(descriptors, 0, () => {})).toMatchObject({
    ...{ found: { written: 'a', others: [] }, family: 'a b', weight: [100, 900], style: 'italic' },
    unicodeRange: [
      [0x400, 0x4ff],
      [0x61, 0x61],
    ],
  });
});
