// Tells addresses that anybody on the internet may have from those of networks with a purpose of their own: loopback,
// private, link-local and others in the registries that RFC 6890 began (as of 2026), and their mapped or translated
// forms.

import { BlockList, isIP } from 'node:net';

const special = new BlockList();
for (const network of [
  '0.0.0.0/8', // this network (RFC 791)
  '10.0.0.0/8', // private use (RFC 1918)
  '100.64.0.0/10', // carrier-grade NAT (RFC 6598)
  '127.0.0.0/8', // loopback (RFC 1122)
  '169.254.0.0/16', // link-local, with the metadata services of clouds (RFC 3927)
  '172.16.0.0/12', // private use (RFC 1918)
  '192.0.0.0/24', // protocol assignments (RFC 6890)
  '192.0.2.0/24', // documentation (RFC 5737)
  '192.31.196.0/24', // AS112 (RFC 7535)
  '192.52.193.0/24', // automatic multicast tunnels (RFC 7450)
  '192.88.99.0/24', // 6to4 relays, deprecated (RFC 7526)
  '192.168.0.0/16', // private use (RFC 1918)
  '192.175.48.0/24', // AS112 (RFC 7534)
  '198.18.0.0/15', // benchmarks (RFC 2544)
  '198.51.100.0/24', // documentation (RFC 5737)
  '203.0.113.0/24', // documentation (RFC 5737)
  '224.0.0.0/4', // multicast (RFC 5771)
  '240.0.0.0/4', // reserved, broadcast (RFC 1112, RFC 919)
  '2001::/23', // protocol assignments, Teredo (RFC 2928, RFC 4380)
  '2001:db8::/32', // documentation (RFC 3849)
  '2002::/16', // 6to4 (RFC 3056)
  '2620:4f:8000::/48', // AS112 (RFC 7534)
  '3fff::/20', // documentation (RFC 9637)
]) {
  add(special, network);
}

/** The networks that contain all public IPv6 addresses: global unicast (RFC 4291 2.4), and mapped IPv4 addresses, which
 *  are compared with the networks of IPv4. */
const assigned = new BlockList();
add(assigned, '2000::/3');
add(assigned, '::ffff:0:0/96');

function add(list: BlockList, network: string): void {
  const [start = '', bits] = network.split('/');
  list.addSubnet(start, Number(bits), start.includes(':') ? 'ipv6' : 'ipv4');
}

/** True for an address that is globally reachable, with or without a zone. */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*/, '');
  const version = isIP(plain);
  if (version === 4) return !special.check(plain, 'ipv4');
  return version === 6 && assigned.check(plain, 'ipv6') && !special.check(plain, 'ipv6');
}
