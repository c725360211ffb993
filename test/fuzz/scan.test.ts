// Any bytes in any chunking: never an exception, always the same references. A failure prints its seed.

import { describe, expect, it } from 'vitest';
import { ImageSizeProbe } from '../../loader/scan/image-size.ts';
import { createScanner, type Reference } from '../../loader/scan/index.ts';
import { cutAt } from '../loader/scan/chunkings.ts';
import fc from '../support/property.ts';

const runs = { numRuns: 1_500 };

interface Scanned {
  references: Reference[];
  charset: string | null;
}

function scan(chunks: Array<Uint8Array | string>, contentType = ''): Scanned {
  const scanner = createScanner({ url: 'http://site.example/dir/page', contentType });
  const references = [...chunks.flatMap((chunk) => scanner.write(chunk)), ...scanner.end()];
  return { references, charset: scanner.charset };
}

/** What pages, and those who mean them ill, are made of. */
const fragments = [
  '<', '>', '/', '</', '<!', '<!--', '-->', '--!>', '<![CDATA[', ']]>', '<?', '"', "'", '=', ' ', '\n', '\t', '\f',
  '\r', '\0', 'img', 'IMG', 'script', 'link', 'base', 'style', 'title', 'textarea', 'noscript', 'plaintext', 'xmp',
  'iframe', 'svg', 'template', '<img ', '<script ', '<link ', '<base ', '<noscript>', '</noscript>', '</NOSCRIPT ',
  '<title>', '</title>', '<script>', '</script>', 'src=', 'src="', "src='", 'href=', 'rel=', 'rel=stylesheet ',
  'href="/', 'SRC =', 'src', 'a.gif', '/b', '//c.example/', '..', '#d', '?e', 'http://', 'https://x.example/',
  'data:,', 'javascript:', 'http://[', '&amp;', '&amp', '&#x2F;', '&#47', '&#', '&notit;', '&NotEqualTilde;', '&',
  '<meta charset=', '<meta charset=utf-8>', '<meta charset="shift_jis">',
  '<meta http-equiv=content-type content="text/html; charset=koi8-r">', 'iso-2022-jp', '\u001b$B', '\u001b(B',
]; // biome-ignore format: a list of words
const fragment = fc.constantFrom(...fragments);

const piece = fc.oneof(
  { weight: 6, arbitrary: fragment.map((text) => Buffer.from(text, 'latin1')) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }).map((text) => Buffer.from(text)),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 900, max: 1_100 }).map((count) => Buffer.alloc(count, 'x')),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('efbbbf', 'feff', 'fffe', 'ef', 'fe', 'ff')
      .map((hex) => Buffer.from(hex, 'hex')),
  },
);
const page = fc
  .array(piece, { maxLength: 40 })
  .map((pieces) => new Uint8Array(Buffer.concat(pieces)));
const places = fc.array(fc.nat(), { maxLength: 12 });
const charsets =
  'utf-8 windows-1252 utf-16le utf-16be shift_jis euc-jp iso-2022-jp gb18030 big5 euc-kr';
const contentType = fc.constantFrom(
  ...['', 'text/html', 'text/html; charset=nonsense', 'text/html; charset='],
  ...charsets.split(' ').map((label) => `text/html; charset=${label}`),
);

describe('the scanner', () => {
  it('gives the same for any bytes in any chunking and byte by byte, in any encoding', () => {
    fc.assert(
      fc.property(page, places, contentType, (bytes, cuts, type) => {
        const whole = scan([bytes], type);
        const at = cuts.map((cut) => cut % (bytes.length + 1));
        expect(scan(cutAt(bytes, at), type)).toEqual(whole);
        if (bytes.length > 200) return;
        expect(scan(cutAt(bytes, [...bytes.keys()]), type)).toEqual(whole);
      }),
      runs,
    );
  });

  it('gives the same for any text in any chunking, surrogates split and alone', () => {
    const text = fc
      .array(
        fc.oneof(
          fragment,
          fc.string({ unit: 'binary', maxLength: 5 }),
          fc.constantFrom('\ud83d', '\ude00'),
        ),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, places, (html, cuts) => {
        const at = cuts.map((cut) => cut % (html.length + 1));
        expect(scan(cutAt(html, at))).toEqual(scan([html]));
      }),
      runs,
    );
  });

  it('hands on only what can be fetched: absolute http(s) URLs that stay the same when parsed again', () => {
    fc.assert(
      fc.property(page, contentType, (bytes, type) => {
        for (const { url, kind } of scan([bytes], type).references) {
          expect(url).toMatch(/^https?:\/\/[^\s#]+$/);
          expect(new URL(url).href).toBe(url);
          expect(['image', 'script', 'stylesheet']).toContain(kind);
        }
      }),
      runs,
    );
  });

  it('a reference is found as soon as its tag is whole, whatever follows', () => {
    fc.assert(
      fc.property(page, page, contentType, (head, tail, type) => {
        const url = 'http://site.example/dir/page';
        const [alone, followed] = [1, 2].map(() => createScanner({ url, contentType: type }));
        const soon = alone?.write(head) ?? [];
        const all = [...(followed?.write(head) ?? []), ...(followed?.write(tail) ?? [])];
        expect(all.slice(0, soon.length)).toEqual(soon);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the image size probe', () => {
  const starts = [
    '474946383961', '89504e470d0a1a0a0000000d49484452', 'ffd8ffe0', '52494646', '49492a00', '4d4d002a',
    '000001000100', '38425053', '0000001866747970', '0000000c6a502020', '424d', '6963 6e73', '3c737667',
    'ff0a', '00000018667479706176696600', '5038',
  ]; // biome-ignore format: a list of words
  const image = fc
    .tuple(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 120 }))
    .map(
      ([start, rest]) =>
        new Uint8Array(Buffer.concat([Buffer.from(start.replace(' ', ''), 'hex'), rest])),
    );

  it('never throws, and tells whole positive numbers or nothing', () => {
    fc.assert(
      fc.property(image, places, (bytes, cuts) => {
        const probe = new ImageSizeProbe();
        let told = 0;
        for (const chunk of cutAt(
          bytes,
          cuts.map((cut) => cut % (bytes.length + 1)),
        )) {
          if (probe.write(chunk)) told++;
        }
        if (probe.end()) told++;
        expect(told).toBe(probe.size === null ? 0 : 1);
        if (probe.size === null) return;
        expect(probe.size.width).toBeGreaterThan(0);
        expect(probe.size.height).toBeGreaterThan(0);
      }),
      runs,
    );
  });
});
