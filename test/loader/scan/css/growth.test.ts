// Reading the structure is linear work in every chunking, counted in characters examined.

import { expect, it } from 'vitest';
import { CssScanner } from '../../../../loader/scan/css/css-scanner.ts';
import { defaultScreen } from '../../../../loader/scan/style/environment.ts';
import { cutAt } from '../chunkings.ts';
import { examined } from '../tokens/work.ts';

const length = 150_000;
const filled = (unit: string) => unit.repeat(Math.ceil(length / unit.length));

it.each([
  ['rules', filled('p{color:red}')],
  ['nested rules', filled('p{')],
  ['closing braces', filled('}')],
  ['semicolons', filled(';')],
  ['parentheses', `p{a:${filled('(')}`],
  ['url(', `p{a:${filled('url(')}`],
  ['a data: URL', `p{background:url(data:${filled('x')})}`],
  ['a string', `p{content:"${filled('x')}`],
  ['bad strings', `p{content:${filled('"\n')}`],
  ['backslashes', `p{content:${filled('\\')}`],
  ['slashes', `p{content:${filled('/')}`],
  ['comments', filled('/**/')],
  ['an open comment of almost ends', `/*${filled('* /')}`],
  ['<!--', filled('<!--')],
  ['hyphens', filled('-')],
  ['a custom property of blocks', `p{--x:${filled('{}')}`],
  ['imports', filled('@import "a";')],
  ['urls', filled('p{background:url(a)}')],
  ['variables', filled('p{--a:var(--b);mask:var(--a)}')],
])('%s', (_, css) => {
  for (const size of [css.length, 1_460, 7]) {
    const places = Array.from({ length: Math.floor(css.length / size) }, (_, at) => at * size);
    const chunks = cutAt(css, places);
    const work = examined(() => {
      const scanner = new CssScanner({ screen: defaultScreen, onFound: () => {} });
      for (const chunk of chunks) scanner.write(chunk);
      scanner.end();
    });
    expect(work, `chunks of ${size}`).toBeLessThan(12 * css.length);
  }
});
