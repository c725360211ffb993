// Media Queries 5, for a screen of 1280 x 800 CSS pixels with two device pixels each.

import { describe, expect, it, test } from 'vitest';
import { matchesMedia } from '../../../../loader/scan/style/media-query.ts';

const screen = { width: 1280, height: 800, dpr: 2 };

/** Queries, which stand between semicolons. */
const queries = (text: string): string[] => text.split(/[;\n]/).map((each) => each.trim());

const matching = queries(`
  all; SCREEN; only screen; not print; print, screen; screen,; (min-width: 1280px); (max-width: 1280px)
  (width: 1280px); (width); (min-width: 0); screen and (min-width: 60em); (min-width: 80rem); (width >= 100vw)
  (width < 34cm); (400px <= width <= 1280px); (1280px = width); (400px < width); (height <= 50em)
  (orientation: landscape); (aspect-ratio: 16/10); (aspect-ratio: 1.6); (aspect-ratio > 1/1)
  (min-aspect-ratio: calc(3/2)); (min-resolution: 2dppx); (resolution: 192dpi); (min-resolution: 2x)
  (-webkit-min-device-pixel-ratio: 1.5); (-webkit-device-pixel-ratio: 2); (color); (min-color: 8)
  not (monochrome); (hover); (pointer: fine); (prefers-color-scheme: light)
  (prefers-reduced-motion: no-preference); not (prefers-reduced-motion); (scripting: enabled); (grid: 0)
  not (grid); (width > 1px) and (height > 1px); (width < 1px) or (height > 1px); (width; not (width < 1px)
  ((width > 1px) and (not (height < 1px))); not print and (width); (min-width: calc(1000px + 10em))
  (min-width: min(2000px, 10em)); (max-width: clamp(1px, 1300px, 2000px)); (min-width: max(10px, 2 * 5em))
  (width < 1px), (height); (foo) or (width); (foo: bar) , screen; (min-width: 1e3px)`);
const failing =
  queries(`print; not all; speech; not screen; only print; tv; handheld; (min-width: 1281px); (max-width: 1279.9px)
  (width: 1279px); (max-width: 600px); screen and (max-width: 40em); (width > 1280px); (400px <= width < 1280px)
  (orientation: portrait); (aspect-ratio: 16/9); (max-resolution: 96dpi); (monochrome); (hover: none)
  (pointer: coarse); (prefers-color-scheme: dark); (prefers-reduced-motion); (prefers-reduced-motion: reduce)
  (grid); (display-mode: fullscreen)`);
/** Neither these nor their contraries match (Media Queries 5, 3.1). */
const unknown =
  queries(`(foo); not (foo); (foo: bar); (width) and (foo); (min-width: 3s); (width: red); (orientation: sideways)
  (min-orientation: portrait); (min-hover: hover); (100px)`);
/** These are "not all" (3.2). */
const invalid =
  queries(`screen and; and (width); (width) and (height) or (color); screen or (width); not screen or (width)
  screen (width); (400px < width > 300px); &; (min-width: 1px 2px); (min-width >= 1px); (width =< 2000px)`);

describe('matches', () => {
  it.each(matching)('%s', (query) => {
    expect(matchesMedia(query, screen)).toBe(true);
  });
});

describe('does not match', () => {
  it.each([...failing, ...unknown, ...invalid])('%s', (query) => {
    expect(matchesMedia(query, screen)).toBe(false);
  });
});

test('what is too long or too deep does not match, and does not throw', () => {
  expect(matchesMedia(`(width)${' '.repeat(5000)}`, screen)).toBe(true);
  expect(matchesMedia(`(min-width: ${'1'.repeat(5000)}px)`, screen)).toBe(false);
  expect(matchesMedia(`${'('.repeat(30)}width${')'.repeat(30)}`, screen)).toBe(true);
  expect(matchesMedia(`${'('.repeat(1500)}width${')'.repeat(1500)}`, screen)).toBe(false);
  expect(matchesMedia(`(min-width: ${'calc('.repeat(500)}1px${')'.repeat(500)})`, screen)).toBe(
    false,
  );
});
