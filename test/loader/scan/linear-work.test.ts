// Markup that nests without end, or closes what is not open, costs work in proportion to its length.

import { expect, it } from 'vitest';
import { createScanner } from '../../../loader/scan/index.ts';
import { lookUpsOf } from './look-ups.ts';

const page = 'http://site.example/';

it('a long value is not read again for each element', () => {
  const style = `@font-face{font-family:f;src:url(f)}p{display:${' '.repeat(2_000_000)}block}`;
  const scanner = createScanner({ url: page });
  const before = process.cpuUsage();
  scanner.write(`<style>${style}</style>${'<p>'.repeat(10_000)}`);
  scanner.end();
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(10);
});

it.each([
  [
    'nested tags and stray end tags',
    (count: number) => '<div>'.repeat(count) + '</p>'.repeat(count),
  ],
  ['open shadow roots', (count: number) => '<template shadowrootmode=open>'.repeat(count)],
  ['open templates', (count: number) => '<template>'.repeat(count)],
  ['foreign content that is not closed', (count: number) => `<svg>${'<g></x>'.repeat(count)}`],
  ['rows and cells', (count: number) => `<table>${'<td><table>'.repeat(count)}`],
])('%s are linear work, before a style sheet and behind one', (_, html) => {
  for (const start of ['', '<style>p{mask:url(x)}</style>']) {
    const work = (count: number): number => {
      const scanner = createScanner({ url: page });
      return lookUpsOf(() => {
        const text = start + html(count);
        for (let at = 0; at < text.length; at += 1460) scanner.write(text.slice(at, at + 1460));
        scanner.end();
      });
    };
    work(10); // what is loaded on demand is there
    // Twice the input, twice the work, after as many as are kept.
    expect(work(20_000)).toBeLessThanOrEqual(2.1 * work(10_000));
  }
});
