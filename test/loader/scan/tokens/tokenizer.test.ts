// The rules of HTML 13.2.5, each in every chunking, and as parse5 reads it.

import { describe, expect, it } from 'vitest';
import { Tokenizer } from '../../../../loader/scan/tokenizer.ts';
import { chunkings } from '../chunkings.ts';
import { referenceTokens, tokens } from './tokens.ts';

/** Start tags as [name, attributes], with '/' if self-closing; end tags as '/name'; text as it is. */
function told(html: string): unknown[] {
  const expected = referenceTokens(html);
  for (const { name, chunks } of chunkings(html)) expect(tokens(chunks), name).toEqual(expected);
  return expected.map((found) => {
    if ('text' in found) return found.text;
    if ('end' in found) return `/${found.end}`;
    return [found.isSelfClosing ? `${found.start}/` : found.start, found.attributes];
  });
}

const p = ['p', {}];

describe('tags', () => {
  it.each<[string, string, unknown[]]>([
    ['13.2.5.6: < before a letter only', 'a < b <3 <<p>', [p]],
    ['13.2.5.6: <? is a comment', '<?php <p> ?><p>', [p]],
    ['13.2.5.8: ASCII letters have another case', '<P\u212a><p>', [['p\u212a', {}], p]],
    ['13.2.5.8: NUL is U+FFFD', '<p\0>', [['p\ufffd', {}]]],
    ['13.2.5.8: a quotation mark is a character of the name', '<p"><p>', [['p"', {}], p]],
    ['13.2.5.32: = may begin a name', '<p =a=b>', [['p', { '=a': 'b' }]]],
    ['13.2.5.32: an unclosed tag is none', '<p a="<p>', []],
    ['13.2.5.33: the first of two counts', '<p a=1 A=2 b>', [['p', { a: '1', b: '' }]]],
    ['13.2.5.33: names have quotation marks', '<p a"b\'=c>', [['p', { 'a"b\'': 'c' }]]],
    ['13.2.5.33: and NUL', '<p A\0=c>', [['p', { 'a\ufffd': 'c' }]]],
    ['13.2.5.34: spaces around =', '<p a\n=\t"b" c\f>', [['p', { a: 'b', c: '' }]]],
    ['13.2.5.35: a missing value', '<p a=><p>', [['p', { a: '' }], p]],
    ['13.2.5.36: > within quotes', `<p a="'>" b='">'>`, [['p', { a: "'>", b: '">' }]]],
    ['13.2.5.38: quotation marks in a value', '<p a=b"c>d', [['p', { a: 'b"c' }]]],
    ['13.2.5.38: solidus, too', '<p a=b/>', [['p', { a: 'b/' }]]],
    ['13.2.5.39: no space between', '<p a="1"b=2>', [['p', { a: '1', b: '2' }]]],
    ['13.2.5.40: self-closing', '<p/><p / ><p a/>', [['p/', {}], p, ['p/', { a: '' }]]],
    ['13.2.5.73: references', '<p a="&lt&ltx&#65;">', [['p', { a: '<&ltxA' }]]],
  ])('%s', (_, html, expected) => {
    const isText = (each: unknown) => typeof each === 'string' && !each.startsWith('/');
    expect(told(html).filter((each) => !isText(each))).toEqual(expected);
  });
});

describe('text that is no markup', () => {
  it.each<[string, string, string]>([
    ['13.2.5.11: the appropriate end tag', '<title></p></titles></TITLE >', '</p></titles>'],
    ['13.2.5.2: references in RCDATA', '<title>&lt;</title>', '<'],
    ['13.2.5.14: RAWTEXT', '<style>&lt;</st</style/>', '&lt;</st'],
    ['13.2.5.17: a script', '<script><b></b></script>', '<b></b>'],
    ['13.2.5.19: <!- is none', '<script><!-<script></script>', '<!-<script>'],
  ])('%s', (_, html, text) => expect(told(html)[1]).toBe(text));

  it('13.2.5.5: PLAINTEXT never ends', () => {
    expect(told('<plaintext></plaintext><p>')).toEqual([['plaintext', {}], '</plaintext><p>']);
  });

  it('what might have become an end tag is text at the end', () => {
    expect(told('<style>a</STYL')[1]).toBe('a</STYL');
  });
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

it('the content of noscript is left out, and CDATA sections outside foreign content', () => {
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
});
