// Who counts as one visitor: an IPv4 address, or the /64 of an IPv6 address, which is what a subscriber has, and
// of which every machine invents as many addresses as it likes (RFC 8981).

import ipaddr from 'ipaddr.js';

/** An address as it is counted: IPv4 also where it is written as IPv6; what is no address stays as it is. */
export function countedAddress(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return parsed
    .toByteArray()
    .slice(0, 8)
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

/** The same of a client, whose first word is its address. */
export function countedClient(client: string): string {
  const space = client.indexOf(' ');
  if (space === -1) return countedAddress(client);
  return countedAddress(client.slice(0, space)) + client.slice(space);
}
