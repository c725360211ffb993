// The address that identifies one visitor: an IPv4 address, or the prefix of an IPv6 address that one subscriber gets,
// of 48 bits: providers that follow RFC 6177 assign a /48, and anyone can rent one; others assign a /56 or a /64. A
// subscriber who counts as 65,536 visitors does harm, while subscribers who share a prefix only slow down learning, as
// behind an IPv4 NAT. Within its prefix a host can create any number of addresses (RFC 8981).
//
// An IPv6 address that embeds an IPv4 address counts as that IPv4 address, so a visitor with both counts once:
// mapped (RFC 4291 2.5.5.2), 6to4 (RFC 3056 2), NAT64 (RFC 6052 2.1), Teredo (RFC 4380 4).

import { isIPv6 } from 'node:net';

/** Number of leading hexadecimal digits of an IPv6 address that identify a subscriber (48 bits). */
const subscriberDigits = 12;

const mapped = '00000000000000000000ffff';
const nat64 = '0064ff9b0000000000000000';
const sixToFour = '2002';
const teredo = '20010000';

/** Returns the address by which a visitor is counted. Text that is no IPv6 address is returned unchanged, so the
 *  function is idempotent. */
export function visitorAddress(address: string): string {
  if (!isIPv6(address)) return address;
  const digits = digitsOf(address);
  const bytes = Buffer.from(digits, 'hex');
  const last = bytes.subarray(12);
  if (digits.startsWith(mapped) || digits.startsWith(nat64)) return last.join('.');
  if (digits.startsWith(sixToFour)) return bytes.subarray(2, 6).join('.');
  // Teredo inverts each bit, so that no NAT on the path rewrites the address.
  if (digits.startsWith(teredo)) return last.map((byte) => byte ^ 0xff).join('.');
  return digits.slice(0, subscriberDigits);
}

/** Returns all 32 digits of an IPv6 address, without its zone. A URL is made of it, as that writes an IPv4 address at
 *  its end in hexadecimal, too (URL Standard 3.5). */
function digitsOf(address: string): string {
  const { hostname } = new URL(`http://[${address.replace(/%.*/, '')}]`);
  const [before = '', after = ''] = hostname.slice(1, -1).split('::').map(padded);
  return before.padEnd(32 - after.length, '0') + after;
}

const padded = (groups: string): string =>
  groups.replace(/([\da-f]+):?/g, (_, group: string) => group.padStart(4, '0'));
