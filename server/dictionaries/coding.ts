// Takes content codings off and puts a dictionary's on: whole bodies at once, long ones as they come.

import zlib from 'node:zlib';
import { writeDczHead } from '../../http/compression-dictionary.ts';
import type { Dictionary } from './shelf.ts';

/** Value of Content-Encoding in lower case. */
type Coding = string;

/** @throws Error if it is broken, or longer than `maxBytes` */
export function decoded(coding: Coding, body: Buffer, maxBytes: number): Buffer {
  const options = { maxOutputLength: maxBytes };
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.gunzipSync(body, options);
    case 'deflate':
      return zlib.inflateSync(body, options);
    case 'br':
      return zlib.brotliDecompressSync(body, options);
    case 'zstd':
      return zlib.zstdDecompressSync(body, options);
    default:
      return body;
  }
}

export function coded(body: Buffer, { hash, bytes }: Dictionary, level: number): Buffer {
  const options = { ...optionsOf(level, bytes), pledgedSrcSize: body.length };
  return Buffer.concat([writeDczHead(hash), zlib.zstdCompressSync(body, options)]);
}

/** null: nothing to take off. */
export function decoderOf(coding: Coding): zlib.Gunzip | null {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip();
    case 'deflate':
      return zlib.createInflate() as zlib.Gunzip;
    case 'br':
      return zlib.createBrotliDecompress() as zlib.Gunzip;
    case 'zstd':
      return zlib.createZstdDecompress() as unknown as zlib.Gunzip;
    default:
      return null;
  }
}

/** Its output follows the head of the coding. Each chunk is flushed, so that a page arrives as it is made. */
export function coderOf({ bytes }: Dictionary, level: number): zlib.ZstdCompress {
  return zlib.createZstdCompress(optionsOf(level, bytes));
}

/** Up to level 19 the window is at most the 8 MB that every client takes (RFC 9842 5). */
function optionsOf(level: number, dictionary: Buffer): zlib.ZstdOptions {
  return { params: { [zlib.constants.ZSTD_c_compressionLevel]: level }, dictionary };
}
