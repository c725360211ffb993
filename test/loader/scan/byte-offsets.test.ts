// The offset of a reference is that of its tag in the bytes of the document, whatever the encoding and the chunking.

import { expect, test } from 'vitest';
import { createScanner } from '../../../loader/scan/index.ts';
import { chunkings } from './chunkings.ts';

/** Two characters in each encoding, some with bytes that are ASCII letters. */
const words: Record<string, Uint8Array> = {
  'utf-8': Buffer.from('\u65e5\u{1f600}'),
  'windows-1252': Uint8Array.of(0xe9, 0x80),
  shift_jis: Uint8Array.of(0x93, 0xfa, 0x83, 0x5c),
  'euc-jp': Uint8Array.of(0xc6, 0xfc, 0xcb, 0xdc),
  gb18030: Uint8Array.of(0xc8, 0xd5, 0x81, 0x30, 0x84, 0x36),
  big5: Uint8Array.of(0xa4, 0xe9, 0x88, 0x62),
};

const malformed = Uint8Array.of(0xff, 0xc3, 0xe3, 0x81);

function page(word: Uint8Array): Buffer {
  const text = (written: string) => Buffer.from(written, 'latin1');
  return Buffer.concat([
    ...[text('<title>'), word, text('</title><p>'), word, text('<<b>'), word],
    ...[
      text('<img src=1.png alt="<'),
      word,
      text('"><!-- < '),
      word,
      text(' --><p style="background:'),
    ],
    ...[text('url(2.png)">'), word, word, text('<script type=module>import "./3.js"</script>')],
    ...[word, text('<img src=4.png>')],
  ]);
}

test.each([
  ...Object.entries(words),
  ['utf-8', malformed] as const,
  ['shift_jis', malformed] as const,
  ['gb18030', malformed] as const,
])('%s', (charset, word) => {
  const bytes = page(word);
  for (const start of [Buffer.alloc(0), Buffer.from([0xef, 0xbb, 0xbf])]) {
    if (start.length > 0 && charset !== 'utf-8') continue;
    const whole = Buffer.concat([start, bytes]);
    const expected = ['<img src=1', '<p style', '<script', '<img src=4'].map((tag) =>
      whole.indexOf(tag),
    );
    for (const { name, chunks } of chunkings(whole)) {
      const contentType = `text/html; charset=${charset}`;
      const scanner = createScanner({ url: 'http://a.test/', contentType });
      const found = [...chunks.flatMap((chunk) => scanner.write(chunk)), ...scanner.end()];
      expect(
        found.map(({ offset }) => offset).toSorted((a, b) => a - b),
        name,
      ).toEqual(expected);
    }
  }
});
