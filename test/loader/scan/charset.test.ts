// Bytes to text: who decides the encoding, in which order, and how early. Each case in any chunking. Which late <meta>
// counts, and queries in the encoding of their page, are in test/browser/query-encoding.test.ts.

import { describe, expect, it } from 'vitest';
import { CharsetDecoder } from '../../../loader/scan/charset.ts';
import { createScanner } from '../../../loader/scan/index.ts';
import { charsetParameter } from '../../../loader/scan/text-decoder.ts';
import { inEveryChunking } from './every-chunking.ts';

interface Decoded {
  text: string;
  charset: string | null;
}

function decodeChunks(chunks: Uint8Array[], declared: string | null): Decoded {
  const decoder = new CharsetDecoder(declared);
  let text = '';
  for (const chunk of chunks) text += decoder.write(chunk);
  text += decoder.end();
  return { text, charset: decoder.charset };
}

/** Text and encoding, after checking that no chunking changes them. */
function decode(bytes: Uint8Array, declared: string | null = null): Decoded {
  return inEveryChunking(bytes, (chunks) => decodeChunks(chunks, declared));
}

function bytes(...parts: Array<string | number[]>): Uint8Array {
  const buffers = parts.map((part) =>
    typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part),
  );
  return new Uint8Array(Buffer.concat(buffers));
}

const utf16be = (text: string): number[] => [...Buffer.from(text, 'utf16le').swap16()];
const utf16le = (text: string): number[] => [...Buffer.from(text, 'utf16le')];
const bom8 = [0xef, 0xbb, 0xbf];
const e8 = [0xc3, 0xa9]; // é in UTF-8, Ã© in windows-1252

describe('who decides (HTML 13.2.3.2)', () => {
  it.each<[string, Uint8Array, string | null, string, string]>([
    ['the header wins over meta', bytes('<meta charset=koi8-r>', e8), 'utf-8', 'é', 'utf-8'],
    ['a byte order mark wins over the header', bytes(bom8, e8), 'windows-1252', 'é', 'utf-8'],
    ['that of UTF-16BE', bytes([0xfe, 0xff], utf16be('aé')), 'utf-8', 'aé', 'utf-16be'],
    ['that of UTF-16LE', bytes([0xff, 0xfe], utf16le('aé')), 'utf-8', 'aé', 'utf-16le'],
    ['it wins over meta', bytes(bom8, '<meta charset=shift_jis>', e8), null, 'é', 'utf-8'],
    ['two bytes of one are text', bytes([0xef, 0xbb]), null, 'ï»', 'windows-1252'],
    ['one byte of one is', bytes([0xef]), null, 'ï', 'windows-1252'],
    ['half of one in UTF-16 is', bytes([0xfe, 0x41]), null, 'þA', 'windows-1252'],
    ['half of the other is', bytes([0xff]), null, 'ÿ', 'windows-1252'],
    ['one behind text is', bytes('a', bom8), null, 'aï»¿', 'windows-1252'],
    ['x-user-defined in meta', bytes('<meta charset=x-user-defined>', [0xe9]), null, 'é', '-1252'],
    ['all of a name in meta', bytes('<meta charset=iso-8859-15>', [0xa4]), null, '€', '-8859-15'],
    ['the default', bytes([0x80, 0x93, 0xe9, 0x81]), null, '€“é\u0081', 'windows-1252'],
    ['the default of ASCII', bytes('plain'), null, 'plain', 'windows-1252'],
    ['the default of nothing', bytes(''), null, '', 'windows-1252'],
    ['meta before ASCII', bytes('<meta charset=utf-8>', ' '.repeat(3000)), null, ' ', 'utf-8'],
  ])('%s', (_, page, declared, text, charset) => {
    const decoded = decode(page, declared);
    expect(decoded.text.endsWith(text)).toBe(true);
    expect(decoded.text).not.toContain('\ufeff');
    expect(decoded.charset?.endsWith(charset)).toBe(true);
  });

  it('an empty chunk before the byte order mark decides nothing', () => {
    const chunks = [new Uint8Array(0), bytes(bom8, e8)];
    expect(decodeChunks(chunks, 'windows-1252')).toEqual({ text: 'é', charset: 'utf-8' });
  });

  it.each([
    ['<meta charset=utf-8>'],
    ['<meta charset="utf-8">'],
    ["<META CHARSET='UTF-8'/>"],
    ['<meta name=x charset = utf8 >'],
    ['<meta http-equiv=content-type content="text/html; charset=utf-8">'],
    ['<meta content="text/html;charset=utf-8" http-equiv="Content-Type">'],
    ['<!-- <meta charset=shift_jis> --><meta charset=utf-8>'],
    ['<a title="<meta charset=shift_jis>"><meta charset=utf-8>'],
    ['<meta charset=nonsense><meta charset=utf-8>'],
    ['<meta content="charset=shift_jis"><meta charset=utf-8>'], // no http-equiv: no pragma
    ['<meta charset=utf-16le>'], // it was read as ASCII, so it is none of the UTF-16 (13.2.3.2)
    ['<meta charset=utf-16be>'],
  ])('%s within the first 1,024 bytes means UTF-8', (meta) => {
    expect(decode(bytes(meta, e8))).toEqual({ text: `${meta}é`, charset: 'utf-8' });
  });

  it('meta counts when it ends within 1,024 bytes, wherever it stands', () => {
    const meta = '<meta charset=utf-8>';
    const within = `<body>${' '.repeat(1018 - meta.length)}${meta}`;
    expect(decode(bytes(within, e8)).charset).toBe('utf-8');
    const after = `<body>${' '.repeat(1018)}${meta}`;
    expect(decode(bytes(after, e8))).toEqual({ text: `${after}Ã©`, charset: 'windows-1252' });
  });

  it('in a head it counts after 1,024 bytes, too, and what came before it waits', () => {
    const late = `<!--${'x'.repeat(1100)}--><meta charset=koi8-r>`;
    const decoded = decode(bytes('<title>', [0xc1], `</title>${late}`, [0xc1], '<p>'));
    expect(decoded).toEqual({ text: `<title>а</title>${late}а<p>`, charset: 'koi8-r' });
  });

  it('a head without end is waited for no longer than 256 KB', () => {
    const long = 'x'.repeat(256 * 1024);
    const decoder = new CharsetDecoder(null);
    decoder.write(bytes([0xe9], long));
    expect(decoder.charset).toBe('windows-1252');
    expect(decode(bytes([0xe9], long, '<meta charset=koi8-r>')).charset).toBe('windows-1252');
  });

  it.each([null, 'nonsense', '', 'utf-99'])(
    'header label %j tells nothing: meta, then the default',
    (label) => {
      expect(decode(bytes('<meta charset=utf-8>', e8), label).charset).toBe('utf-8');
      expect(decode(bytes(e8), label)).toEqual({ text: 'Ã©', charset: 'windows-1252' });
    },
  );
});

