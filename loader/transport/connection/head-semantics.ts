// Derives from a header section how the body is framed and whether the connection closes (RFC 9112 6.3, 9.6).

import { fieldValue, type HeaderPair, hasField } from '../../../http/header-pairs.ts';
import { LoaderError } from '../../errors.ts';

export interface Framing {
  /** Length of the body according to Content-Length, bytes; null: unknown. */
  expected: number | null;
  /** Whether a complete body is distinguishable from a truncated one. */
  framed: boolean;
  /** Whether the server closes the connection after the response. */
  closes: boolean;
}

/**
 * @throws LoaderError `malformed-response` for an unsupported transfer coding: the bytes delivered and stored would not
 * be those of the resource.
 */
export function framingOf(
  status: number,
  headers: HeaderPair[],
  httpVersion: 'http/1.0' | 'http/1.1' | 'h2',
): Framing {
  const length = fieldValue(headers, 'content-length');
  const bodiless = status === 204 || status === 304;
  if (httpVersion === 'h2') {
    const expected = !bodiless && /^\d+$/.test(length) ? Number(length) : null;
    return { expected, framed: true, closes: false };
  }
  const coding = transferCoding(headers);
  const chunked = coding === 'chunked';
  const expected = !bodiless && coding === null && /^\d+$/.test(length) ? Number(length) : null;
  const framed = bodiless || chunked || expected !== null;
  const connection = fieldValue(headers, 'connection').toLowerCase();
  const keeps =
    httpVersion === 'http/1.1' || (connection.includes('keep-alive') && coding === null);
  // Without a length, the body ends with its connection.
  return { expected, framed, closes: !framed || !keeps || connection.includes('close') };
}

/** Parses Transfer-Encoding; only `chunked` is allowed, because TE is not sent (RFC 9112 6.1). */
function transferCoding(headers: HeaderPair[]): 'chunked' | 'identity' | null {
  if (!hasField(headers, 'transfer-encoding')) return null;
  const coding = fieldValue(headers, 'transfer-encoding').toLowerCase();
  // `identity` (RFC 2616) means no coding: the body ends with the connection.
  if (coding === 'chunked' || coding === 'identity') return coding;
  const message = `Transfer-Encoding "${coding.slice(0, 60)}" was not requested and is not supported`;
  throw new LoaderError('malformed-response', message);
}

/**
 * Enforces the limit of a header section, which undici does for HTTP/1.1 only.
 * @throws LoaderError `headers-too-large`
 */
export function boundHeaders(headers: HeaderPair[], maxHeaderBytes: number): void {
  let bytes = 0;
  for (const [name, value] of headers) bytes += name.length + value.length;
  if (bytes <= maxHeaderBytes) return;
  const message = `header section over limits.maxHeaderBytes (${maxHeaderBytes})`;
  throw new LoaderError('headers-too-large', message);
}

/** undici's raw headers as pairs: a flat list for HTTP/1.1, an object for HTTP/2. */
export function headerPairs(raw: unknown): HeaderPair[] {
  const pairs: HeaderPair[] = [];
  if (Array.isArray(raw)) {
    for (let index = 0; index + 1 < raw.length; index += 2) {
      const name = text(raw[index]);
      if (!name.startsWith(':')) pairs.push([name, text(raw[index + 1])]);
    }
    return pairs;
  }
  for (const [name, value] of Object.entries(raw as Record<string, string | string[]>)) {
    if (name.startsWith(':')) continue;
    for (const each of Array.isArray(value) ? value : [value]) pairs.push([name, String(each)]);
  }
  return pairs;
}

function text(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('latin1') : String(value);
}
