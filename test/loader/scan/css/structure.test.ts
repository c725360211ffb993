// CSS Syntax 3: where rules and declarations begin and end, in every chunking.

import { describe, expect, it } from 'vitest';
import { createScanner } from '../../../../loader/scan/index.ts';
import property from '../../../support/property.ts';
import { cutAt } from '../chunkings.ts';
import { fetched, found, foundInAttribute, scan } from './found-in.ts';
import { pieces } from './nasty-css.ts';

const long = 'x'.repeat(70_000);

describe('CSS Syntax 3', () => {
  it.each<[string, string, string[]]>([
    ['3.3 NUL', 'p{background:url(a\0b)}', ['a\ufffdb']],
    ['3.3 a byte order mark', '\ufeff@import "a";', ['a']],
    ['4.3.2 comments', '/*{*/p/*}*/{/*;*/background/**/:/*"*/url(a)/*/*/}', ['a']],
    ['4.3.2 an open comment', 'p{background:url(a)}/*p{background:url(b)}', ['a']],
    ['4.3.2 a comment of stars', '/***/p{background:url(a)}/**', ['a']],
    ['4.3.4 url( in other case', 'p{background:URL( a )}', ['a']],
    ['4.3.4 url of a name', 'p{background:xurl(";}b{");mask:url(a)}', ['a']],
    ['4.3.5 a bad string', 'p{background:"x\n;mask:url(a)}', ['a']],
    ['4.3.5 an escaped newline', 'p{background:url("a\\\r\nb")}', ['ab']],
    ['4.3.5 braces in strings', 'p::before{content:"}{;\\"";mask:url(a)}', ['a']],
    ['4.3.6 a bad URL', 'p{background:url(a"b;c);mask:url(a)}', ['a']],
    ['4.3.6 braces in a URL', 'p{background:url(a{};b)}', ['a{};b']],
    ['4.3.7 escapes', 'p{b\\61 ckground:url(\\61 b\\)\\000063)}', ['ab)c']],
    ['4.3.14 a URL at the end', 'p{background:url(a', ['a']],
    ['4.3.5 a string at the end', '@import "a', ['a']],
    [
      'braces in attribute selectors',
      'p[a="},{"],p:hover{mask:url(a)}p{cursor:url(b)}',
      ['a?', 'b'],
    ],
    ['5.4.1 <!-- and -->', '<!-- p{background:url(a)} --> p{mask:url(b)}', ['a', 'b']],
    [
      '5.4.3 a brace too many',
      'p{mask:url(b)}} p{background:url(a)} p{cursor:url(c)}',
      ['b', 'a?', 'c'],
    ],
    ['5.4.4 empty statements', 'p{;;background:url(a);;}', ['a']],
    ['5.4.9 braces in parentheses', 'p{width:calc({;});background:url(a)}', ['a']],
    ['5.4.9 open parentheses', 'p{width:calc(1px;}p{background:url(a)}', []],
    ['5.5.6 a custom property with a block', 'p{--x:{a:b;c};background:url(a)}', ['a']],
    ['5.5.6 the same after a rule', 'a{}p{ --x:{a:b} 1;background:url(a)}', ['a']],
    [
      '4.2 what is no white space',
      'p{\ufeffmask:url(b);mask\u00a0:url(c);background:url(a)}',
      ['a'],
    ],
    ['5.5.5 rules in a declaration', 'a{}p{color:red;b:c{mask:url(a)}}', ['a?']],
    ['nested rules that double their selector', `${'&&{'.repeat(25)}background:url(a)`, ['a?']],
    [
      'a long sum in a query',
      `a{}@media (width>calc(1px${' + 1px'.repeat(20_000)})){p{mask:url(b)}}`,
      [],
    ],
    ['a long sum in a value', `p{mask:image-set("b" calc(1x${' + 1x'.repeat(20_000)}))}`, ['b']],
    ['8 @charset', '@charset "utf-8";@import "a";', ['a']],
    ['a long data: URL', `p{background:url(data:x,${long}),url("DATA:${long}"),url(a)}`, ['a']],
  ])('%s', (_, css, expected) => {
    expect(fetched(css)).toEqual(expected);
  });

  it('says where a declaration begins', () => {
    const css =
      '/**/@import "a";\n p { mask:none; /**/ background:url(b) }@font-face{src:url(c);font-family:x}';
    expect(found(css).map(({ offset }) => css.slice(offset, offset + 5))).toEqual([
      '@impo',
      'backg',
      '@font',
    ]);
  });
});

it('reports an import with its semicolon', () => {
  const scanner = createScanner({ url: 'http://a.test/' });
  const sheet = scanner.styleSheet({ url: 'http://a.test/s.css' });
  expect(sheet.write('/* first */ @charset "utf-8";@import "a"')).toEqual([]);
  expect(sheet.write(';').map(({ url }) => url)).toEqual(['http://a.test/a']);
  expect(sheet.end()).toEqual([]);
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
    ['c', 'overridden, or of an element without a box'],
    ['d', undefined],
  ]);
});

it('reads style attributes (CSS Style Attributes, 3)', () => {
  const items = foundInAttribute(
    '@import "a";color:red;}background:url(a);&{cursor:url(b)}mask:url("c',
  );
  // A brace makes its declaration invalid, as in Chromium 156.
  expect(items.map(({ written, why }) => [written, why])).toEqual([['c', 'its own style']]);
});

const sheet = property
  .array(property.constantFrom(...pieces), { maxLength: 60 })
  .map((texts) => texts.join(''));

describe('any sheet', () => {
  it('is read without an exception, and the same in two chunkings', () => {
    const cuts = property.array(property.nat(300), { maxLength: 20 });
    property.assert(
      property.property(sheet, cuts, (css, places) => {
        const whole = scan([css], 'p .c');
        expect(
          scan(
            cutAt(
              css,
              places.filter((place) => place < css.length),
            ),
            'p .c',
          ),
        ).toEqual(whole);
        expect(scan([...css], 'p .c')).toEqual(whole);
      }),
      { numRuns: 1_500 },
    );
  });
});
