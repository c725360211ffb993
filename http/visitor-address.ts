// The address that identifies one visitor: an IPv4 address, or the prefix of an IPv6 address that one subscriber
// gets, of 48 bits: providers that follow RFC 6177 assign a /48, and anyone can rent one; others assign a /56 or a
// /64. A subscriber who counts as 65,536 visitors does harm, while subscribers who share a prefix only
// slow down learning, as behind an IPv4 NAT. Within its prefix a host can create any number of addresses (RFC
// 8981).
//
// An IPv6 address that embeds an IPv4 address counts as that IPv4 address, so a visitor with both counts once:
// mapped (RFC 4291 2.5.5.2), 6to4 (RFC 3056 2), NAT64 (RFC 6052 2.1), Teredo (RFC 4380 4).

import ipaddr from 'ipaddr.js';

/** Bytes of an IPv6 address that identify a subscriber. */
const subscriberBytes = 6;

/** The address that a visitor is counted by. Text that is no address is returned unchanged: this is idempotent. */
export function visitorAddress(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  const bytes = parsed.toByteArray();
  if (parsed.kind() === 'ipv4') return bytes.join('.');
  const inside = ipv4Inside(bytes);
  if (inside !== null) return inside.join('.');
  return Buffer.from(bytes.slice(0, subscriberBytes)).toString('hex');
}

const sixToFour = [0x20, 0x02];
const teredo = [0x20, 0x01, 0, 0];
const nat64 = [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0];

function ipv4Inside(bytes: readonly number[]): number[] | null {
  const beginsWith = (prefix: readonly number[]) => prefix.every((byte, at) => bytes[at] === byte);
  if (beginsWith(sixToFour)) return bytes.slice(2, 6);
  if (beginsWith(nat64)) return bytes.slice(12);
  // Teredo inverts each bit, so that no NAT on the path rewrites the address.
  return beginsWith(teredo) ? bytes.slice(12).map((byte) => byte ^ 0xff) : null;
}
