// Decides how the end of a request's content is marked (RFC 9112 6): no content, a length, or chunks. The request check
// makes one verdict, from which everything else is derived: the framing fields sent upstream, the number of bytes
// passed on, and whether the connection may be reused. Before a header is sent, the very text that node:http is about
// to write is parsed again; if it contradicts the verdict, or its request line is not the one checked, it is not sent.

import type { ClientRequest } from 'node:http';
import { ServerError } from '../errors.ts';

export type BodyFraming =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' };

export function hasContent(framing: BodyFraming): boolean {
  return framing.kind === 'chunked' || (framing.kind === 'length' && framing.bytes > 0);
}

/** Methods for whose requests node:http sends no framing field by default. */
const withoutContent = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

/** Returns the field that says how content ends, as [name, value]; [] if none is needed, as in a bodiless GET. */
export function framingFields(framing: BodyFraming, method: string): string[] {
  if (framing.kind === 'chunked') return ['Transfer-Encoding', 'chunked'];
  if (framing.kind === 'length') return ['Content-Length', String(framing.bytes)];
  // Without Content-Length: 0 (RFC 9110 8.6), node:http would announce chunks.
  return withoutContent.has(method) ? [] : ['Content-Length', '0'];
}

/** Returns the framing that the header of a request states; undefined if it is ambiguous. */
export function framingOf(head: string): BodyFraming | undefined {
  if (!head.endsWith('\r\n\r\n')) return undefined;
  const [, ...lines] = head.slice(0, -4).split('\r\n');
  const stated: [lower: string, value: string][] = [];
  for (const line of lines) {
    const [, name, value] = /^([^\s:]+): ?([^\r\n]*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    const lower = name.toLowerCase();
    if (lower === 'content-length' || lower === 'transfer-encoding') stated.push([lower, value]);
  }
  const [first, second] = stated;
  if (first === undefined) return { kind: 'none' };
  const [lower, value] = first;
  if (second !== undefined) return undefined;
  if (lower === 'transfer-encoding') return value === 'chunked' ? { kind: 'chunked' } : undefined;
  return /^(?:0|[1-9]\d{0,14})$/.test(value) ? { kind: 'length', bytes: Number(value) } : undefined;
}

function bytesOf(framing: BodyFraming): number | 'chunked' {
  if (framing.kind === 'chunked') return 'chunked';
  return framing.kind === 'length' ? framing.bytes : 0;
}

/**
 * Checks that a header states the checked framing and request line; to be called when it is about to be written.
 * @param requested Method and target
 * @throws ServerError 'framing-mismatch': the header must not be sent
 */
export function assertFraming(
  proxyReq: ClientRequest,
  requested: string,
  checked: BodyFraming,
): void {
  // node:http has no public name for the text of the header; if it is missing, nothing is sent.
  const { _header, chunkedEncoding } = proxyReq as unknown as {
    _header: unknown;
    chunkedEncoding: unknown;
  };
  const head = typeof _header === 'string' ? _header : '';
  const sent = framingOf(head);
  const isSame = sent !== undefined && bytesOf(sent) === bytesOf(checked);
  const hasLine = head.startsWith(`${requested} HTTP/1.1\r\n`);
  if (isSame && hasLine && chunkedEncoding === (checked.kind === 'chunked')) return;
  const what = hasLine
    ? `its content was checked as ${bytesOf(checked)}, but its fields say ${sent ? bytesOf(sent) : 'something else'}`
    : 'its request line would not be the one that was checked';
  throw new ServerError('framing-mismatch', `a request to the upstream was not sent: ${what}`);
}
