// Nasty markup means to our tokenizer what it means to parse5's, which passes the conformance tests of HTML
// (html5lib-tests), in any chunking.

import { globSync, readFileSync } from 'node:fs';
import { Parser } from 'htmlparser2';
import { describe, expect, it } from 'vitest';
import fc from '../../../support/property.ts';
import { cutAt } from '../chunkings.ts';
import { markup, signs, words } from './nasty-markup.ts';
import { type Consumer, hasQuotedEndTag, referenceTokens, tokens } from './tokens.ts';

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...signs) },
  { weight: 2, arbitrary: fc.constantFrom(...words) },
  { weight: 4, arbitrary: fc.constantFrom(...markup) },
);
const document = (maxLength: number) =>
  fc
    .array(piece, { maxLength })
    .map((pieces) => pieces.join(''))
    .filter((html) => !hasQuotedEndTag(html));
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

  const few: Consumer[] = [true, false].map((wantsEndTags) => ({
    wanted: new Set(['a', 'x']),
    wantsEndTags,
  }));

  it.each(few)('a consumer that wants a few attributes: %j', (consumer) => {
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

const fixtures = new URL('../../../../fixtures/', import.meta.url);

it.each(globSync('{microscape,twelve-pages}/**/*.html', { cwd: fixtures }))(
  'the start tags of htmlparser2, of a page that is as it should be: %s',
  (file) => {
    const html = readFileSync(new URL(file, fixtures), 'utf8');
    const expected: unknown[] = [];
    const parser = new Parser({
      onopentag: (name, attributes, isImplied) => isImplied || expected.push([name, attributes]),
    });
    parser.end(html);
    const starts = tokens([html]).flatMap((each) =>
      'start' in each ? [[each.start, each.attributes]] : [],
    );
    expect(starts).toEqual(expected);
  },
);
