// HTML 4.8.4.3.10, "parsing a srcset attribute".

import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { parseSrcset } from '../../../../loader/scan/images/srcset.ts';

/** `a 2x` and so on, of what was understood. */
const shown = (text: string) =>
  parseSrcset(text).map(({ url, width, density }) =>
    [url, width !== null && `${width}w`, density !== null && `${density}x`]
      .filter((part) => part !== false)
      .join(' '),
  );

it.each<[string, string, string[]]>([
  ['one URL', 'a.png', ['a.png']],
  ['densities', 'a.png 1x, b.png 2x,c.png 1.5x', ['a.png 1x', 'b.png 2x', 'c.png 1.5x']],
  ['widths', 'a.png 480w,\n\tb.png 800w', ['a.png 480w', 'b.png 800w']],
  ['a width and a height', 'a.png 480w 320h', ['a.png 480w']],
  ['a height alone', 'a.png 320h, b.png', ['b.png']],
  ['a comma in a URL', 'a,b.png 1x', ['a,b.png 1x']],
  ['a comma at the end of a URL ends the candidate', 'a.png, b.png 2x', ['a.png', 'b.png 2x']],
  ['several of them', 'a.png,,, b.png', ['a.png', 'b.png']],
  ['no space after the comma: one URL', 'a.png,b.png 2x', ['a.png,b.png 2x']],
  [
    'a data URL',
    'data:image/gif;base64,R0= 1x, b.png 2x',
    ['data:image/gif;base64,R0= 1x', 'b.png 2x'],
  ],
  ['commas before', ' ,, a.png', ['a.png']],
  ['nothing', '  ,  ', []],
  ['exponents', 'a.png 1e1x, b.png 2E-1x', ['a.png 10x', 'b.png 0.2x']],
  ['a density without digits before the point', 'a.png .5x', ['a.png 0.5x']],
  ['invalid numbers', 'a 1.x, b +1x, c xx, d 1.5w, e -1w, f 0w, g 1X', []],
  ['negative densities', 'a -1x, b -0x', ['b 0x']],
  ['two of a kind', 'a 1x 2x, b 1w 2w, c 1x 1w, d 1w 1x', []],
  ['unknown descriptors', 'a 1q, b 1x hello, c 2x', ['c 2x']],
  ['parentheses keep commas and spaces', 'a calc(1, 2) 1x, b 2x', ['b 2x']],
  ['an open parenthesis', 'a (b, c 2x', []],
])('%s', (_, text, expected) => {
  expect(shown(text)).toEqual(expected);
});

test('each URL is a part of the text, and nothing throws', () => {
  const piece = fc.constantFrom(' ', '\n', ...'a , ( ) 1x 2w 3h data:, . -'.split(' '));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      for (const { url } of parseSrcset(text)) {
        expect(text).toContain(url);
        expect(url).not.toMatch(/^,|[\t\n\f\r ]/);
      }
    }),
    { seed: 1, numRuns: 500 },
  );
});