describe('when it is decided', () => {
  it.each([
    ['the header at the first byte', 'Shift_JIS', '<', 'shift_jis'],
    ['meta as soon as it is whole', null, '<title></title><meta charset=koi8-r>', 'koi8-r'],
    ['meta not before', null, '<title></title><meta charset=koi8-r', null],
  ])('by %s, though all text so far is ASCII', (_, declared, text, charset) => {
    const decoder = new CharsetDecoder(declared);
    decoder.write(bytes(text));
    expect(decoder.charset).toBe(charset);
  });

  it('ASCII is handed on at once, before anything decided', () => {
    const decoder = new CharsetDecoder(null);
    expect(decoder.write(bytes('<img src=/a>'))).toBe('<img src=/a>');
    expect(decoder.charset).toBeNull();
    expect(decoder.write(bytes('b', [0xe9]))).toBe('b');
    expect(decoder.write(bytes('<meta charset=latin1>'))).toBe('é<meta charset=latin1>');
    expect(decoder.charset).toBe('windows-1252');
  });

  it('the reference in the first segment is found while the text behind it is undecided', () => {
    const scanner = createScanner({ url: 'http://a.example/' });
    const first = scanner.write(bytes('<img src=/a><p>', [0xe9], '<img src=/b>'));
    expect(first).toMatchObject([{ url: 'http://a.example/a' }]);
    expect(scanner.write(bytes(' '.repeat(1024 - 29)))).toEqual([]);
    expect(scanner.charset).toBeNull();
    expect(scanner.write(bytes(' '))).toMatchObject([{ url: 'http://a.example/b' }]);
    expect(scanner.charset).toBe('windows-1252');
  });
});

