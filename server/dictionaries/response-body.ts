// Compresses the body of one response with a dictionary, on its way out. A body that is given whole is compressed if
// that makes it smaller; one that is written in pieces is compressed as it comes. A body that may become a dictionary
// is gathered, up to a limit, and kept when it is complete, before the client has its end, because the client's next
// request may name it.

import { pipeline, type Transform, Writable } from 'node:stream';
import zlib from 'node:zlib';
import { writeDczHead } from '../../http/compression-dictionary.ts';
import type { BodyTaker, Out, OutgoingResponse } from '../listen/held-head.ts';
import type { Dictionary } from './shelf.ts';

export interface BodyPlan {
  /** Content-Encoding as the site sends it; '': there is none. */
  readonly coding: string;
  /** The dictionary that the client has; null: it has none. */
  readonly dictionary: Dictionary | null;
  readonly level: number;
  /** Smallest and largest body that is kept as a dictionary, or compressed as a whole, bytes after decoding. */
  readonly minBytes: number;
  readonly maxBytes: number;
  /** Receives the complete decoded body, to keep it as a dictionary; null: it may not be kept. */
  readonly keep: ((body: Buffer) => void) | null;
  /** Changes the fields of the response to those of its compressed form. @param length Its length; null: unknown */
  coded(length: number | null): void;
}

export function plannedBody(res: OutgoingResponse, out: Out, plan: BodyPlan): BodyTaker {
  const { dictionary, keep, maxBytes } = plan;
  let hasBegun = false;
  let coder: Writable | null = null;
  /** The body so far, as the site coded it; null: it is not to be kept as a dictionary. */
  let gathered: Buffer[] | null = keep === null ? null : [];
  let gatheredBytes = 0;
  const write = (chunk: Buffer): boolean => {
    if (!hasBegun && dictionary !== null) coder = pieceCoder(res, out, plan, dictionary);
    hasBegun = true;
    gatheredBytes += chunk.length;
    if (gatheredBytes > maxBytes) gathered = null;
    gathered?.push(chunk);
    return coder === null ? out.write(chunk) : coder.write(chunk);
  };
  return {
    write,
    end(chunk) {
      if (!hasBegun) {
        out.end(wholeBody(chunk ?? Buffer.alloc(0), plan));
        return;
      }
      if (chunk !== null) write(chunk);
      const plain = gathered === null ? null : decoded(Buffer.concat(gathered), plan);
      if (plain !== null) keep?.(plain);
      if (coder === null) out.end();
      else coder.end();
    },
  };
}

/** Compresses a body that the site gives as a whole. @returns The bytes to send in its place */
function wholeBody(body: Buffer, plan: BodyPlan): Buffer {
  const { dictionary, level, keep } = plan;
  const plain = dictionary === null && keep === null ? null : decoded(body, plan);
  if (plain === null) return body;
  keep?.(plain);
  if (dictionary === null) return body;
  const options = { ...optionsOf(level, dictionary), pledgedSrcSize: plain.length };
  const coded = zlib.zstdCompressSync(plain, options);
  const small = Buffer.concat([writeDczHead(dictionary.hash), coded]);
  if (small.length >= body.length) return body;
  plan.coded(small.length);
  return small;
}

/** Makes a stream that takes a body in the site's coding, and writes it compressed with the dictionary. */
function pieceCoder(
  res: OutgoingResponse,
  out: Out,
  { coding, level, coded }: BodyPlan,
  dictionary: Dictionary,
): Writable {
  let isOwnDrain = false;
  const onceDrained = (done: () => void): void => {
    res.once('drain', () => (isOwnDrain ? onceDrained(done) : done()));
  };
  const sink = new Writable({
    write(bytes: Buffer, _, done) {
      if (out.write(bytes)) done();
      else onceDrained(done);
    },
    final(done) {
      out.end();
      done();
    },
  });
  const decoder = decoders.get(coding)?.stream() ?? null;
  // Each piece is flushed, so a page arrives as it is generated.
  const flush = zlib.constants.ZSTD_e_flush;
  const coder = zlib.createZstdCompress({ ...optionsOf(level, dictionary), flush });
  // If the body is not in the coding that its Content-Encoding names, decoding fails, and the response is cut off.
  const fail = (error: unknown) => {
    if (error) res.destroy();
  };
  if (decoder === null) pipeline(coder, sink, fail);
  else pipeline(decoder, coder, sink, fail);
  res.once('close', () => sink.destroy());
  const first = decoder ?? coder;
  first.on('drain', () => {
    isOwnDrain = true;
    res.emit('drain');
    isOwnDrain = false;
  });
  coded(null);
  out.write(writeDczHead(dictionary.hash));
  return first;
}

interface Decoder {
  readonly stream: () => Transform;
  readonly whole: (body: Buffer, options: { maxOutputLength: number }) => Buffer;
}

const gzip: Decoder = { stream: zlib.createGunzip, whole: zlib.gunzipSync };

/** Decoders by value of Content-Encoding in lower case. */
const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['deflate', { stream: zlib.createInflate, whole: zlib.inflateSync }],
  ['br', { stream: zlib.createBrotliDecompress, whole: zlib.brotliDecompressSync }],
  ['zstd', { stream: zlib.createZstdDecompress, whole: zlib.zstdDecompressSync }],
]);

/** Returns a body without its coding; null if it is too small, too large, or not in its Content-Encoding. */
function decoded(body: Buffer, { coding, minBytes, maxBytes }: BodyPlan): Buffer | null {
  try {
    const plain = decoders.get(coding)?.whole(body, { maxOutputLength: maxBytes }) ?? body;
    return plain.length < minBytes || plain.length > maxBytes ? null : plain;
  } catch {
    return null;
  }
}

/** Returns options of Zstandard. Up to level 19 its window is within the 8 MB that all clients accept (RFC 9842 5). */
function optionsOf(level: number, { bytes }: Dictionary): zlib.ZstdOptions {
  return { params: { [zlib.constants.ZSTD_c_compressionLevel]: level }, dictionary: bytes };
}
