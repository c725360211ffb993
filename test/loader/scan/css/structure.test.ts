// CSS Syntax 3: where rules and declarations begin and end, in every chunking.

import { describe, expect, it } from 'vitest';
import { CssScanner } from '../../../../loader/scan/css/css-scanner.ts';
import type { CssFound } from '../../../../loader/scan/css/found.ts';
import property from '../../../support/property.ts';
import { cutAt } from '../chunkings.ts';
import { cssOptions, fetched, found, page, scan, scannerFor } from './found-in.ts';
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
    ['5.4.1 <!-- and -->', '<!-- p{background:url(a)} --> p{mask:url(b)}', ['a', 'b']],
    ['5.4.3 a brace too many', 'p{mask:url(b)}} p{background:url(a)} p{cursor:url(c)}', ['b', 'c']],
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
    ['nested rules that double their selector', `${'&&{'.repeat(200)}background:url(a)`, ['a?']],
    ['8 @charset', '@charset "utf-8";@import "a";', ['a']],
    ['a declaration that is too long', `p{mask:${long} url(b);background:url(a)}`, ['a']],
    ['a prelude that is too long', `${long}{mask:url(b)}p{background:url(a)}`, ['a']],
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
  const written: string[] = [];
  const onFound = (item: CssFound) => written.push(item.written);
  const scanner = scannerFor(onFound);
  scanner.write('@import "a"');
  expect(written).toEqual([]);
  scanner.write(';');
  expect(written).toEqual(['a']);
});

it('reads style attributes (CSS Style Attributes, 3)', () => {
  const items: CssFound[] = [];
  const onFound = (item: CssFound) => items.push(item);
  const [element = null] = page('p').all;
  const scanner = new CssScanner(cssOptions(onFound), element);
  scanner.write('color:red;}background:url(a);&{cursor:url(b)}@import "b";mask:url("c');
  scanner.end();
  // A brace makes its declaration invalid, as in Chromium 156.
  expect(items.map(({ written, selectors }) => [written, selectors])).toEqual([['c', null]]);
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
