// The content coding deflate is the zlib format (RFC 9110 8.4.1.2, RFC 1950); many servers send raw deflate (RFC 1951)
// under the same name. Both decode while they arrive, whatever wrote them.

import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ContentDecoder, decodeWhole } from '../../../loader/response/content-coding.ts';
import { chunkings } from '../scan/chunkings.ts';

const text = Buffer.from(
  Array.from({ length: 60 }, (_, index) => `<td><img src="/image-${index * 7}.gif">`).join('\n'),
);
const limits = { maxCodings: 2, maxResourceBytes: 1_000_000 };

const forms: Array<[form: string, encode: (options?: zlib.ZlibOptions) => Buffer]> = [
  ['zlib', (options) => zlib.deflateSync(text, options)],
  ['raw', (options) => zlib.deflateRawSync(text, options)],
];

interface Outcome {
  got: Buffer;
  /** Code of the error; absent: none. */
  code?: string;
}

async function outcomeOf(chunks: readonly Uint8Array[]): Promise<Outcome> {
  const parts: Buffer[] = [];
  const decoder = new ContentDecoder('deflate', 1, (bytes) => parts.push(bytes));
  try {
    for (const chunk of chunks) await decoder.write(Buffer.from(chunk));
    await decoder.end();
  } catch (error) {
    return { got: Buffer.concat(parts), code: (error as { code: string }).code };
  }
  return { got: Buffer.concat(parts) };
}

describe.each(forms)('deflate, %s', (form, encode) => {
  const { Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE } = zlib.constants;
  const settings: zlib.ZlibOptions[] = [
    ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((level) => ({ level })),
    ...[9, 10, 11, 12, 13, 14, 15].map((windowBits) => ({ windowBits })),
    ...[Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE].map((strategy) => ({ strategy })),
  ];

  it.each(settings)('decodes in any chunking, written with %o', async (options) => {
    const coded = encode(options);
    for (const { name, chunks } of chunkings<Uint8Array>(coded)) {
      expect(await outcomeOf(chunks), name).toEqual({ got: text });
    }
    expect(decodeWhole('deflate', coded, limits)).toEqual(text);
  });

  it('hands on what the server flushed before more has come', async () => {
    const encoder = form === 'zlib' ? zlib.createDeflate() : zlib.createDeflateRaw();
    const coded: Buffer[] = [];
    encoder.on('data', (chunk: Buffer) => coded.push(chunk));
    const flushed = () => new Promise<void>((resolve) => encoder.flush(() => resolve()));
    let got = '';
    const decoder = new ContentDecoder('deflate', 1, (bytes) => {
      got += bytes;
    });
    let sent = '';
    for (const line of ['<img src="/a.gif">', '<img src="/b.gif">', '<img src="/c.gif">']) {
      encoder.write(line);
      await flushed();
      sent += line;
      for (const chunk of coded.splice(0)) await decoder.write(chunk);
      expect(got).toBe(sent);
    }
    decoder.destroy();
    encoder.destroy();
  });

  it('is never taken for the other form, whatever the text begins with', async () => {
    for (let byte = 0; byte < 256; byte++) {
      const body = Buffer.concat([Buffer.of(byte), text]);
      for (const level of [0, 6]) {
        const code = form === 'zlib' ? zlib.deflateSync : zlib.deflateRawSync;
        const { got } = await outcomeOf([code(body, { level })]);
        expect(got.equals(body), `byte ${byte}, level ${level}`).toBe(true);
      }
    }
  });
});

describe('deflate in the zlib format', () => {
  it('with a wrong checksum is coding-broken (RFC 1950 2.3)', async () => {
    const coded = zlib.deflateSync(text);
    coded[coded.length - 1] = (coded.at(-1) as number) ^ 1;
    for (const { name, chunks } of chunkings<Uint8Array>(coded)) {
      expect((await outcomeOf(chunks)).code, name).toBe('coding-broken');
    }
    expect(decodeWhole('deflate', coded, limits)).toBeNull();
  });

  it('that wants a preset dictionary is coding-broken: HTTP agrees on none (RFC 1950 2.2)', async () => {
    const coded = zlib.deflateSync(text, { dictionary: Buffer.from('<td><img src=') });
    expect(await outcomeOf([coded])).toEqual({ got: Buffer.alloc(0), code: 'coding-broken' });
    expect(decodeWhole('deflate', coded, limits)).toBeNull();
  });
});
