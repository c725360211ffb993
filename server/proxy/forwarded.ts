// Tells the upstream the client, host and protocol, which a proxy hides. X-Forwarded-* is what servers read;
// Forwarded (RFC 7239) is continued if another proxy began it, and not begun here. What a stranger says about the same
// is dropped. Our fields come first, as a server that counts fields ignores those behind.

import ipaddr from 'ipaddr.js';
import { type Fields, isProxyClaim, isUsualSpelling } from './end-to-end-fields.ts';

/**
 * 'append': add the client after earlier proxies, and keep their protocol and host. 'replace': believe nothing
 * received. 'trusted': 'append' for trusted proxies, 'replace' for others. 'none': unchanged.
 */
export type ForwardedMode = 'trusted' | 'append' | 'replace' | 'none';

export const forwardedModes: readonly ForwardedMode[] = ['trusted', 'append', 'replace', 'none'];

export interface Asker {
  /** Undefined over a Unix socket. */
  readonly address: string | undefined;
  readonly proto: 'http' | 'https';
  readonly host: string | undefined;
  /** A proxy of the site's owner. */
  readonly isTrusted: boolean;
}

/** `::ffff:192.0.2.1`, as seen by a listener on `::`, is 192.0.2.1. */
function plainAddress(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}

/**
 * Removes from `fields` what is not believed.
 * @returns fields to send right behind Host, before `fields`
 */
export function takeForwarded(fields: Fields, asker: Asker, mode: ForwardedMode): Fields {
  const told: Fields = new Map();
  if (mode === 'none') return told;
  const isBelieved = mode === 'append' || (mode === 'trusted' && asker.isTrusted);
  for (const lower of fields.keys()) {
    if (isProxyClaim(lower) && !(isBelieved && isUsualSpelling(lower))) fields.delete(lower);
  }
  const tell = (name: string, values: readonly string[]) => {
    fields.delete(name.toLowerCase());
    told.set(name.toLowerCase(), { name, values: [values.join(', ')] });
  };
  const before = (lower: string) => fields.get(lower)?.values;
  const address = asker.address && plainAddress(asker.address);
  const chain = [...(before('x-forwarded-for') ?? []), ...(address === undefined ? [] : [address])];

  if (chain.length > 0) tell('X-Forwarded-For', chain);
  tell('X-Forwarded-Proto', before('x-forwarded-proto') ?? [asker.proto]);
  const host = before('x-forwarded-host') ?? (asker.host ? [asker.host] : []);
  if (host.length > 0) tell('X-Forwarded-Host', host);

  const elements = before('forwarded');
  if (elements === undefined) return told;
  // RFC 7239 6: an IPv6 address is in brackets, and anything with a colon is quoted.
  const node =
    address === undefined ? 'unknown' : address.includes(':') ? `"[${address}]"` : address;
  const named = asker.host === undefined ? '' : `;host="${asker.host}"`;
  tell('Forwarded', [...elements, `for=${node};proto=${asker.proto}${named}`]);
  return told;
}
