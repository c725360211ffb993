// Maps clients to pseudonyms, under the visitor salt, and to fingerprints, under the fingerprint salt. Neither is kept:
// pseudonyms stored beside their clients would be a list of clients.

import { visitorAddress } from '../../http/visitor-address.ts';
import { fingerprintOf } from '../model/graph/client-sets.ts';
import { pseudonymiser, type Salt } from '../model/salt.ts';

export interface Pseudonym {
  /** Pseudonym of the client's first word, its address; distinct visitors are counted by it
   *  (model/graph/client-sets.ts). */
  readonly address: string;
  /** Pseudonym of the client, `address rest`; `address` for a client of one word. */
  readonly client: string;
  /** Number by which distinct addresses are counted, 1..1023; its salt lives longer than that of pseudonyms. */
  readonly fingerprint: number;
}

export function pseudonymsOf(
  visitorSalt: Salt,
  fingerprintSalt: Salt,
): (client: string) => Pseudonym {
  const pseudonymOf = pseudonymiser(visitorSalt);
  const fingerprinted = pseudonymiser(fingerprintSalt);
  return (client) => {
    const [first = ''] = client.split(' ', 1);
    const counted = visitorAddress(first);
    const fingerprint = fingerprintOf(fingerprinted(counted));
    const address = pseudonymOf(counted);
    const rest = client.slice(first.length);
    return {
      address,
      client: rest === '' ? address : `${address} ${pseudonymOf(rest)}`,
      fingerprint,
    };
  };
}
