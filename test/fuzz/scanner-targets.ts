// The scanner's readers of markup and of style sheets. A case is a nasty text and places to cut it at. The invariants, in
// any chunking: parse5 finds the same tags, attributes and text in markup; what is found in a sheet is the same, and the
// reader of sheets never throws.

import { isDeepStrictEqual } from 'node:util';
import { cutAt } from '../loader/scan/chunkings.ts';
import { scan } from '../loader/scan/css/found-in.ts';
import { pieces as piecesOfSheets } from '../loader/scan/css/nasty-css.ts';
import { markup, signs, words } from '../loader/scan/tokens/nasty-markup.ts';
import { isReadOtherwise, referenceTokens, tokens } from '../loader/scan/tokens/tokens.ts';
import { drawingBy, type FuzzTarget, tryingAlone } from './fuzz.ts';

interface ScannerCase {
  readonly text: string;
  readonly places: readonly number[];
}

const drawnFrom =
  (pieces: readonly string[], most: number) =>
  (random: () => number): ScannerCase => {
    const { below, pick } = drawingBy(random);
    const text = Array.from({ length: below(most) }, () => pick(pieces)).join('');
    return { text, places: Array.from({ length: below(8) }, () => below(text.length + 1)) };
  };

/** What is found in any of the chunkings that is not what is expected. */
function differing(
  { text, places }: ScannerCase,
  find: (chunks: string[]) => unknown,
  expected: unknown,
) {
  const chunkings = { whole: [text], cut: cutAt(text, [...places]), 'one by one': text.split('') };
  for (const [name, chunks] of Object.entries(chunkings)) {
    const found = find(chunks);
    if (isDeepStrictEqual(found, expected)) continue;
    return `${name}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`;
  }
  return undefined;
}

export const markupTarget: FuzzTarget<ScannerCase> = {
  name: 'markup',
  casesInTests: 1_000,
  make: drawnFrom([...signs, ...words, ...markup, ...markup], 40),
  start: tryingAlone(async (one) =>
    isReadOtherwise(one.text) ? undefined : differing(one, tokens, referenceTokens(one.text)),
  ),
};

export const stylesTarget: FuzzTarget<ScannerCase> = {
  name: 'styles',
  casesInTests: 500,
  make: drawnFrom(piecesOfSheets, 50),
  start: tryingAlone(async (one) => {
    const found = (chunks: string[]) => scan(chunks, 'p .c');
    try {
      return differing(one, found, found([one.text]));
    } catch (error) {
      return String(error);
    }
  }),
};
