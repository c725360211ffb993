// Selects content codings (RFC 9110 8.4) and compresses. `deflate` is the zlib format around a deflate stream
// (8.4.1.2), not the bare stream some servers send. Brotli has a memory-safety bug before version 1.2.1, and is offered
// only if Node contains that version or a later one.

import { promisify } from 'node:util';
import zlib from 'node:zlib';
import Negotiator from 'negotiator';

export type ContentCoding = 'zstd' | 'br' | 'gzip' | 'deflate';

/** Returns whether Brotli of this version is safe to use: 1.2.1 and later versions are. */
export function isSafeBrotli(version: string | undefined): boolean {
  const [major = 0, minor = 0, patch = 0] = (version ?? '').split('.').map(Number);
  return major > 1 || (major === 1 && (minor > 2 || (minor === 2 && patch >= 1)));
}

/** Supported codings in order of preference, which decides between codings that the client weighs equally. */
export const offeredCodings: readonly ContentCoding[] = isSafeBrotli(process.versions.brotli)
  ? ['br', 'zstd', 'gzip', 'deflate']
  : ['zstd', 'gzip', 'deflate'];

const preferred = [...offeredCodings, 'identity'];

interface PreferringNegotiator {
  encodings(available: readonly string[], options: { preferred: readonly string[] }): string[];
}

/**
 * Returns the codings that the client accepts (RFC 9110 12.5.3), its first choice first; without Accept-Encoding only
 * identity. The list is empty if the client refuses all supported codings; the field is then ignored (12.1).
 */
export function acceptedCodings(
  acceptEncoding: string | string[] | undefined,
): (ContentCoding | 'identity')[] {
  const headers = { 'accept-encoding': acceptEncoding };
  const negotiator = new Negotiator({ headers }) as unknown as PreferringNegotiator;
  return negotiator.encodings(preferred, { preferred }) as (ContentCoding | 'identity')[];
}

const compressible =
  /^text\/|[/+](?:json|xml|yaml|wasm|javascript|ecmascript|x-javascript|x-sh|rtf|sql|toml)(?:;|$)|^image\/(?:bmp|svg\+xml|vnd\.microsoft\.icon|x-icon)|^font\/(?:ttf|otf)|^application\/(?:vnd\.ms-fontobject|x-tar|manifest\+json|geo\+json)/i;

export function isCompressible(contentType: string): boolean {
  return compressible.test(contentType);
}

const gzip = promisify(zlib.gzip);
const deflate = promisify(zlib.deflate);
const brotli = promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);
const zstd = promisify<Uint8Array, zlib.ZstdOptions, Buffer>(zlib.zstdCompress);

/** `ZSTD_c_targetCBlockSize` of zstd 1.5.6, which Node has from 22.15 on without naming it. */
const targetBlockBytes = 130;
/**
 * Size of zstd's blocks, bytes. A block is decoded once all of it has arrived. By default a page below 128 KB is one
 * block, of which nothing could be scanned before its last packet. Smaller blocks make a page of 42 KB 0.8 % larger.
 */
const packetBytes = 1_340;

/** Compresses a file at a high level, because it is compressed once and sent many times, and its size is limited. */
export async function compress(coding: ContentCoding, bytes: Buffer): Promise<Buffer> {
  switch (coding) {
    case 'zstd': {
      // Levels above 19 may exceed the 8 MB window of RFC 9659; above 15, the time doubles for 1 % fewer bytes.
      const { ZSTD_c_compressionLevel: level } = zlib.constants;
      const params = { [level]: 15, [targetBlockBytes]: packetBytes };
      return zstd(bytes, { params, pledgedSrcSize: bytes.length });
    }
    case 'br': {
      const { BROTLI_PARAM_QUALITY: quality, BROTLI_PARAM_SIZE_HINT: hint } = zlib.constants;
      return brotli(bytes, { params: { [quality]: 11, [hint]: bytes.length } });
    }
    case 'gzip':
      return gzip(bytes, { level: 9 });
    case 'deflate':
      return deflate(bytes, { level: 9 });
  }
}
