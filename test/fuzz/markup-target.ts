// The tokenizer of the scanner. A case is nasty markup and places to cut it at. The invariant: parse5 finds the same tags,
// attributes and text in it.

import { isDeepStrictEqual } from 'node:util';
import { cutAt } from '../loader/scan/chunkings.ts';
import { markup, signs, words } from '../loader/scan/tokens/nasty-markup.ts';
import { isReadOtherwise, referenceTokens, tokens } from '../loader/scan/tokens/tokens.ts';
import { drawingBy, type FuzzTarget } from './fuzz.ts';

interface MarkupCase {
  readonly html: string;
  readonly places: readonly number[];
}

const pieces = [...signs, ...words, ...markup, ...markup];

export const markupTarget: FuzzTarget<MarkupCase> = {
  name: 'markup',
  casesInTests: 1_000,
  make(random) {
    const { below, pick } = drawingBy(random);
    const chosen = Array.from({ length: below(40) }, () => pick(pieces));
    const html = chosen.join('');
    return { html, places: Array.from({ length: below(8) }, () => below(html.length + 1)) };
  },
  async start() {
    return {
      async run({ html, places }) {
        if (isReadOtherwise(html)) return undefined;
        const expected = referenceTokens(html);
        const chunkings = { whole: [html], cut: cutAt(html, [...places]), 'one by one': [...html] };
        for (const [chunking, chunks] of Object.entries(chunkings)) {
          if (!isDeepStrictEqual(tokens(chunks), expected)) return `${chunking}: other tokens`;
        }
        return undefined;
      },
      async [Symbol.asyncDispose]() {},
    };
  },
};
