// How the end of a request's content is marked (RFC 9112 6): no content, a length, or chunks. One verdict is made
// when the request is checked, and everything else is derived from it: the framing fields sent upstream, the number
// of bytes handed over, and whether the connection may be used again. Before a head leaves, it is read once more
// as text, the very text node:http is about to write: if that says anything else than the verdict, it never leaves.

import type { ClientRequest } from 'node:http';
import { ServerError } from '../errors.ts';

export type Framing =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' };

export function hasContent(framing: Framing): boolean {
  return framing.kind === 'chunked' || (framing.kind === 'length' && framing.bytes > 0);
}

/** For these node:http adds no framing of its own when there is none. */
const withoutContent = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

/** The one field that states it, as a raw list; empty for a method that has no content by itself. */
export function framingFields(framing: Framing, method: string): string[] {
  if (framing.kind === 'chunked') return ['Transfer-Encoding', 'chunked'];
  if (framing.kind === 'length') return ['Content-Length', String(framing.bytes)];
  // RFC 9110 8.6. Without it node:http would announce chunks.
  return withoutContent.has(method) ? [] : ['Content-Length', '0'];
}

/** What the head of a request says; undefined if it can be read in two ways. */
export function framingOf(head: string): Framing | undefined {
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

function bytesOf(framing: Framing): number | 'chunked' {
  if (framing.kind === 'chunked') return 'chunked';
  return framing.kind === 'length' ? framing.bytes : 0;
}

/**
 * To be called when a head is about to be written.
 * @throws ServerError 'framing-mismatch': the head must not leave
 */
export function assertFraming(proxyReq: ClientRequest, checked: Framing): void {
  // node:http has no public name for the text; without it nothing is sent.
  const { _header: head, chunkedEncoding } = proxyReq as unknown as {
    _header: unknown;
    chunkedEncoding: unknown;
  };
  const sent = typeof head === 'string' ? framingOf(head) : undefined;
  const isSame = sent !== undefined && bytesOf(sent) === bytesOf(checked);
  if (isSame && chunkedEncoding === (checked.kind === 'chunked')) return;
  throw new ServerError(
    'framing-mismatch',
    `a request to the upstream was not sent: its content was checked as ${bytesOf(checked)}, but its fields say ${sent ? bytesOf(sent) : 'something else'}`,
  );
}
