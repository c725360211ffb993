// Decides which addresses a loader may connect to inside a service, which fetches URLs chosen by strangers. The check
// applies to the address about to be connected to, not to the name, so no spelling of an address and no redirect
// bypasses it, and a name is resolved only once.

import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LoaderError } from '../../errors.ts';

/**
 * Whether an address may be connected to.
 * True for globally reachable unicast addresses; false for loopback, private, link-local and carrier-grade NAT
 * addresses, for mapped or translated forms of these, and for everything reserved (RFC 6890).
 */
export function isPublicAddress(address: string): boolean {
  const plain = address.split('%')[0] ?? '';
  if (!ipaddr.isValid(plain)) return false;
  const parsed = ipaddr.process(plain);
  // Only 2000::/3 of IPv6 is assigned as global unicast (RFC 4291 2.4).
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(ipaddr.IPv6.parse('2000::'), 3)) return false;
  return parsed.range() === 'unicast';
}

/** @throws LoaderError `address-refused` if `host` is an address that is not public. */
export function refusePrivateLiteral(host: string): void {
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw refusal(host, host);
}

/** Name lookup for `net.connect` that returns public addresses only. */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) {
      callback(error, '', 0);
      return;
    }
    const allowed = addresses.filter(({ address }) => isPublicAddress(address));
    const [first] = allowed;
    if (first === undefined) {
      const all = addresses.map(({ address }) => address).join(', ');
      callback(refusal(hostname, all) as NodeJS.ErrnoException, '', 0);
    } else if (options.all === true) {
      callback(null, allowed);
    } else {
      callback(null, first.address, first.family);
    }
  });
};

function refusal(host: string, address: string): LoaderError {
  const what = host === address ? host : `${host} (${address})`;
  return new LoaderError(
    'address-refused',
    `${what} is not a public address, and refusePrivateAddresses (--public-only) is on`,
  );
}
