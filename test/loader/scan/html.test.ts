// Every case is fed whole, byte by byte and cut at random; all must give the same references.

import { describe, expect, it } from 'vitest';
import { createScanner, type Reference } from '../../../loader/scan/index.ts';
import { inEveryChunking } from './every-chunking.ts';

const page = 'http://site.example/dir/page.html?q=1#part';

function scanChunks(chunks: Array<Uint8Array | string>, url = page): Reference[] {
  const scanner = createScanner({ url, contentType: 'text/html; charset=utf-8' });
  return [...chunks.flatMap((chunk) => scanner.write(chunk)), ...scanner.end()];
}

/** The references, which are the same in bytes and in text, however cut. */
function scan(html: string, url = page): Reference[] {
  const whole = inEveryChunking<Uint8Array, Reference[]>(Buffer.from(html), (chunks) =>
    scanChunks(chunks, url),
  );
  expect(inEveryChunking(html, (chunks) => scanChunks(chunks, url))).toEqual(whole);
  return whole;
}

const urls = (html: string, url = page): string[] => scan(html, url).map((found) => found.url);

describe('what is a reference', () => {
  it('each reference comes inside the write that completes its tag, not later', () => {
    const scanner = createScanner({ url: page });
    expect(scanner.write('<img src="/a"')).toEqual([]);
    expect(scanner.write('><img src="/b')).toMatchObject([{ url: 'http://site.example/a' }]);
    expect(scanner.write('">')).toMatchObject([{ url: 'http://site.example/b' }]);
  });

  it('duplicates are handed on: removing them is the page load’s business', () => {
    expect(urls('<img src=/a><img src=/a>')).toHaveLength(2);
  });

  it('the fragment is no part of what is fetched (RFC 9110 7.1), nor are credentials', () => {
    expect(urls('<img src=//me:secret@site.example/a#top>')).toEqual(['http://site.example/a']);
  });

  it('other attributes and other elements name nothing', () => {
    const html =
      '<a href=/a><img alt=/b title=src><video src=/c></video><imgx src=/d><im src=/e><link href=/f><div src=/g>';
    expect(urls(html)).toEqual([]);
  });
});

it.each([
  ['/a?b&amp;c', '/a?b&c'],
  ['/a?b&ampc', '/a?b&ampc'], // legacy name before a letter stays, in an attribute
  ['/a?copy&copy=1', '/a?copy&copy=1'],
  ['&#x2F;a', '/a'],
  ['&#47a', '/a'],
  ['/a&#x80;', '/a\u20ac'], // the C1 table of 13.2.5.80
  ['/a&NotEqualTilde;', '/a\u2242\u0338'], // one name, two code points
  ['/a?&#x', '/a?&#x'],
  ['/a?&nosuchname;b', '/a?&nosuchname;b'],
  [`&#${'0'.repeat(3_000)}47;a`, '/a'],
])('13.2.5.72: %j means %j', (written, meant) => {
  const wanted = new URL(meant, page);
  wanted.hash = '';
  expect(urls(`<img src="${written}"><img src=${written}>`)).toEqual([wanted.href, wanted.href]);
});

const base = (href: string, then: string) => `<base href="${href}">${then}`;

// URL 4.4, and which URL it is that a reference is relative to.
it.each<[string, string, string]>([
  [
    'spaces are stripped around, encoded inside; no tabs',
    '<img src=" \n/a\nb\tc\rd e \t">',
    '/abcd%20e',
  ],
  [
    'backslashes are slashes',
    '<img src="\\a\\b"><img src="\\\\o.example\\c">',
    '/a/b http://o.example/c',
  ],
  ['paths are UTF-8', '<img src="/ä/\u{1f600}">', '/%C3%A4/%F0%9F%98%80'],
  ['hosts are IDNA', '<img src="http://bücher.example/">', 'http://xn--bcher-kva.example/'],
  ['dot segments go', '<img src="./../x/./y">', '/x/y'],
  ['the query of the page does not stay', '<img src="?z">', '/dir/page.html?z'],
  [
    'HTML 4.2.3: base rules what follows it',
    `<img src=a>${base('http://o.example/d/', '<img src=a><img src=/a>')}`,
    '/dir/a http://o.example/d/a http://o.example/a',
  ],
  ['base may be relative to the page', base('../other/x.html', '<img src=a>'), '/other/a'],
  [
    'the first base with href holds',
    `<base target=_top>${base('/1/', base('/2/', '<img src=a>'))}`,
    '/1/a',
  ],
  ...['http://[', 'data:text/plain,x', 'javascript:void(0)', ''].map(
    (href): [string, string, string] => [
      `base ${href} is the URL of the page, and still no later base counts`,
      base(href, base('/two/', '<img src=a>')),
      '/dir/a',
    ],
  ),
  ...['ftp://o.example/', 'about:blank'].map((href): [string, string, string] => [
    `from base ${href}, relative references cannot be fetched`,
    base(href, '<img src=a><img src=http://o.example/b>'),
    'http://o.example/b',
  ]),
  [
    'a script with src: its content is text',
    '<script src=/a>"<img src=/x>"</script><img src=/b>',
    '/a /b',
  ],
  [
    'after plaintext all is text (13.2.5.5)',
    '<img src=/a><plaintext></plaintext><img src=/c>',
    '/a',
  ],
])('%s', (_, html, expected) => {
  const found = urls(html).map((url) => url.replace('http://site.example', ''));
  expect(found.join(' ')).toBe(expected);
});

describe('text that looks like tags', () => {
  it.each([
    'script',
    'style',
    'textarea',
    'title',
    'xmp',
    'iframe',
    'noembed',
    'noframes',
    'noscript',
  ])('inside <%s> is text up to its own end tag (HTML 13.2.5.1, 13.2.6.2)', (name) => {
    const open = name.toUpperCase();
    expect(urls(`<${name}><img src=/a></${name}><img src=/b>`)).toEqual(['http://site.example/b']);
    expect(urls(`<${open} class=x>'</p>"<img src=/a></${name} ><img src=/b>`)).toEqual([
      'http://site.example/b',
    ]);
    expect(urls(`<${name}></${name}x><img src=/a></${name}/><img src=/b>`)).toEqual([
      'http://site.example/b',
    ]);
    expect(urls(`<${name}/><img src=/a></${name}><img src=/b>`)).toEqual(['http://site.example/b']);
    expect(urls(`<${name}><img src=/a>`)).toEqual([]);
  });
});

describe('hostile input', () => {
  it('a 1 MB attribute that matters is whole, one that does not is passed over', () => {
    const long = 'x'.repeat(1_000_000);
    expect(urls(`<img alt="${long}" src=/a><img src=/b>`.replace(/x{9}/g, ''))).toHaveLength(2);
    const html = Buffer.from(`<img alt="${long}" src="/${long}"><img src=/b>`);
    const wanted = [`http://site.example/${long}`, 'http://site.example/b'];
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < html.length; at += 1460) pieces.push(html.subarray(at, at + 1460));
    expect(scanChunks([html]).map(({ url }) => url)).toEqual(wanted);
    expect(scanChunks(pieces).map(({ url }) => url)).toEqual(wanted);
  });
});

it('a scanner of no URL is a TypeError', () => {
  expect(() => createScanner({ url: '/relative' })).toThrow(TypeError);
  const wrong = { viewport: '0x1', also: 1, alsoo: 1 };
  for (const [option, value] of Object.entries(wrong)) {
    const given = { url: page, [option]: value };
    expect(() => createScanner(given)).toThrow(expect.objectContaining({ option }));
  }
});
