// Which source an image takes: HTML 4.8.4.3.7 and the sizes attribute (4.8.4.3.11).

import { describe, expect, it } from 'vitest';
import { selectImage, sourceSize } from '../../../../loader/scan/images/selection.ts';

const laptop = { width: 1000, height: 800, dpr: 1 };
const phone = { width: 360, height: 640, dpr: 3 };

describe('by density', () => {
  it.each<[string, string | null, number, string | null]>([
    ['a 1x, b 2x', null, 1, 'a'],
    ['a 1x, b 2x', null, 2, 'b'],
    ['a 1x, b 2x', null, 1.1, 'b'],
    ['a 1.5x, b 2x', null, 1.1, 'a'],
    ['a 0.5x, b 2x', null, 1, 'b'],
    ['b 2x', 'src', 1, 'src'],
    ['b 2x', 'src', 2, 'b'],
    ['a, b 2x', 'src', 1, 'a'],
    ['b 2x', null, 1, 'b'],
    ['b 2x', '', 1, 'b'],
    ['a 1x, c 1x', null, 1, 'a'],
    ['c 3x, b 2x, a 1x', null, 9, 'c'],
    ['', 'src', 1, 'src'],
    ['a 1q', 'src', 1, 'src'],
    ['', null, 1, null],
  ])('%s with src %s at %dx: %s', (srcset, src, dpr, expected) => {
    expect(selectImage({ srcset, sizes: null }, src, { ...laptop, dpr })).toBe(expected);
  });
});

describe('by width', () => {
  const srcset = 'xs 320w, s 640w, m 1024w, l 2048w';
  it.each<[string | null, typeof laptop, string]>([
    [null, laptop, 'm'],
    ['50vw', laptop, 's'],
    ['(max-width: 600px) 100vw, 300px', laptop, 'xs'],
    ['(max-width: 600px) 100vw, 300px', phone, 'l'],
    ['(min-width: 500px) and (orientation: landscape) calc(100vw - 200px), 1px', laptop, 'm'],
    ['auto', laptop, 'm'],
  ])('sizes %s on %o: %s', (sizes, screen, expected) => {
    expect(selectImage({ srcset, sizes }, 'src', screen)).toBe(expected);
  });
});

describe('sizes', () => {
  it.each<[string, number | 'auto']>([
    ['', 1000],
    ['10px', 10],
    ['50vw', 500],
    ['(min-width: 500px) 10px, 20px', 10],
    ['(min-width: 1500px) 10px, 20px', 20],
    ['(min-width: 1500px) 10px', 1000],
    ['20px, 30px', 20],
    ['calc(100vw / 2 + 1em)', 516],
    ['(width > 1px) min(10em, 50vw), 1px', 160],
    ['calc(1px - 2px)', 0],
    ['-1px, 5px', 5],
    ['50%, 5px', 5],
    ['0', 0],
    ['5, 7px', 7],
    ['screen 5px, 7px', 7],
    ['(foo) 5px, 7px', 7],
    ['not (foo) 5px, 7px', 7],
    ['not (width < 1px) 5px, 7px', 5],
    ['auto, 5px', 5],
    ['10px /* of */ , 5px', 10],
    ['(width > 1px)5px', 5],
    [',,5px', 5],
    ['url(x) 5px', 1000],
    ['(', 1000],
    ['5px'.repeat(10_000), 1000],
  ])('%s', (text, expected) => {
    expect(sourceSize(text, laptop)).toBe(expected);
  });
});
