// Content codings taken off as bytes come (RFC 9110 8.4), each case in any chunking, and what happens
// to a coded body that is cut, corrupt, too large or followed by something else.

import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { LoaderError } from '../../../loader/errors.ts';
import {
  acceptEncoding,
  brotliIsSafe,
  ContentDecoder,
  decodeWhole,
} from '../../../loader/response/content-coding.ts';
import { randomFrom } from '../../support/random.ts';
import { chunkings, cutAt } from '../scan/chunkings.ts';

const text = Buffer.from(
  Array.from({ length: 400 }, (_, index) => `<img src="/image-${index * 7}.gif">`).join('\n'),
);

const ofWhole = { maxCodings: 2, maxResourceBytes: 1_000_000 };

async function decode(coding: string, chunks: Uint8Array[], maxCodings = 2): Promise<Buffer> {
  const parts: Buffer[] = [];
  const decoder = new ContentDecoder(coding, maxCodings, (bytes) => parts.push(bytes));
  for (const chunk of chunks) await decoder.write(Buffer.from(chunk));
  await decoder.end();
  return Buffer.concat(parts);
}

async function failure(work: Promise<unknown>): Promise<LoaderError> {
  const error = await work.then(
    () => new Error('it did not fail'),
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(LoaderError);
  return error as LoaderError;
}

const coders: Array<[coding: string, encode: (body: Buffer) => Buffer]> = [
  ['gzip', (body) => zlib.gzipSync(body)],
  ['x-gzip', (body) => zlib.gzipSync(body)],
  ['GZip', (body) => zlib.gzipSync(body)],
  ['deflate', (body) => zlib.deflateSync(body)],
  ['deflate', (body) => zlib.deflateRawSync(body)], // wrong by RFC 9110 8.4.1.2, and common
  ['zstd', (body) => zlib.zstdCompressSync(body)],
  ...(brotliIsSafe
    ? [['br', (body: Buffer) => zlib.brotliCompressSync(body)] as (typeof coders)[number]]
    : []),
  ['deflate, gzip', (body) => zlib.gzipSync(zlib.deflateSync(body))],
  ['gzip, zstd', (body) => zlib.zstdCompressSync(zlib.gzipSync(body))],
  ['zstd,deflate', (body) => zlib.deflateRawSync(zlib.zstdCompressSync(body))],
  ['gzip, gzip', (body) => zlib.gzipSync(zlib.gzipSync(body))],
  ['identity, gzip', (body) => zlib.gzipSync(body)],
  [' , gzip ,', (body) => zlib.gzipSync(body)], // empty list elements (RFC 9110 5.6.1.2)
  ['identity', (body) => body],
  ['', (body) => body],
];

describe.each(coders)('%s', (coding, encode) => {
  it('comes off in any chunking', async () => {
    const coded = encode(text.subarray(0, 2_000));
    for (const { name, chunks } of chunkings<Uint8Array>(coded)) {
      expect((await decode(coding, chunks)).equals(text.subarray(0, 2_000)), name).toBe(true);
    }
  });

  it('a coded empty body, and a body without a byte, are empty', async () => {
    for (const { name, chunks } of chunkings<Uint8Array>(encode(Buffer.alloc(0)))) {
      expect((await decode(coding, chunks)).length, name).toBe(0);
    }
    expect(await decode(coding, [])).toHaveLength(0);
    expect(await decode(coding, [new Uint8Array(0)])).toHaveLength(0);
  });

  it('all that a chunk holds is handed on before its write resolves', async () => {
    const random256 = noise(200_000);
    const coded = encode(random256);
    let got = 0;
    const decoder = new ContentDecoder(coding, 2, (bytes) => {
      got += bytes.length;
    });
    let fed = 0;
    for (let at = 0; at < coded.length; at += 16_384) {
      const chunk = coded.subarray(at, at + 16_384);
      await decoder.write(chunk);
      fed += chunk.length;
      const seen = got;
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setImmediate(resolve));
      expect(got, `after ${fed} bytes nothing comes late`).toBe(seen);
    }
    await decoder.end();
    expect(got).toBe(random256.length);
  });

  it('the bytes handed on are the sink’s to keep, the chunk given is its owner’s again', async () => {
    const coded = encode(text);
    const parts: Buffer[] = [];
    const decoder = new ContentDecoder(coding, 2, (bytes) => parts.push(bytes));
    for (const chunk of cutAt<Uint8Array>(coded, [10, 100, 500])) {
      const own = Buffer.from(chunk);
      await decoder.write(own);
      if (!decoder.identity) own.fill(0xaa);
    }
    await decoder.end();
    expect(Buffer.concat(parts).equals(text)).toBe(true);
  });
});

const single = coders.filter(([coding]) => /^(gzip|deflate|zstd|br)$/.test(coding));

