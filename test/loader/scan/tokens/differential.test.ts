// Nasty markup means to our tokenizer what it means to parse5's, which passes the conformance tests of HTML
// (html5lib-tests), in any chunking.

import { globSync, readFileSync } from 'node:fs';
import { Parser } from 'htmlparser2';
import { expect, it } from 'vitest';
import fc from '../../../support/property.ts';
import { cutAt } from '../chunkings.ts';
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
