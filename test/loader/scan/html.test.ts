// Every case is fed whole, byte by byte and cut at random; all must give the same references.

import { describe, expect, it } from 'vitest';
import { createScanner, type Reference } from '../../../loader/scan/index.ts';
import { chunkings } from './chunkings.ts';

const page = 'http://site.example/dir/page.html?q=1#part';

function scanChunks(chunks: Array<Uint8Array | string>, url = page): Reference[] {
  const scanner = createScanner({ url, contentType: 'text/html; charset=utf-8' });
  return [...chunks.flatMap((chunk) => scanner.write(chunk)), ...scanner.end()];
}

/** The references, after checking that no chunking changes them. */
function scan(html: string, url = page): Reference[] {
  const bytes = Buffer.from(html);
  const whole = scanChunks([bytes], url);
  for (const { name, chunks } of chunkings<Uint8Array>(bytes)) {
    expect(scanChunks(chunks, url), `bytes, ${name}`).toEqual(whole);
  }
  for (const { name, chunks } of chunkings(html)) {
    expect(scanChunks(chunks, url), `text, ${name}`).toEqual(whole);
  }
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

  it.each([
    'data:image/gif;base64,R0lGODlhAQABAAAAACw=',
    'javascript:void(0)',
    'mailto:a@b.example',
    'blob:http://site.example/x',
    'file:///etc/passwd',
    'ftp://o.example/x',
    'about:blank',
  ])('%s is not fetched: only http and https are', (value) => {
    expect(urls(`<img src="${value}"><script src="${value}"></script>`)).toEqual([]);
  });

  it.each(['', ' ', '\t\n'])('src %j names no resource (HTML 4.8.4.3.5)', (value) => {
    expect(urls(`<img src="${value}"><img src><script src="${value}"></script>`)).toEqual([]);
    expect(urls(`<link rel=stylesheet href="${value}">`)).toEqual([]);
  });

  it.each(['http://', 'http://[::1', 'https://a b/', 'http://a:99999/'])(
    '%s does not parse as a URL and is left out (URL 4.4)',
    (value) =>
      expect(urls(`<img src="${value}"><img src=/next>`)).toEqual(['http://site.example/next']),
  );

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

it.each<[string, string, string[]]>([
  [
    'URL 4.4: tabs and newlines inside are removed, spaces around stripped, inside encoded',
    '<img src=" \n/a\nb\tc\rd e \t">',
    ['http://site.example/abcd%20e'],
  ],
  [
    'URL 4.4: backslashes are slashes',
    '<img src="\\a\\b"><img src="\\\\o.example\\c">',
    ['http://site.example/a/b', 'http://o.example/c'],
  ],
  [
    'URL 4.4: paths are UTF-8, hosts IDNA',
    '<img src="/ä/\u{1f600}"><img src="http://bücher.example/">',
    ['http://site.example/%C3%A4/%F0%9F%98%80', 'http://xn--bcher-kva.example/'],
  ],
  [
    'URL 4.4: dot segments go, the query of the page does not stay',
    '<img src="./../x/./y"><img src="?z">',
    ['http://site.example/x/y', 'http://site.example/dir/page.html?z'],
  ],
  [
    'HTML 4.2.3: base rules what follows it',
    '<img src=a><base href="http://o.example/d/"><img src=a><img src=/a>',
    ['http://site.example/dir/a', 'http://o.example/d/a', 'http://o.example/a'],
  ],
  [
    'base may be relative to the page',
    '<base href="../other/x.html"><img src=a>',
    ['http://site.example/other/a'],
  ],
  [
    'the first base with href holds',
    '<base target=_top><base href=/one/><base href=/two/><img src=a>',
    ['http://site.example/one/a'],
  ],
  ...['http://[', 'data:text/plain,x', 'javascript:void(0)', ''].map(
    (href): [string, string, string[]] => [
      `base ${href} is the URL of the page, and still no later base counts`,
      `<base href="${href}"><base href=/two/><img src=a>`,
      ['http://site.example/dir/a'],
    ],
  ),
  ...['ftp://o.example/', 'about:blank'].map((href): [string, string, string[]] => [
    `from base ${href}, relative references cannot be fetched`,
    `<base href="${href}"><img src=a><img src=http://o.example/b>`,
    ['http://o.example/b'],
  ]),
  [
    'a script with src: its content is text',
    '<script src=/a.js>document.write("<img src=/x>")</script><img src=/b>',
    ['http://site.example/a.js', 'http://site.example/b'],
  ],
  [
    'after plaintext all is text (13.2.5.5)',
    '<img src=/a><plaintext><img src=/b></plaintext><img src=/c>',
    ['http://site.example/a'],
  ],
])('%s', (_, html, expected) => {
  expect(urls(html)).toEqual(expected);
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

describe('how a resource is asked for', () => {
  it.each([
    ['<img src=a>', {}],
    ['<img src=a crossorigin>', { crossOrigin: 'anonymous' }],
    ['<img src=a CrossOrigin=Anonymous>', { crossOrigin: 'anonymous' }],
    ['<img src=a crossorigin=nonsense>', { crossOrigin: 'anonymous' }],
    ['<script src=a crossorigin=USE-credentials></script>', { crossOrigin: 'use-credentials' }],
    ['<script src=a type=module></script>', { crossOrigin: 'anonymous' }],
    ['<script src=a type=text/javascript></script>', {}],
    [
      '<script src=a type=module crossorigin=use-credentials></script>',
      { crossOrigin: 'use-credentials' },
    ],
    ['<link rel=stylesheet href=a crossorigin>', { crossOrigin: 'anonymous' }],
    ['<img src=a referrerpolicy=Origin>', { referrerPolicy: 'origin' }],
    ['<img src=a referrerpolicy=nonsense>', {}],
    ['<meta name=Referrer content=no-referrer><img src=a>', { referrerPolicy: 'no-referrer' }],
    ['<meta name=referrer content=always><img src=a>', { referrerPolicy: 'unsafe-url' }],
    ['<meta name=referrer content=nonsense><img src=a>', {}],
    ['<img src=a><meta name=referrer content=origin>', {}],
    [
      '<meta name=referrer content=origin><img src=a referrerpolicy=unsafe-url>',
      { referrerPolicy: 'unsafe-url' },
    ],
  ])('%s', (html, how) => {
    const scanner = createScanner({ url: 'http://a.test/' });
    const found = [...html].flatMap((character) => scanner.write(character));
    const settings = found.map(({ crossOrigin, referrerPolicy }) => ({
      ...(crossOrigin && { crossOrigin }),
      ...(referrerPolicy && { referrerPolicy }),
    }));
    expect(settings).toEqual([how]);
  });
});

it('a scanner of no URL is a TypeError', () => {
  expect(() => createScanner({ url: '/relative' })).toThrow(TypeError);
});