describe.each(single)('broken %s', (coding, encode) => {
  const coded = encode(text);

  it('a cut body gives what came and then coding-broken, wherever it is cut', async () => {
    // A gzip body is whole without its trailer of eight bytes.
    const last = coded.length - (coding === 'gzip' ? 9 : 1);
    for (const length of [1, 2, 3, 5, 9, 10, 11, 20, coded.length >> 1, last]) {
      const parts: Buffer[] = [];
      const decoder = new ContentDecoder(coding, 2, (bytes) => parts.push(bytes));
      const error = await failure(
        (async () => {
          await decoder.write(coded.subarray(0, length));
          await decoder.end();
        })(),
      );
      expect(error.code, `${length} bytes`).toBe('coding-broken');
      expect(error.message).toContain(coding);
      const got = Buffer.concat(parts);
      expect(got.equals(text.subarray(0, got.length)), `${length} bytes`).toBe(true);
    }
  });

  it('what is not of that coding at all is coding-broken', async () => {
    const plain = Buffer.from(
      '<html>this is not coded, whatever the header says</html>'.repeat(20),
    );
    for (const { name, chunks } of chunkings<Uint8Array>(plain)) {
      expect((await failure(decode(coding, chunks))).code, name).toBe('coding-broken');
    }
  });

  it('a corrupt body is coding-broken or, where nothing checks, ends; later calls repeat the error', async () => {
    const next = randomFrom(3);
    for (let round = 0; round < 40; round++) {
      const bad = Buffer.from(coded);
      const place = Math.floor(next() * bad.length);
      bad[place] = (bad[place] as number) ^ (1 << Math.floor(next() * 8));
      const decoder = new ContentDecoder(coding, 2, () => {});
      const outcome = await (async () => {
        await decoder.write(bad);
        await decoder.end();
      })().catch((error) => error);
      if (outcome === undefined) continue;
      expect(outcome.code, `bit ${place}`).toBe('coding-broken');
      expect(await failure(Promise.resolve(decoder.write(bad)))).toBe(outcome);
      expect(await failure(decoder.end())).toBe(outcome);
    }
  });

  it('bytes behind the end of the coded body are no part of it, and nothing waits for them', async () => {
    for (const surplus of [Buffer.alloc(1), Buffer.from('garbage'), Buffer.alloc(20_000, 'x')]) {
      const whole = Buffer.concat([coded, surplus]);
      const places = [[], [coded.length], [coded.length - 1], [coded.length + 1, coded.length + 3]];
      for (const at of places) {
        const parts: Buffer[] = [];
        const decoder = new ContentDecoder(coding, 2, (bytes) => parts.push(bytes));
        const outcome = await (async () => {
          for (const chunk of cutAt<Uint8Array>(whole, at)) await decoder.write(Buffer.from(chunk));
          await decoder.end();
        })().catch((error: LoaderError) => error);
        const got = Buffer.concat(parts);
        expect(got.equals(text.subarray(0, got.length))).toBe(true);
        // gzip and zstd: another member or frame would have to begin there (RFC 1952 2.2, RFC 8878
        // 3.1). Zeros behind gzip are padding.
        const mayFail = coding === 'zstd' || (coding === 'gzip' && surplus[0] !== 0);
        if (outcome === undefined) expect(got.length).toBe(text.length);
        else expect([mayFail, outcome.code]).toEqual([true, 'coding-broken']);
      }
    }
  });
});

it.each([
  ['a gzip body may have several members (RFC 1952 2.2)', 'gzip', zlib.gzipSync],
  ['a zstd body may have several frames (RFC 8878 3.1)', 'zstd', zlib.zstdCompressSync],
] as const)('%s', async (_rule, coding, encode) => {
  const coded = Buffer.concat(['one ', '', 'three'].map((each) => encode(each)));
  for (const { name, chunks } of chunkings<Uint8Array>(coded)) {
    expect(String(await decode(coding, chunks)), name).toBe('one three');
  }
});

// The coding deflate is the zlib format (RFC 9110 8.4.1.2, RFC 1950); many servers send raw deflate (RFC 1951).
describe.each([
  ['zlib', zlib.deflateSync],
  ['raw', zlib.deflateRawSync],
] as const)('deflate, %s', (_form, encode) => {
  const { Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE } = zlib.constants;
  const settings: zlib.ZlibOptions[] = [
    ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((level) => ({ level })),
    ...[9, 10, 11, 12, 13, 14, 15].map((windowBits) => ({ windowBits })),
    ...[Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE].map((strategy) => ({ strategy })),
  ];
  const short = text.subarray(0, 2_000);

  it.each(settings)('decodes in any chunking, written with %o', async (options) => {
    const coded = encode(short, options);
    for (const { name, chunks } of chunkings<Uint8Array>(coded)) {
      expect((await decode('deflate', chunks)).equals(short), name).toBe(true);
    }
    expect(decodeWhole('deflate', coded, ofWhole)).toEqual(short);
  });

  it('is never taken for the other form, whatever the text begins with', async () => {
    for (let byte = 0; byte < 256; byte++) {
      const body = Buffer.concat([Buffer.of(byte), short]);
      for (const level of [0, 6]) {
        const got = await decode('deflate', [encode(body, { level })]);
        expect(got.equals(body), `byte ${byte}, level ${level}`).toBe(true);
      }
    }
  });
});

