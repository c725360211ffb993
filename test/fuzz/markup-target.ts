// The tokenizer of the scanner. A case is nasty markup and places to cut it at. The invariant: parse5 finds the same tags,
// attributes and raw text in it, whatever the consumer wants of them.

import { isDeepStrictEqual } from 'node:util';
import { cutAt } from '../loader/scan/chunkings.ts';
import { markup, signs, words } from '../loader/scan/tokens/nasty-markup.ts';
import {
  type Consumer,
  hasQuotedEndTag,
  referenceTokens,
  tokens,
} from '../loader/scan/tokens/tokens.ts';
import type { FuzzTarget } from './fuzz.ts';

interface MarkupCase {
  readonly html: string;
  readonly places: readonly number[];
}

const few = new Set(['a', 'x']);
const consumers: Readonly<Record<string, Consumer>> = {
  everything: { wanted: null, wantsEndTags: true },
  'a few attributes': { wanted: few, wantsEndTags: true },
  'start tags alone': { wanted: few, wantsEndTags: false },
};
const pieces = [...signs, ...words, ...markup, ...markup];

export const markupTarget: FuzzTarget<MarkupCase> = {
  name: 'markup',
  casesInTests: 1_000,
  make(random) {
    const below = (end: number): number => Math.floor(random() * end);
    const chosen = Array.from({ length: below(40) }, () => pieces[below(pieces.length)]);
    const html = chosen.join('');
    return { html, places: Array.from({ length: below(8) }, () => below(html.length + 1)) };
  },
  async start() {
    return {
      async run({ html, places }) {
        if (hasQuotedEndTag(html)) return undefined;
        for (const [name, consumer] of Object.entries(consumers)) {
          const expected = referenceTokens(html, consumer);
          const chunkings = { whole: [html], cut: cutAt(html, [...places]), 'one by one': html };
          for (const [chunking, chunks] of Object.entries(chunkings)) {
            const found = tokens(Array.isArray(chunks) ? chunks : chunks.split(''), consumer);
            if (!isDeepStrictEqual(found, expected)) return `${name}, ${chunking}: other tokens`;
          }
        }
        return undefined;
      },
      async [Symbol.asyncDispose]() {},
    };
  },
};
