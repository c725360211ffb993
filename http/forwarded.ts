// What the proxies in front tell: who asks, for which host, and below which path. X-Forwarded-* is read where it is
// present, else Forwarded (RFC 7239). Each proxy adds the address that it saw at the end, so addresses are read from
// there, and only as far as what adds them is trusted: what stands before may be anybody's invention, such as a quote
// that is never closed, so commas and semicolons separate wherever they are. Some proxies add the port of the client.

import { isIP } from 'node:net';
import { type FieldValue, joinedLines, unquote } from './field-syntax.ts';
import { authority } from './host-field.ts';

/** @param hop 0: the connection; 1: the proxy before that; and so on @param address undefined: a Unix socket */
export type TrustsHop = (address: string | undefined, hop: number) => boolean;

export interface ForwardedClient {
  /** The nearest address that is not a trusted proxy's; if there is none, that of the farthest proxy. */
  readonly address: string | undefined;
  /** `address` is that of a trusted proxy: many clients may share it. */
  readonly isProxy: boolean;
  /** A trusted proxy tells of a client without an address, as `unknown` (RFC 7239 6.2). */
  readonly isUnnamed: boolean;
}

type Fields = Readonly<Record<string, FieldValue>>;

/** @param address of the connection */
export function forwardedClient(
  headers: Fields,
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
 * Host and port that the visitor asked for, of the proxy that he reached; undefined: not told. Only for requests of a
 * trusted proxy.
 */
export function forwardedHost(headers: Fields): string | undefined {
  const [usual] = parts(joinedLines(headers['x-forwarded-host']), ',');
  const elements = parts(joinedLines(headers.forwarded), ',');
  const host = usual ?? elements.map((each) => forwardedParameter(each, 'host')).find(Boolean);
  return host != null && authority.test(host) ? host : undefined;
}

/** A path without a slash at its end; only letters, digits and what needs no escape in a URL, a pattern or a field. */
export const prefixPattern = /^(?:\/(?!\.\.?(?:\/|$))[\w.~-]+)+$/;

/** Path that a proxy took away, `/shop`; '': none. Only for requests of a trusted proxy; many
 *  pass on what a visitor sends, so it must decide of nobody but him. */
export function forwardedPrefix(headers: Fields): string {
  const [prefix = ''] = parts(joinedLines(headers['x-forwarded-prefix']), ',');
  const path = prefix.replace(/\/$/, '');
  return prefixPattern.test(path) ? path : '';
}

/** True if a proxy tells of a client. */
export function isForwarded(headers: Fields): boolean {
  return headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
}

/** The client first, then each proxy but the last. */
function forwardedFor(headers: Fields): string[] {
  const usual = parts(joinedLines(headers['x-forwarded-for']), ',');
  if (usual.length > 0) return usual;
  const elements = parts(joinedLines(headers.forwarded), ',');
  return elements.map((element) => forwardedParameter(element, 'for') ?? 'unknown');
}

/** Of an element of Forwarded (RFC 7239 4). @param name in lower case */
function forwardedParameter(element: string, name: string): string | null {
  const start = `${name}=`;
  const pair = parts(element, ';').find((one) => one.toLowerCase().startsWith(start));
  return pair === undefined ? null : unquote(pair.slice(start.length));
}

const parts = (text: string, separator: string): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** `203.0.113.7`, `203.0.113.7:4711`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:4711`. */
export function addressOfNode(node: string): string | null {
  const [, v6, v4] = /^(?:\[([\da-f:.]+)\]|(\d+(?:\.\d+){3}))(?::[\w.-]+)?$/i.exec(node) ?? [];
  const address = v6 ?? v4 ?? node;
  return isIP(address) === 0 ? null : address;
}
