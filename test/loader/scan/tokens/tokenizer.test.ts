// Nasty markup means to our tokenizer what it means to parse5's, which passes the conformance tests of HTML
// (html5lib-tests), in any chunking; and what is our tokenizer's own.

import { expect, it } from 'vitest';
import { Tokenizer } from '../../../../loader/scan/tokenizer.ts';
import fc from '../../../support/property.ts';
import { chunkings, cutAt } from '../chunkings.ts';
import { markup, signs, words } from './nasty-markup.ts';
import { isReadOtherwise, referenceTokens, tokens } from './tokens.ts';

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...signs) },
  { weight: 2, arbitrary: fc.constantFrom(...words) },
  { weight: 4, arbitrary: fc.constantFrom(...markup) },
);
const document = fc
  .array(piece, { maxLength: 30 })
  .map((pieces) => pieces.join(''))
  .filter((html) => !isReadOtherwise(html));
const places = fc.array(fc.nat(), { maxLength: 8 });

it('the tokens of any markup are those of parse5, in any chunking', () => {
  fc.assert(
    fc.property(document, places, (html, cuts) => {
      const expected = referenceTokens(html);
      const at = cuts.map((cut) => cut % (html.length + 1));
      for (const chunks of [[html], cutAt(html, at), html.split('')]) {
        expect(tokens(chunks)).toEqual(expected);
      }
    }),
    { numRuns: 1_500 },
  );
});

// What the property finds by chance alone, with the states of HTML 13.2.5 that it comes from.
it.each([
  ...['a < b <3 <<p>', '<?php <p> ?><p>', '<p\0>', '<p"><p>', '<p =a=b>'], // .6 .8 .32
  ...['<p a="<p>', '<p a=1 A=2 b>', '<p a"b\'=c>', '<p A\0=c>', '<p a\n=\t"b" c\f>'], // .32 .33 .34
  ...['<p a=><p>', `<p a="'>" b='">'>`, '<p a=b"c>d', '<p a=b/>', '<p a="1"b=2>'], // .35 .36 .38 .39
  ...['<p/><p / ><p a/>', '<p a="&lt&ltx&#65;">', '<title></p></titles></TITLE >'], // .40 .73 .11
  ...['<title>&lt;</title>', '<style>&lt;</st</style/>', '<style>a</STYL'], // .2 .14
  ...['<script><b></b></script>', '<script><!-<script></script>'], // .17 .19
  ...['<plaintext></plaintext><p>', '&am<!---->p;&l<!doctype x>t;'], // .5 .72
])('%j is what it is for parse5, in every chunking', (html) => {
  const expected = referenceTokens(html);
  for (const { name, chunks } of chunkings(html)) expect(tokens(chunks), name).toEqual(expected);
});

it('a tag is told in the write that brings its last character', () => {
  const found: string[] = [];
  const tokenizer = new Tokenizer({
    onStartTag: ({ name, offset }) => found.push(`${name} ${offset}`),
    onEndTag: (name) => found.push(`/${name}`),
  });
  const counts = ['<b><i', 'mg src="a"', '>', '</i', 'mg', '></b>'].map((chunk) => {
    tokenizer.write(chunk);
    return found.length;
  });
  expect([counts, found]).toEqual([
    [1, 1, 2, 2, 2, 4],
    ['b 0', 'img 3', '/img', '/b'],
  ]);
});

it('noscript, scripts in comments in scripts, and CDATA outside foreign content are left out', () => {
  const read = (html: string, isForeign: boolean): string => {
    let found = '';
    const tokenizer = new Tokenizer({
      onStartTag: ({ name }) => {
        found += `<${name}>`;
      },
      onText: (text) => {
        found += text;
      },
      isForeign: () => isForeign,
    });
    for (const character of html) tokenizer.write(character);
    tokenizer.end();
    return found;
  };
  const html = '<noscript><img>a</noscript>b<![CDATA[c<d>]]><style><i></style>';
  expect(read(html, false)).toBe('<noscript>b<style><i>');
  expect(read(html, true)).toBe('<noscript><img>abc<d><style><i>');
  const inner = '<script><!--><!--<script >a</script><img>-->';
  expect(read(`${inner}</script><p>`, false)).toBe('<script><!--><!--<script >a<p>');
  expect(read(`<noscript>${inner}</noscript><p>`, false)).toBe('<noscript><p>');
  expect(read('<script><!-- --><script></script><p>', false)).toBe('<script><!-- --><script><p>');
});