it('deflate with a wrong checksum, or for a preset dictionary, is coding-broken (RFC 1950 2.2, 2.3)', async () => {
  const wrong = zlib.deflateSync(text);
  wrong[wrong.length - 1] = (wrong.at(-1) as number) ^ 1;
  const preset = zlib.deflateSync(text, { dictionary: Buffer.from('<img src=') });
  for (const coded of [wrong, preset]) {
    for (const { name, chunks } of chunkings<Uint8Array>(coded)) {
      expect((await failure(decode('deflate', chunks))).code, name).toBe('coding-broken');
    }
    expect(decodeWhole('deflate', coded, ofWhole)).toBeNull();
  }
});

describe('limits', () => {
  const bombs: Array<[string, Buffer]> = [
    ['gzip', zlib.gzipSync(Buffer.alloc(64 * 1024 * 1024))],
    ['zstd', zlib.zstdCompressSync(Buffer.alloc(64 * 1024 * 1024))],
    ['gzip, gzip', zlib.gzipSync(zlib.gzipSync(Buffer.alloc(64 * 1024 * 1024)))],
    ['gzip, zstd', zlib.zstdCompressSync(zlib.gzipSync(Buffer.alloc(64 * 1024 * 1024)))],
  ];

  it.each(bombs)('a %s bomb grows no further than the sink lets it', async (coding, bomb) => {
    const most = 100_000;
    let got = 0;
    const refusal = new LoaderError('body-too-large', 'enough');
    const decoder = new ContentDecoder(coding, 2, (bytes) => {
      got += bytes.length;
      if (got > most) throw refusal;
    });
    expect(await failure(Promise.resolve(decoder.write(bomb)))).toBe(refusal);
    await new Promise((resolve) => setImmediate(resolve));
    expect(got).toBeLessThan(most + 128 * 1024);
    expect(await failure(decoder.end())).toBe(refusal);
  });

  it('a slow sink is not overrun: what a bomb may hold at a time is bounded', async () => {
    const [, bomb] = bombs[2] as [string, Buffer];
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const decoder = new ContentDecoder('gzip, gzip', 2, () => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    });
    await decoder.write(bomb);
    await decoder.end();
    expect(most).toBeLessThan(48 * 1024 * 1024);
  });

  it('a zstd frame may not ask for a window over 8 MB (RFC 9659 3)', async () => {
    const { ZSTD_c_windowLog } = zlib.constants;
    const wide = (log: number) =>
      zlib.zstdCompressSync(noise(100_000), { params: { [ZSTD_c_windowLog]: log } });
    const streamed = (log: number) =>
      new Promise<Buffer>((resolve) => {
        const parts: Buffer[] = [];
        const encoder = zlib.createZstdCompress({ params: { [ZSTD_c_windowLog]: log } });
        encoder
          .on('data', (part) => parts.push(part))
          .on('end', () => resolve(Buffer.concat(parts)));
        encoder.end(noise(1_000));
      });
    expect((await decode('zstd', [wide(23)])).length).toBe(100_000);
    expect((await decode('zstd', [await streamed(23)])).length).toBe(1_000);
    expect((await failure(decode('zstd', [await streamed(25)]))).code).toBe('coding-broken');
  });

  it('more codings than allowed are refused before a byte is decoded', () => {
    const make = (value: string, most: number) => () => new ContentDecoder(value, most, () => {});
    expect(make('gzip, gzip, gzip', 2)).toThrow(
      expect.objectContaining({ code: 'too-many-codings', message: expect.stringContaining('3') }),
    );
    expect(make('gzip, identity, gzip', 2)).not.toThrow();
    expect(make('gzip', 0)).toThrow(expect.objectContaining({ code: 'too-many-codings' }));
  });

  it.each(['compress', 'bzip2', 'gzip;q=1', 'gz ip', 'aes128gcm'])(
    'coding %j is not decoded, and the error says which it was',
    (coding) => {
      expect(() => new ContentDecoder(coding, 2, () => {})).toThrow(
        expect.objectContaining({
          code: 'coding-unsupported',
          message: expect.stringContaining(coding),
        }),
      );
    },
  );

  it('br is asked for and decoded only where the library has no known hole', () => {
    expect(acceptEncoding.includes('br')).toBe(brotliIsSafe);
    const make = () => new ContentDecoder('br', 2, () => {});
    if (brotliIsSafe) expect(make).not.toThrow();
    else expect(make).toThrow(expect.objectContaining({ code: 'coding-unsupported' }));
  });

  it('destroy in the middle of a write ends the wait', async () => {
    const decoder = new ContentDecoder('gzip', 2, () => {});
    const writing = decoder.write(zlib.gzipSync(noise(500_000)));
    decoder.destroy();
    await Promise.resolve(writing).catch(() => {});
  });
});

function noise(length: number): Buffer {
  const next = randomFrom(11);
  return Buffer.from(Array.from({ length }, () => Math.floor(next() * 256)));
}
