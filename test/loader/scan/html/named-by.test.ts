// What a reference says of the place that names it.

import { expect, it } from 'vitest';
import { createScanner, type Skipped } from '../../../../loader/scan/index.ts';

it.each<[string, from: string, attribute: string | undefined]>([
  ['<script src=a></script>', 'script src', 'src'],
  ['<img srcset=a>', 'img srcset', 'srcset'],
  ['<picture><source srcset=a><img>', 'img source srcset', 'srcset'],
  ['<link rel=preload as=image imagesrcset=a>', 'link imagesrcset', 'imagesrcset'],
  ['<svg><image xlink:href=a>', 'image xlink:href', 'xlink:href'],
  ['<p style="background:url(a)">', 'p style', 'style'],
  ['<style>@import "a";</style>', 'style @import', undefined],
  ['<script type=module>import "./a"</script>', 'script import', undefined],
])('%s: %s', (html, from, attribute) => {
  const scanner = createScanner({ url: 'http://site.example/' });
  const [reference] = [...scanner.write(html), ...scanner.end()];
  expect(reference).toMatchObject({ from, url: 'http://site.example/a' });
  expect(reference?.attribute).toBe(attribute);
});

it('also of what is not fetched', () => {
  const skipped: Skipped[] = [];
  const url = 'http://site.example/';
  const scanner = createScanner({ url, onSkipped: (each) => skipped.push(each) });
  scanner.write('<script nomodule src=a></script><meta http-equiv=refresh content="1;b">');
  expect(skipped).toMatchObject([
    { from: 'script src', attribute: 'src' },
    { from: 'meta refresh', attribute: 'content' },
  ]);
});
