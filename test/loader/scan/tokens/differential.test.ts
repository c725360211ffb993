// Nasty markup means to our tokenizer what it means to parse5's, which passes the conformance tests of HTML
// (html5lib-tests), in any chunking.

import { describe, expect, it } from 'vitest';
import { rawTextTags } from '../../../../loader/scan/tokens/content-model.ts';
import fc from '../../../support/property.ts';
import { cutAt } from '../chunkings.ts';
import { type Consumer, referenceTokens, tokens } from './tokens.ts';

/** What the states of HTML 13.2.5 tell apart. */
const signs = [
  ...['<', '>', '/', '</', '/>', '<!', '<!-', '<!--', '-', '--', '-->', '--!', '--!>', '<!-->'],
  ...['<!--->', '<?', '</ ', '<!x', '<!doctype', '<!DOCTYPE html PUBLIC "', '<![CDATA[', ']', ']]'],
  ...[']]>', '"', "'", '=', '="', "='", ' ', '\t', '\n', '\f', '\r', '\r\n', '\0', '!', '&', ';'],
];

const words = [
  ...['a', 'A', 'b', 'x', 'script', 'SCRIPT', 'style', 'title', 'tiTle', 'svg', 'p', 'plaintext'],
  ...[
    '&amp;',
    '&amp',
    '&ampx',
    '&#65;',
    '&#x41',
    '&copy=',
    '&notit;',
    '\u212a',
    '\ud83d\ude00',
    'é',
  ],
];

const markup = [
  ...[
    '<a ',
    '<a',
    '</a>',
    '<p>',
    '<x y=',
    '<script>',
    '<script',
    '</script>',
    '</script',
    '</SCRIPT ',
  ],
  ...[
    '</scrip',
    '<scripT>',
    '<!--<script>',
    '<style>',
    '</style>',
    '</style/',
    '<title>',
    '</title>',
  ],
  ...['<textarea>', '</textarea ', '<svg>', '</svg>', '<xmp>', '</xmp\n>', '<plaintext>'],
  ...['a=b', 'a="b"', "a='b'", 'a = b', ' =a', '="a"', ' a', ' A=1', ' a/', '/=', 'x="<y>" '],
];

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...signs) },
  { weight: 2, arbitrary: fc.constantFrom(...words) },
  { weight: 4, arbitrary: fc.constantFrom(...markup) },
);
const document = (maxLength: number) =>
  fc.array(piece, { maxLength }).map((pieces) => pieces.join(''));
/** Within raw text, where most signs mean nothing. */
const script = document(25).map((html) => `<script>${html}`);
const places = fc.array(fc.nat(), { maxLength: 8 });

describe('the tokens of parse5', () => {
  it('of any markup, whole and in any chunking', () => {
    fc.assert(
      fc.property(document(30), places, (html, cuts) => {
        const expected = referenceTokens(html);
        expect(tokens([html])).toEqual(expected);
        expect(
          tokens(
            cutAt(
              html,
              cuts.map((cut) => cut % (html.length + 1)),
            ),
          ),
        ).toEqual(expected);
      }),
      { numRuns: 1_500 },
    );
  });

  it('of any script, whole and one character at a time', () => {
    fc.assert(
      fc.property(script, (html) => {
        const expected = referenceTokens(html);
        expect(tokens([html])).toEqual(expected);
        expect(tokens(html.split(''))).toEqual(expected);
      }),
      { numRuns: 800 },
    );
  });

  it.each([true, false])('a consumer that wants a few of them; end tags: %s', (wantsEndTags) => {
    const wanted = { a: ['a', 'x'], svg: [], ...rawTextTags };
    const consumer: Consumer = { wanted, wantsEndTags };
    fc.assert(
      fc.property(document(30), places, (html, cuts) => {
        const expected = referenceTokens(html, consumer);
        const chunks = cutAt(
          html,
          cuts.map((cut) => cut % (html.length + 1)),
        );
        expect(tokens([html], consumer)).toEqual(expected);
        expect(tokens(chunks, consumer)).toEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it('one character at a time', () => {
    fc.assert(
      fc.property(document(20), (html) => {
        expect(tokens(html.split(''))).toEqual(referenceTokens(html));
      }),
      { numRuns: 800 },
    );
  });
});
