// The scanner of style sheets. A case is a nasty sheet and places to cut it at. The invariants: it never throws, and finds
// the same in any chunking.

import { cutAt } from '../loader/scan/chunkings.ts';
import { scan } from '../loader/scan/css/found-in.ts';
import { pieces } from '../loader/scan/css/nasty-css.ts';
import { drawingBy, type FuzzTarget } from './fuzz.ts';

interface StylesCase {
  readonly css: string;
  readonly places: readonly number[];
}

export const stylesTarget: FuzzTarget<StylesCase> = {
  name: 'styles',
  casesInTests: 500,
  make(random) {
    const { below, pick } = drawingBy(random);
    const css = Array.from({ length: below(50) }, () => pick(pieces)).join('');
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
        } catch (error) {
          return String(error);
        }
        return undefined;
      },
      async [Symbol.asyncDispose]() {},
    };
  },
};
