// The body of one response on its way out. The head is held until the first bytes: a body that is given whole is coded
// if that makes it smaller; one that is written in pieces is coded as it comes. Every body that is sent as a dictionary
// is read along, up to a limit, and kept when it is complete.

import zlib from 'node:zlib';
import { writeDczHead } from '../../http/compression-dictionary.ts';
import type { Response } from '../listen/handler.ts';
import type { Dictionary } from './shelf.ts';

/** The members of a response used here, beyond those for handlers. */
export interface OutgoingResponse extends Response {
  readonly writableFinished: boolean;
  statusMessage?: string;
  writeHead(...given: unknown[]): unknown;
  write(...given: unknown[]): boolean;
  end(...given: unknown[]): unknown;
  flushHeaders?(): void;
  getHeader(name: string): string | number | readonly string[] | undefined;
  emit(event: string): unknown;
  on(event: string, listener: () => void): unknown;
}

export interface BodyPlan {
  /** Content-Encoding as the site sends it; '': none. */
  coding: string;
  /** The dictionary that the client has; null: none. */
  dictionary: Dictionary | null;
  level: number;
  minBytes: number;
  maxBytes: number;
  /** Gets the complete decoded body; null: it is not wanted. */
  keep: ((body: Buffer) => void) | null;
  /** Changes the fields for the coded form. */
  coded(length: number | null): void;
}

/** @returns The bytes to send in place of a whole body. */
export function wholeBody(body: Buffer, plan: BodyPlan): Buffer {
  const { coding, dictionary, level, minBytes, maxBytes, keep } = plan;
  if (dictionary === null && keep === null) return body;
  let plain: Buffer;
  try {
    plain = decoded(coding, body, maxBytes);
  } catch {
    return body; // the body is too large, or is not in the coding that the site names
  }
  if (plain.length < minBytes || plain.length > maxBytes) return body;
  keep?.(plain);
  const small = dictionary === null ? null : coded(plain, dictionary, level);
  if (small === null || small.length >= body.length) return body;
  plan.coded(small.length);
  return small;
}

/** A body in pieces. */
export interface PiecewiseBody {
  /** @returns Whether more may be written before `drain`. */
  write(chunk: Buffer): boolean;
  end(chunk: Buffer | null): void;
}

interface Out {
  write(bytes: Buffer): boolean;
  end(): void;
}

export function piecewiseBody(res: OutgoingResponse, out: Out, plan: BodyPlan): PiecewiseBody {
  const { coding, dictionary, level, maxBytes, keep } = plan;
  const reader = keep === null ? null : new Reader(maxBytes, keep);
  const decoder = dictionary === null && reader === null ? null : decoderOf(coding);
  const coder = dictionary === null ? null : coderOf(dictionary, level);
  let isEnded = false;
  const close = (): void => {
    decoder?.destroy();
    coder?.destroy();
  };
  const fail = (): void => void res.destroy();
  res.once('close', close);
  if (coder !== null && dictionary !== null) {
    coder.on('error', fail);
    coder.on('data', (bytes: Buffer) => {
      if (!out.write(bytes)) coder.pause();
    });
    coder.on('end', () => out.end());
    res.on('drain', () => coder.resume());
    plan.coded(null);
    out.write(writeDczHead(dictionary.hash));
  }
  /** Stops reading a body that is not coded: it is not kept, and goes on as it is. */
  const stopReading = (): void => {
    reader?.stop();
    decoder?.destroy();
    if (isEnded) out.end();
  };
  const plain = {
    write: (bytes: Buffer): void => {
      reader?.write(bytes);
      if (coder === null) {
        if (reader?.isStopped) stopReading();
        return;
      }
      const hasRoom = coder.write(bytes);
      coder.flush();
      if (hasRoom || decoder === null) return;
      decoder.pause();
      coder.once('drain', () => decoder.resume());
    },
    end: (): void => {
      // The body is kept before the client has its end, because the client's next request may name it as a dictionary.
      reader?.end();
      if (coder === null) out.end();
      else coder.end();
    },
  };
  // The body may not be in the coding that the site names.
  decoder?.on('error', () => (coder === null ? stopReading() : fail()));
  decoder?.on('data', plain.write);
  decoder?.on('end', plain.end);
  // The coder sets the pace; where the body is only read for the shelf, the client does.
  if (coder !== null) (decoder ?? coder).on('drain', () => res.emit('drain'));

  const take = (chunk: Buffer): boolean => {
    const sent = coder === null ? out.write(chunk) : true;
    if (decoder === null) {
      plain.write(chunk);
      return coder === null ? sent : !coder.writableNeedDrain;
    }
    const hasRoom = decoder.destroyed || decoder.write(chunk);
    return coder === null ? sent : hasRoom;
  };
  return {
    write: take,
    end: (chunk) => {
      if (chunk !== null) take(chunk);
      isEnded = true;
      if (decoder === null) plain.end();
      else if (decoder.destroyed) out.end();
      else decoder.end();
    },
  };
}

/** Gathers a body up to a limit. */
class Reader {
  readonly #maxBytes: number;
  readonly #keep: (body: Buffer) => void;
  /** null: reading has stopped. */
  #chunks: Buffer[] | null = [];
  #bytes = 0;

  constructor(maxBytes: number, keep: (body: Buffer) => void) {
    this.#maxBytes = maxBytes;
    this.#keep = keep;
  }

  get isStopped(): boolean {
    return this.#chunks === null;
  }

  write(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) this.stop();
    this.#chunks?.push(Buffer.from(chunk));
  }

  end(): void {
    if (this.#chunks !== null) this.#keep(Buffer.concat(this.#chunks));
  }

  stop(): void {
    this.#chunks = null;
  }
}

/** Value of Content-Encoding in lower case. */
type Coding = string;

/**
 * Removes a content coding from a whole body.
 * @throws Error if it is broken, or longer than `maxBytes`
 */
function decoded(coding: Coding, body: Buffer, maxBytes: number): Buffer {
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

function coded(body: Buffer, { hash, bytes }: Dictionary, level: number): Buffer {
  const options = { ...optionsOf(level, bytes), pledgedSrcSize: body.length };
  return Buffer.concat([writeDczHead(hash), zlib.zstdCompressSync(body, options)]);
}

/** @returns null if there is no coding to remove */
function decoderOf(coding: Coding): zlib.Gunzip | null {
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

/** Creates the compressor of what follows the head. Each chunk is flushed, so a page arrives as it is generated. */
function coderOf({ bytes }: Dictionary, level: number): zlib.ZstdCompress {
  return zlib.createZstdCompress(optionsOf(level, bytes));
}

/** Up to level 19 the window is at most the 8 MB that every client accepts (RFC 9842 5). */
function optionsOf(level: number, dictionary: Buffer): zlib.ZstdOptions {
  return { params: { [zlib.constants.ZSTD_c_compressionLevel]: level }, dictionary };
}
