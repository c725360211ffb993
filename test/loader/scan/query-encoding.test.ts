// Queries in the encoding of their page (URL standard, query state). test/browser compares with Chromium.

import { describe, expect, it } from 'vitest';
import { createScanner } from '../../../loader/scan/index.ts';
import { chunkings } from './chunkings.ts';

function found(html: string | Uint8Array, contentType = 'text/html'): string[] {
  const bytes = Buffer.from(html as string, 'latin1');
  const read = (chunks: Uint8Array[]) => {
    const scanner = createScanner({ url: 'http://a.test/', contentType });
    const references = [...chunks.flatMap((chunk) => scanner.write(chunk)), ...scanner.end()];
    return references.map(({ url }) => url.slice('http://a.test'.length));
  };
  const whole = read([bytes]);
  for (const { name, chunks } of chunkings(bytes)) expect(read(chunks), name).toEqual(whole);
  return whole;
}

describe('a query', () => {
  it.each([
    ['windows-1252', '\xe9', '%E9'],
    ['koi8-r', '\xd1', '%D1'],
    ['shift_jis', '\x93\xfa', '%93%FA'],
    ['euc-jp', '\xc6\xfc', '%C6%FC'],
    ['iso-2022-jp', '&#26085;', '%1B$BF|%1B(B'],
    ['gbk', '\xd6\xd0', '%D6%D0'],
    ['gb18030', '&#128512;', '%949%FC6'],
    ['big5', '\xa4\xa4', '%A4%A4'],
    ['euc-kr', '\xc7\xd1', '%C7%D1'],
    ['utf-8', '\xc3\xa9', '%C3%A9'],
    ['koi8-r', '&euro;', '%26%238364%3B'],
  ])('on a page in %s: %j is %s', (charset, written, query) => {
    expect(found(`<img src="?q=${written}">`, `text/html; charset=${charset}`)).toEqual([
      `/?q=${query}`,
    ]);
  });

  it('alone: path and fragment are UTF-8, and what is written in percents stays', () => {
    const html = '<img src="\xe9/%E9?%C3%A9\xe9&#9;x#\xe9">';
    expect(found(html, 'text/html; charset=windows-1252')).toEqual(['/%C3%A9/%E9?%C3%A9%E9x']);
  });

  it('that comes before its page has told its encoding waits, and what is behind it', () => {
    const html = '<img src="a?&eacute;"><img src=b><base href=/c/><meta charset=koi8-u><img src=d>';
    expect(found(html)).toEqual(['/a?%26%23233%3B', '/b', '/c/d']);
    expect(found('<img src="a?&eacute;"><img src=b>')).toEqual(['/a?%E9', '/b']);
  });

  it('of text that somebody else decoded is UTF-8', () => {
    const contentType = 'text/html; charset=koi8-r';
    const scanner = createScanner({ url: 'http://a.test/', contentType });
    expect(scanner.write('<img src="?é">')).toMatchObject([{ url: 'http://a.test/?%C3%A9' }]);
  });
});
