// What a response's header section says about its body and its connection (RFC 9112 6.3, 9.6).

import { fieldValue, type HeaderPair, hasField } from '../../../http/header-pairs.ts';
import { LoaderError } from '../../errors.ts';

export interface Framing {
  /** Length of the body by Content-Length; null when that does not tell. */
  expected: number | null;
  /** The end of the body can be told from a cut. */
  framed: boolean;
  /** The server ends the connection behind it. */
  closes: boolean;
}

/**
 * @throws LoaderError `malformed-response` for a transfer coding that is not taken off: what would be handed out, and
 * stored, were not the bytes of the resource.
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
  // Without a length a body ends with its connection.
  return { expected, framed, closes: !framed || !keeps || connection.includes('close') };
}

/** RFC 9112 6.1: nothing but `chunked` is asked for (TE is not sent), so nothing else may be there. */
function transferCoding(headers: HeaderPair[]): 'chunked' | 'identity' | null {
  if (!hasField(headers, 'transfer-encoding')) return null;
  const coding = fieldValue(headers, 'transfer-encoding').toLowerCase();
  // (Of RFC 2616: no coding at all, the end of the connection is the body's.)
  if (coding === 'chunked' || coding === 'identity') return coding;
  const message = `Transfer-Encoding "${coding.slice(0, 60)}" was not asked for and is not taken off`;
  throw new LoaderError('malformed-response', message);
}

/**
 * undici holds this limit for HTTP/1.1 only.
 * @throws LoaderError `headers-too-large`
 */
export function boundHeaders(headers: HeaderPair[], maxHeaderBytes: number): void {
  let bytes = 0;
  for (const [name, value] of headers) bytes += name.length + value.length;
  if (bytes <= maxHeaderBytes) return;
  const message = `header section over limits.maxHeaderBytes (${maxHeaderBytes})`;
  throw new LoaderError('headers-too-large', message);
}

/** undici's raw headers, of HTTP/1.1 (a flat list) or HTTP/2 (an object), as pairs. */
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
