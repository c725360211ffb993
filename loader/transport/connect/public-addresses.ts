// Decides which addresses a loader may connect to inside a service, which fetches URLs chosen by strangers. The check
// applies to the address about to be connected to, not to the name, so no spelling of an address and no redirect
// bypasses it, and a name is resolved only once.

import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../../../http/public-address.ts';
import { LoaderError } from '../../errors.ts';

/** Refuses a host that is an address but not a public one. @throws LoaderError `address-refused` */
export function refusePrivateLiteral(host: string): void {
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw refusal(host, host);
}

/** Looks a name up for `net.connect`, and returns only those of its addresses that are public. */
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
