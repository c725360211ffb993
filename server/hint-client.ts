// Who asks: address and user agent as one string. prefetchd counts distinct visitors by its first word,
// so the word is what one household cannot have many of: an IPv4 address, or the /64 of an IPv6 address,
// of which every machine invents as many addresses as it likes (RFC 8981). Behind a proxy the address
// is the nearest one in X-Forwarded-For that no trusted hop answers for; what strangers write there counts
// for nothing.

import { isIP } from 'node:net';
import proxyAddr from 'proxy-addr';
import { clientOf } from '../prefetchd/eligibility.ts';
import { Memo } from '../prefetchd/log/memo.ts';
import { countedAddress } from './connections.ts';
import type { Request } from './handler.ts';
import type { CheckedHintsOptions } from './hint-options.ts';

const keptAddresses = 4000;
const memoSlots = 1024;
const longestClient = 512;

type ClientOptions = Pick<CheckedHintsOptions, 'clientOf' | 'isTrusted'>;

/** null: nobody knows, as over a unix socket whose other end says nothing. */
export function clientFinder(options: ClientOptions): (req: Request) => string | null {
  const { isTrusted, clientOf: own } = options;
  if (own !== null) {
    return (req) => {
      const client = own(req);
      return typeof client === 'string' && client !== '' ? client.slice(0, longestClient) : null;
    };
  }
  const parties = new Memo((address) => countedAddress(address), keptAddresses, memoSlots);
  // Who speaks over a unix socket is of this machine.
  const trust = (address: string | undefined, hop: number): boolean =>
    address === undefined || (isTrusted?.(address, hop) ?? false);
  return (req) => {
    const address =
      isTrusted === null
        ? req.socket?.remoteAddress
        : proxyAddr(req as Parameters<typeof proxyAddr>[0], trust as (address: string) => boolean);
    if (address === undefined || isIP(address) === 0) return null;
    return clientOf(parties.get(address), req.headers['user-agent']);
  };
}
