// A sheet selects what is before it, too, wherever it stands and whenever it comes (CSS 2, 3.1: the whole document tree).

import { describe, expect, it } from 'vitest';
import { createScanner } from '../../../../loader/scan/index.ts';
import { chunkings } from '../chunkings.ts';

const url = 'http://site.example/';
const sheetUrl = `${url}s.css`;

/** What the sheet leads to, in order of names. */
function found(html: string, css: string, arrival: Arrival, chunks = [html]): string[] {
  const scanner = createScanner({ url });
  const all: string[] = [];
  const take = (references: ReturnType<typeof scanner.write>) =>
    all.push(...references.map((each) => new URL(each.url).pathname.slice(1)));
  const readSheet = () => {
    const reader = scanner.styleSheet({ url: sheetUrl });
    take(reader.write(css));
    take(reader.end());
  };
  if (arrival === 'before the page') readSheet();
  for (const [at, chunk] of chunks.entries()) {
    take(scanner.write(chunk));
    if (arrival === 'within the page' && at === Math.floor(chunks.length / 2)) readSheet();
  }
  if (arrival === 'in the page') take(scanner.write(`<style>${css}</style>`));
  if (arrival === 'linked') take(scanner.write('<link rel=stylesheet href=s.css>'));
  take(scanner.end());
  if (arrival === 'after the page' || arrival === 'linked') readSheet();
  return [...new Set(all)].filter((name) => name !== 's.css').sort();
}

const arrivals = [
  ...(['in the page', 'linked', 'before the page', 'within the page', 'after the page'] as const),
];
type Arrival = (typeof arrivals)[number];

const css =
  'html{mask:url(root)}html.x{mask:none}body{background:url(body)}body.x,#x{background:none}' +
  '.a{background:url(a)}.v{background:var(--v)}div > p.b{background:url(b)}body > .b{background:url(c)}' +
  '@font-face{font-family:f;src:url(f);unicode-range:U+3B1}em{font-family:f}';

describe.each<[string, string, string[]]>([
  ['no tag of html and body', '<p>text', ['body', 'root']],
  ['a class of the body', '<body class=x><p>text', ['root']],
  ['an identifier of the body', '<html><head></head><body id=x><p>text', ['root']],
  ['a class of the root', '<html class=x><meta charset=utf-8><title>x</title><p>text', ['body']],
  ['both', '<html class=x><head><base href=/><body class=x>', []],
  ['a body that comes too late', '<img src=data:,><body class=x>', ['body', 'root']],
  ['a class', '<body class=x><p class=a>text', ['a', 'root']],
  ['where an element stands', '<body class=x><div><p class=b>text</p></div>', ['b', 'root']],
  ['inert content', '<body class=x><template><p class=a></template>', ['root']],
  ['text of scripts', '<body class=x><script>"<p class=a>"</script>', ['root']],
  ['a style attribute', '<body class=x><p style="mask:url(m)" class=a>', ['a', 'm', 'root']],
  ['a custom property', '<body class=x><p style="--v:url(v)" class=v>', ['root', 'v']],
  ['characters', '<body class=x><em>\u03b1</em>', ['f', 'root']],
])('%s', (_, html, expected) => {
  it.each(arrivals)('the sheet comes %s', (arrival) => {
    expect(found(html, css, arrival)).toEqual(expected);
    for (const { name, chunks } of chunkings(html)) {
      expect(found(html, css, arrival, chunks), name).toEqual(expected);
    }
  });
});
