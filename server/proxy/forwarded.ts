// Tells the upstream the client, host and protocol, which a proxy hides. Servers read X-Forwarded-*; Forwarded (RFC
// 7239) is continued if another proxy began it, and not begun here. If the peer is a trusted proxy, the protocol and
// host that it forwards stay; such fields of other peers are dropped. The proxy's own fields come first, because a
// server with a limit on fields ignores the last ones.

import { type EndToEndFields, isProxyClaim, isUsualSpelling } from './end-to-end-fields.ts';

export interface Peer {
  /** Address of the peer; undefined over a Unix socket. */
  readonly address: string | undefined;
  readonly proto: 'http' | 'https';
  readonly host: string | undefined;
  /** True if the peer is a proxy of the site's owner. */
  readonly isTrusted: boolean;
}

/** Returns the plain form of an address: `::ffff:192.0.2.1`, as a listener on `::` sees it, is 192.0.2.1. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=[\d.]+$)/i, '');
}

/**
 * Removes untrusted fields from `fields`, and makes the fields that tell the upstream about the client.
 * @returns Fields to send right after Host, before `fields`
 */
export function takeForwarded(fields: EndToEndFields, asker: Peer): EndToEndFields {
  const told: EndToEndFields = new Map();
  for (const lower of fields.keys()) {
    if (isProxyClaim(lower) && !(asker.isTrusted && isUsualSpelling(lower))) fields.delete(lower);
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
  // An IPv6 address is in brackets, and anything with a colon is quoted (RFC 7239 6).
  const node =
    address === undefined ? 'unknown' : address.includes(':') ? `"[${address}]"` : address;
  const named = asker.host === undefined ? '' : `;host="${asker.host}"`;
  tell('Forwarded', [...elements, `for=${node};proto=${asker.proto}${named}`]);
  return told;
}
