// Reads what reverse proxies say about a request: the client's address, the host it asked for, and a path prefix that
// was removed. X-Forwarded-* wins over Forwarded (RFC 7239). Each proxy appends the address of its peer, so the list is
// read from its end, and only as far as each proxy is trusted. A client can invent everything before that, even a quote
// that is never closed, so commas and semicolons separate even inside quotes. Some proxies append the client's port.

import { isIP } from 'node:net';
import { type FieldValue, joinedLines, partsOf, unquote } from './field-syntax.ts';
import { authority } from './host-field.ts';

/** Says whether a proxy is trusted. @param address Its address; undefined: a Unix socket @param hop 0: the peer of this
 *  connection; 1: the proxy before that; and so on */
export type TrustsHop = (address: string | undefined, hop: number) => boolean;

export interface ForwardedClient {
  /** The nearest address that is not a trusted proxy's; if there is none, that of the farthest proxy. */
  readonly address: string | undefined;
  /** `address` belongs to a trusted proxy, so many clients may share it. */
  readonly isProxy: boolean;
  /** A trusted proxy forwards for a client without giving its address (`unknown`, RFC 7239 6.2). */
  readonly isUnnamed: boolean;
}

type RequestFields = Readonly<Record<string, FieldValue>>;

/** Finds the client for whom proxies forwarded a request. @param address Address of the connection's peer. */
export function forwardedClient(
  headers: RequestFields,
  address: string | undefined,
  isTrusted: TrustsHop,
): ForwardedClient {
  if (!isTrusted(address, 0)) return { address, isProxy: false, isUnnamed: false };
  let farthest = address;
  const chain = forwardedFor(headers);
  for (let hop = 1; ; hop++) {
    const node = chain.pop();
    if (node === undefined) return { address: farthest, isProxy: true, isUnnamed: false };
    const named = addressOfNode(node);
    if (named === null) return { address: farthest, isProxy: true, isUnnamed: true };
    if (!isTrusted(named, hop)) return { address: named, isProxy: false, isUnnamed: false };
    farthest = named;
  }
}

/**
 * Returns host and port that the client sent to the outermost proxy; undefined if no proxy states them. To be called
 * only for requests from a trusted proxy.
 */
export function forwardedHost(headers: RequestFields): string | undefined {
  const [usual] = partsOf(joinedLines(headers['x-forwarded-host']), ',');
  const elements = partsOf(joinedLines(headers.forwarded), ',');
  const host = usual ?? elements.map((each) => forwardedParameter(each, 'host')).find(Boolean);
  return host != null && authority.test(host) ? host : undefined;
}

/** Matches a path without a slash at its end, of letters, digits and other characters that need no escape in a URL, a
 *  URL pattern or a header field. */
export const prefixPattern = /^(?:\/(?!\.\.?(?:\/|$))[\w.~-]+)+$/;

/** Returns the path prefix that a proxy removed, such as `/shop`; '' for none. To be called only for requests from a
 *  trusted proxy; as many proxies pass on a prefix that a visitor sends, it may affect nobody but that visitor. */
export function forwardedPrefix(headers: RequestFields): string {
  const [prefix = ''] = partsOf(joinedLines(headers['x-forwarded-prefix']), ',');
  const path = prefix.replace(/\/$/, '');
  return prefixPattern.test(path) ? path : '';
}

/** True if a proxy says that it forwarded the request. */
export function isForwarded(headers: RequestFields): boolean {
  return headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
}

/** Returns the addresses that the proxies appended: the client's first, then that of each proxy but the last. */
function forwardedFor(headers: RequestFields): string[] {
  const usual = partsOf(joinedLines(headers['x-forwarded-for']), ',');
  if (usual.length > 0) return usual;
  const elements = partsOf(joinedLines(headers.forwarded), ',');
  return elements.map((element) => forwardedParameter(element, 'for') ?? 'unknown');
}

/** Returns the value of a parameter in an element of Forwarded (RFC 7239 4). @param name In lower case. */
function forwardedParameter(element: string, name: string): string | null {
  const start = `${name}=`;
  const pair = partsOf(element, ';').find((one) => one.toLowerCase().startsWith(start));
  return pair === undefined ? null : unquote(pair.slice(start.length));
}

/** Returns the address in `203.0.113.7`, `203.0.113.7:4711`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:4711`;
 *  null for other text. */
export function addressOfNode(node: string): string | null {
  const [, v6, v4] = /^(?:\[([\da-f:.]+)\]|(\d+(?:\.\d+){3}))(?::[\w.-]+)?$/i.exec(node) ?? [];
  const address = v6 ?? v4 ?? node;
  return isIP(address) === 0 ? null : address;
}
