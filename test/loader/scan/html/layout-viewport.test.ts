// How wide a phone lays out a page (CSS Viewport 1). The widths are those of Chromium 156 with mobile emulation.

import { describe, expect, it } from 'vitest';
import { createScanner, type ScannerOptions } from '../../../../loader/scan/index.ts';

const phone = { viewport: '360x640@2 mobile' };
const widths = [320, 360, 500, 720, 980, 10_000];

/** The widest of these that the page is laid out in, by a style sheet and by sizes. */
function layoutWidth(meta: string, options: Partial<ScannerOptions> = phone) {
  const scanner = createScanner({ url: 'http://a.test/', ...options });
  const rules = widths.map((each) => `@media (min-width:${each}px){p{mask:url(${each})}}`);
  const candidates = widths.map((each) => `${each} ${each * 2}w`);
  const html = `${meta}<style>${rules.join('')}</style><p><img srcset="${candidates.join(',')}">`;
  const found = [...scanner.write(html), ...scanner.end()];
  return found.map(({ url }) => Number(new URL(url).pathname.slice(1)));
}

describe('the layout of a phone', () => {
  it.each<[string, number]>([
    ['', 980],
    ['<meta name=viewport content="width=device-width">', 360],
    ['<meta name=Viewport content="width=device-width, initial-scale=1">', 360],
    ['<meta name=viewport content="initial-scale=1">', 360],
    ['<meta name=viewport content="initial-scale=.5;">', 720],
    ['<meta name=viewport content="width=500, initial-scale=1">', 500],
    ['<meta name=viewport content="width=320, initial-scale=1">', 360],
    ['<meta name=viewport content="width=320">', 320],
    ['<meta name=viewport content="width=nonsense">', 980],
    ['<meta name=viewport content="user-scalable=no">', 980],
    ['<template><meta name=viewport content="width=320"></template>', 980],
  ])('%s: %i', (meta, width) => {
    expect(layoutWidth(meta)).toEqual([width, width]);
  });

  it('is the view without the option', () => {
    expect(layoutWidth('', { viewport: '360x640@2' })).toEqual([360, 360]);
  });
});
