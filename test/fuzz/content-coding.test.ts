// Any bytes under any coding: what was coded comes back, what was not is coding-broken; nothing hangs.

import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { LoaderError } from '../../loader/errors.ts';
import { ContentDecoder } from '../../loader/response/content-coding.ts';
import { cutAt } from '../loader/scan/chunkings.ts';
import fc from '../support/property.ts';

const coders: Record<string, (body: Uint8Array) => Buffer> = {
  gzip: (body) => zlib.gzipSync(body),
  deflate: (body) => (body.length % 2 === 0 ? zlib.deflateSync(body) : zlib.deflateRawSync(body)),
  zstd: (body) => zlib.zstdCompressSync(body),
};
const codings = fc.array(fc.constantFrom(...Object.keys(coders)), { minLength: 1, maxLength: 3 });
const places = fc.array(fc.nat(), { maxLength: 10 });

async function decode(value: string, chunks: Uint8Array[]): Promise<Buffer> {
  const parts: Buffer[] = [];
  const decoder = new ContentDecoder(value, 3, (bytes) => parts.push(bytes));
  for (const chunk of chunks) await decoder.write(Buffer.from(chunk));
  await decoder.end();
  return Buffer.concat(parts);
}

const cut = (bytes: Uint8Array, at: number[]): Uint8Array[] =>
  cutAt(
    bytes,
    at.map((place) => place % (bytes.length + 1)),
  );

describe('content codings', () => {
  it('what was put on comes off, in any order, depth and chunking', async () => {
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.nat(50_000).map((length) => new Uint8Array(length)),
    );
    await fc.assert(
      fc.asyncProperty(body, codings, places, async (bytes, list, at) => {
        const coded = list.reduce<Uint8Array>(
          (inner, coding) => (coders[coding] as (body: Uint8Array) => Buffer)(inner),
          bytes,
        );
        expect((await decode(list.join(', '), cut(coded, at))).equals(bytes)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('anything else is the same in any chunking: bytes, or coding-broken', async () => {
    const outcome = (value: string, chunks: Uint8Array[]): Promise<string> =>
      decode(value, chunks).then(
        (bytes) => bytes.toString('hex'),
        (error) => {
          expect(error).toBeInstanceOf(LoaderError);
          return (error as LoaderError).code;
        },
      );
    const damaged = fc
      .tuple(
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.constantFrom(...Object.keys(coders)),
        fc.nat(),
        fc.nat(255),
        fc.boolean(),
      )
      .map(([bytes, coding, place, value, truncate]) => {
        const coded = Buffer.from((coders[coding] as (body: Uint8Array) => Buffer)(bytes));
        const at = place % coded.length;
        if (truncate) return { coding, coded: coded.subarray(0, at) };
        coded[at] = value;
        return { coding, coded };
      });
    await fc.assert(
      fc.asyncProperty(damaged, places, async ({ coding, coded }, at) => {
        const whole = await outcome(coding, [coded]);
        expect(await outcome(coding, cut(coded, at))).toBe(whole);
      }),
      { numRuns: 500 },
    );
  });
});
