// Who counts as one visitor: an IPv4 address, or the prefix of an IPv6 address that one subscriber is given. That is
// a /48 where a provider follows RFC 6177, and anyone can rent one; so it is the default, though others get a /56 or a
// /64: one subscriber who counts as 65,536 does harm, some who count as one only teach more slowly, as behind the NAT
// of IPv4. Within it machines invent as many addresses as they like (RFC 8981).
//
// Where the way to an IPv6 address leads over an IPv4 address that stands in it, that address counts: mapped
// (RFC 4291 2.5.5.2), 6to4 (RFC 3056 2), NAT64 (RFC 6052 2.1), Teredo (RFC 4380 4; its server and port are free to
// choose). So nobody counts twice who has both.

import ipaddr from 'ipaddr.js';

export const ipv6Prefixes = [48, 56, 64] as const;

/** Bits of an IPv6 address that one subscriber has. */
export type Ipv6Prefix = (typeof ipv6Prefixes)[number];

export const defaultIpv6Prefix: Ipv6Prefix = 48;

/** An address as it is counted; what is none, as an address that was counted before, stays as it is. */
export function visitorAddress(
  address: string,
  ipv6Prefix: Ipv6Prefix = defaultIpv6Prefix,
): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  const bytes = parsed.toByteArray();
  if (parsed.kind() === 'ipv4') return bytes.join('.');
  const inside = ipv4Inside(bytes);
  if (inside !== null) return inside.join('.');
  return Buffer.from(bytes.slice(0, ipv6Prefix / 8)).toString('hex');
}

/** The same of a client, whose first word is its address. */
export function countedClient(client: string, ipv6Prefix?: Ipv6Prefix): string {
  const space = client.indexOf(' ');
  if (space === -1) return visitorAddress(client, ipv6Prefix);
  return visitorAddress(client.slice(0, space), ipv6Prefix) + client.slice(space);
}

const sixToFour = [0x20, 0x02];
const teredo = [0x20, 0x01, 0, 0];
const nat64 = [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0];

function ipv4Inside(bytes: readonly number[]): number[] | null {
  const beginsWith = (prefix: readonly number[]) => prefix.every((byte, at) => bytes[at] === byte);
  if (beginsWith(sixToFour)) return bytes.slice(2, 6);
  if (beginsWith(nat64)) return bytes.slice(12);
  // Each bit is inverted, so that no NAT on the way rewrites it.
  return beginsWith(teredo) ? bytes.slice(12).map((byte) => byte ^ 0xff) : null;
}