describe('encodings (Encoding 4.2)', () => {
  it.each([
    ['utf-8', [0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80], '€\u{1f600}'],
    ['utf-16le', [...utf16le('é\u{1f600}')], 'é\u{1f600}'],
    ['utf-16be', [...utf16be('é\u{1f600}')], 'é\u{1f600}'],
    ['shift_jis', [0x93, 0xfa, 0x96, 0x7b], '日本'],
    ['euc-jp', [0xc6, 0xfc, 0xcb, 0xdc], '日本'],
    ['iso-2022-jp', [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42], '日本'],
    ['gb18030', [0xd6, 0xd0, 0x81, 0x30, 0x81, 0x30], '中\u0080'],
    ['gbk', [0xd6, 0xd0], '中'],
    ['big5', [0xa4, 0xa4], '中'],
    ['euc-kr', [0xc7, 0xd1], '한'],
    ['koi8-r', [0xc1], 'а'],
    ['windows-1251', [0xe0], 'а'],
    ['iso-8859-2', [0xb1], 'ą'],
    ['macintosh', [0x8e], 'é'],
  ])('%s by header, a character split between chunks', (label, coded, text) => {
    expect(decode(bytes(coded), label)).toEqual({ text, charset: label });
  });

  it('an escape is no ASCII: ISO-2022-JP by meta (RFC 1468)', () => {
    const escaped = [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x1b, 0x28, 0x42];
    const meta = '<meta charset=iso-2022-jp>';
    expect(decode(bytes(meta, escaped, 'x'))).toEqual({
      text: `${meta}日x`,
      charset: 'iso-2022-jp',
    });
  });

  it.each([
    ['gb18030', [0x89, 0x34, 0x28]],
    ['gbk', [0x89, 0x34, 0x28]],
    ['euc-jp', [0x7e, 0x8f, 0xf8, 0x4c]],
    ['iso-2022-jp', [0xa9, 0x1b, 0x26, 0x90, 0x41]],
    ['iso-2022-jp', [0x1b, 0x24, 0x42, 0x46, 0x0a, 0x1b, 0x28, 0x42]],
    ['shift_jis', [0x81, 0x28, 0x81]],
    ['big5', [0x81, 0x28, 0x81]],
    ['euc-kr', [0xb0, 0x28, 0xb0]],
  ])('malformed %s is decoded alike however it is cut, without an exception', (label, coded) => {
    expect(decode(bytes('<a>', coded, '<img>', coded), label).text).toMatch(/\ufffd.*<img>/s);
  });

  it('text in several bytes a character is handed on up to the last whole one at once', () => {
    const decoder = new CharsetDecoder('gb18030');
    expect(decoder.write(bytes([0xd6, 0xd0], '<img src=/a>', [0xd6, 0xd0, 0xd6]))).toBe(
      '中<img src=/a>中',
    );
    expect(decoder.write(bytes([0xd0], '<p>'))).toBe('中<p>');
    const shifting = new CharsetDecoder('iso-2022-jp');
    expect(shifting.write(bytes('<img>', [0x1b, 0x24, 0x42, 0x46]))).toBe('<img>');
    expect(shifting.write(bytes([0x7c, 0x1b, 0x28, 0x42], '<p>', [0x1b]))).toBe('日<p>');
  });

  it('a long run without a place to cut is decoded all the same', () => {
    const decoder = new CharsetDecoder('gbk');
    const run = bytes(
      Array.from({ length: 100_001 }, (_, index) => (index % 2 === 0 ? 0xd6 : 0xd0)),
    );
    expect(decoder.write(run).length).toBe(50_000);
  });

  it('broken and cut sequences become U+FFFD, nothing is lost behind them', () => {
    expect(decode(bytes([0xc3], 'a', [0xff, 0xe2, 0x82]), 'utf-8').text).toBe(
      '\ufffda\ufffd\ufffd',
    );
  });
});

describe('URLs', () => {
  function urlsOf(page: Uint8Array, contentType = 'text/html'): string[] {
    return inEveryChunking(page, (chunks) => {
      const scanner = createScanner({ url: 'http://a.example/', contentType });
      const found = [...chunks.flatMap((chunk) => scanner.write(chunk)), ...scanner.end()];
      return found.map(({ url }) => url.slice('http://a.example'.length));
    });
  }

  it.each([
    ['utf-8', [...Buffer.from('日本')]],
    ['shift_jis', [0x93, 0xfa, 0x96, 0x7b]],
    ['euc-jp', [0xc6, 0xfc, 0xcb, 0xdc]],
    ['iso-2022-jp', [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42]],
    ['utf-16le', null],
    ['utf-16be', null],
  ])('a path in %s is sent as UTF-8 (URL 4.4)', (charset, path) => {
    const encode = { 'utf-16le': utf16le, 'utf-16be': utf16be }[charset as 'utf-16le'];
    const page =
      path === null ? bytes(encode('<img src="/日本">')) : bytes('<img src="/', path, '">');
    expect(urlsOf(page, `text/html; charset="${charset}"`)).toEqual(['/%E6%97%A5%E6%9C%AC']);
  });

  it('whose queries come before the page has told its encoding wait, and what is behind them', () => {
    const html = '<img src="a?&eacute;"><img src=b><base href=/c/><meta charset=koi8-u><img src=d>';
    expect(urlsOf(bytes(html))).toEqual(['/a?%26%23233%3B', '/b', '/c/d']);
    expect(urlsOf(bytes('<img src="a?&eacute;"><img src=b>'))).toEqual(['/a?%E9', '/b']);
  });

  it('of text that somebody else decoded have queries in UTF-8', () => {
    const contentType = 'text/html; charset=koi8-r';
    const scanner = createScanner({ url: 'http://a.example/', contentType });
    expect(scanner.write('<img src="?é">')).toMatchObject([{ url: 'http://a.example/?%C3%A9' }]);
  });
});

describe('the charset parameter (RFC 9110 8.3.2)', () => {
  it.each([
    ['text/html; charset=utf-8', 'utf-8'],
    ['text/html;charset=UTF-8', 'UTF-8'],
    ['text/html; Charset="utf-8"', 'utf-8'],
    ['text/html; a=b; charset=x ; c=d', 'x'],
    ['text/html', null],
    ['', null],
    ['text/html; charset=', null],
    ['text/html; xcharset=a', null],
    ['text/html; charset=a; charset=b', 'a'],
  ])('%j: %j', (value, charset) => expect(charsetParameter(value)).toBe(charset));
});
