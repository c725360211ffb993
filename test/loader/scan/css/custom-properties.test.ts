// Custom properties with URLs (CSS Variables 1, 2 and 3): in one sheet, across sheets, in style attributes.

import { describe, expect, it, test } from 'vitest';
import { createScanner } from '../../../../loader/scan/index.ts';

/** What a page leads to. Its sheets are linked in this order, and arrive in both orders. */
function found(html: string, ...sheets: string[]): string[] {
  const names = sheets.map((_, at) => `${at}.css`);
  const links = names.map((name) => `<link rel=stylesheet href=${name}>`).join('');
  const read = (order: number[]) => {
    const scanner = createScanner({ url: 'http://a.test/' });
    const all = [...scanner.write(links + html), ...scanner.end()];
    for (const at of order) {
      const reader = scanner.styleSheet({ url: `http://a.test/${names[at]}` });
      all.push(...reader.write(sheets[at] ?? ''), ...reader.end());
    }
    const urls = new Set(all.map(({ url }) => new URL(url).pathname.slice(1)));
    return [...urls].filter((url) => !url.endsWith('.css')).sort();
  };
  const order = sheets.map((_, at) => at);
  const result = read(order);
  expect(read(order.toReversed())).toEqual(result);
  return result;
}

describe('a URL is fetched where a property uses it', () => {
  it.each<[string, string, string[], string[]]>([
    ['in one sheet', '<p>', [':root{--b:url(x)}p{background:var(--b)}'], ['x']],
    ['used by nothing', '<p>', [':root{--b:url(x)}'], []],
    ['in another sheet', '<p>', [':root{--b:url(x)}', 'p{background:var(--b)}'], ['x']],
    [
      'through others, in three sheets',
      '<p>',
      [':root{--c:url(x)}', ':root{--b:var(--c)}', 'p{background:var(--b)}'],
      ['x'],
    ],
    ['of a style attribute', '<p class=a style="--b:url(x)">', ['.a{background:var(--b)}'], ['x']],
    [
      'of the one around',
      '<div style="--b:url(x)"><p class=a></div>',
      ['.a{background:var(--b)}'],
      ['x'],
    ],
    ['used by a style attribute', '<p style="background:var(--b)">', [':root{--b:url(x)}'], ['x']],
    ['within one attribute', '<p style="--b:url(x);background:var(--b)">', [], ['x']],
    [
      'not of an element beside',
      '<p style="--b:url(x)"></p><i class=a>',
      ['.a{mask:var(--b)}'],
      [],
    ],
    [
      'the nearest definition',
      '<div class=d><p></div>',
      [':root{--b:url(x)}.d{--b:url(y)}p{background:var(--b)}'],
      ['y'],
    ],
    ['the last one', '<p>', [':root{--b:url(x)}', ':root{--b:none}p{background:var(--b)}'], []],
    ['a use that is overridden', '<p>', ['p{--b:url(x);mask:var(--b)}p{mask:none}'], []],
    ['a pseudo-element', '<p>', ['p{--b:url(x)}p::before{content:"";mask:var(--b)}'], ['x']],
    ['a fallback', '<p>', ['p{mask:var(--b, url(x))}'], ['x']],
    ['a fallback without need', '<p>', ['p{--b:red;mask:var(--b, url(x))}'], []],
  ])('%s', (_, html, sheets, expected) => {
    expect(found(html, ...sheets)).toEqual(expected);
  });
});

test('what was before the first sheet has its style attributes', () => {
  const scanner = createScanner({ url: 'http://a.test/' });
  const html = '<p class=a style="--b:url(x)"><style>.a{background:var(--b)}</style>';
  const all = [...scanner.write(html), ...scanner.end()];
  expect(all.map(({ url }) => url)).toEqual(['http://a.test/x']);
});
