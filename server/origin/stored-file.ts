// Reads one version of a file: identity, content type, entity tag and, if it is small, the bytes. A version is read
// between two equal fstat results or not at all, so tag, length and bytes always belong together.

import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { extname } from 'node:path';
import mime from 'mime-types';
import type { ContentCoding } from './coding-choice.ts';

export interface StoredFile {
  /** Path of the file, with symbolic links resolved. */
  readonly realPath: string;
  /** A text that is equal for two reads of the file exactly if the file was not changed between them. */
  readonly identity: string;
  /** True if the file was read so soon after a write that a further change might not alter its identity. */
  readonly isFresh: boolean;
  readonly sizeBytes: number;
  readonly contentType: string;
  /** Time of the last change, ms since 1970. */
  readonly modifiedMs: number;
  readonly etag: string;
  /** The bytes of a small file; undefined for a larger one. */
  readonly body: Buffer | undefined;
  /** The compressed forms requested so far; a promise yields undefined if compression did not make the file smaller. */
  readonly coded: Map<ContentCoding, Promise<CodedForm | undefined>>;
  /** Number of bytes in memory: those of the body and its compressed forms. */
  readonly heldBytes: number;
}

export interface CodedForm {
  readonly etag: string;
  readonly body: Buffer;
}

/** Two writes within this time, ms, may look like one, because timestamps may be as coarse as a kernel tick. */
const freshForMs = 50;

export function identityOf(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}

/**
 * Returns a strong entity tag (RFC 9110 8.8.3) of 72 bits, which is short because every response and request carries
 * it.
 */
export function etagOf(...parts: (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return `"${hash.digest('base64url').slice(0, 12)}"`;
}

const ownCharset = /<meta[^>]+charset\s*=|<\?xml[^>]+encoding\s*=|^@charset/i;

/**
 * Returns the media type by file extension. UTF-8 is declared for text that is valid UTF-8 and declares no other
 * encoding itself, because the header would override the page's declaration (HTML 13.2.3.2).
 */
function contentTypeOf(path: string, body: Buffer | undefined): string {
  const type = mime.lookup(extname(path)) || 'application/octet-stream';
  const isText = mime.charset(type) === 'UTF-8' && type !== 'application/json';
  if (!isText || body === undefined || !isUtf8(body)) return type;
  return ownCharset.test(body.toString('latin1', 0, 1024)) ? type : `${type}; charset=utf-8`;
}

/** Makes one attempt to read the file, which was just opened. @returns undefined if the file changed meanwhile */
export async function readVersion(
  handle: FileHandle,
  realPath: string,
  maxBodyBytes: number,
): Promise<StoredFile | undefined> {
  const before = await handle.stat({ bigint: true });
  const identity = identityOf(before);
  const sizeBytes = Number(before.size);
  const body = sizeBytes <= maxBodyBytes ? await handle.readFile() : undefined;
  // The entity tag of a larger file is made of its identity, because hashing it would delay its first reader.
  const etag = etagOf(body ?? identity);
  const after = await handle.stat({ bigint: true });
  if (identityOf(after) !== identity || (body && body.length !== sizeBytes)) return undefined;
  return {
    realPath,
    identity,
    isFresh: Math.abs(Date.now() - Number(after.ctimeMs)) < freshForMs,
    sizeBytes,
    contentType: contentTypeOf(realPath, body),
    modifiedMs: Number(after.mtimeMs),
    etag,
    body,
    coded: new Map(),
    heldBytes: body?.length ?? 0,
  };
}
