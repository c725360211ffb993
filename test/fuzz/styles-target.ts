// The scanner of style sheets. A case is a nasty sheet and places to cut it at. The invariants: it never throws, finds the
// same in any chunking, and its work grows with the length of the sheet.

import { cutAt } from '../loader/scan/chunkings.ts';
import { scan, scannerFor } from '../loader/scan/css/found-in.ts';
import { pieces } from '../loader/scan/css/nasty-css.ts';
import { nextPiece } from '../loader/scan/css/next-piece.ts';
import { examined } from '../loader/scan/tokens/work.ts';
import type { FuzzTarget } from './fuzz.ts';

interface StylesCase {
  readonly css: string;
  readonly places: readonly number[];
}

/** Work that grows with the square of a sheet is far beyond this once it is repeated so often. */
const repeated = 100;
const mostPerCharacter = 60;

export const stylesTarget: FuzzTarget<StylesCase> = {
  name: 'styles',
  casesInTests: 500,
  make(random) {
    const below = (end: number): number => Math.floor(random() * end);
    const css = Array.from({ length: below(50) }, () => pieces[below(pieces.length)]).join('');
    return { css, places: Array.from({ length: below(8) }, () => below(css.length + 1)) };
  },
  async start() {
    return {
      async run({ css, places }) {
        try {
          const whole = JSON.stringify(scan([css], 'p .c'));
          const chunkings = { cut: cutAt(css, [...places]), 'one by one': css.split('') };
          for (const [name, chunks] of Object.entries(chunkings)) {
            const found = JSON.stringify(scan(chunks, 'p .c'));
            if (found !== whole) return `${name}: ${found}, not ${whole}`;
          }
          const long = css.repeat(repeated);
          const work = examined(() => read(long), nextPiece);
          if (work > mostPerCharacter * long.length) {
            return `${Math.round(work / long.length)} characters examined for each`;
          }
        } catch (error) {
          return String(error);
        }
        return undefined;
      },
      async [Symbol.asyncDispose]() {},
    };
  },
};

function read(css: string): void {
  const scanner = scannerFor(() => {});
  scanner.write(css);
  scanner.end();
}
