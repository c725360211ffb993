// Tells the upstream the client, host and protocol, which a proxy hides. X-Forwarded-* is what servers read;
// Forwarded (RFC 7239) is continued if another proxy began it, and not begun here.

import ipaddr from 'ipaddr.js';
import type { Fields } from './end-to-end-fields.ts';

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

const ours = ['X-Forwarded-For', 'X-Forwarded-Proto', 'X-Forwarded-Host', 'Forwarded'];

/** `::ffff:192.0.2.1`, as seen by a listener on `::`, is 192.0.2.1. */
function plainAddress(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}

export function addForwarded(fields: Fields, asker: Asker, mode: ForwardedMode): void {
  if (mode === 'none') return;
  const isBelieved = mode === 'append' || (mode === 'trusted' && asker.isTrusted);
  if (!isBelieved) for (const name of ours) fields.delete(name.toLowerCase());
  const set = (name: string, value: string) =>
    fields.set(name.toLowerCase(), { name, values: [value] });
  const address = asker.address && plainAddress(asker.address);

  if (address !== undefined) {
    const before = fields.get('x-forwarded-for')?.values ?? [];
    set('X-Forwarded-For', [...before, address].join(', '));
  }
  if (!fields.has('x-forwarded-proto')) set('X-Forwarded-Proto', asker.proto);
  if (!fields.has('x-forwarded-host') && asker.host) set('X-Forwarded-Host', asker.host);

  const elements = fields.get('forwarded')?.values;
  if (elements === undefined) return;
  // RFC 7239 6: an IPv6 address is in brackets, and anything with a colon is quoted.
  const node =
    address === undefined ? 'unknown' : address.includes(':') ? `"[${address}]"` : address;
  const host = asker.host === undefined ? '' : `;host="${asker.host}"`;
  set('Forwarded', [...elements, `for=${node};proto=${asker.proto}${host}`].join(', '));
}
