// Who asks: address and user agent as one string. prefetchd counts distinct visitors by its first word,
// so the word is what one household cannot have many of (prefetchd/counted-address.ts). Behind a proxy the address
// is the nearest one in X-Forwarded-For that no trusted hop answers for; what strangers write there counts
// for nothing.

import { isIP } from 'node:net';
import proxyAddr from 'proxy-addr';
import { countedAddress } from '../prefetchd/counted-address.ts';
import { Memo } from '../prefetchd/log/memo.ts';
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
  const parties = new Memo(countedAddress, keptAddresses, memoSlots);
  // Who speaks over a unix socket is of this machine.
  const trust = (address: string | undefined, hop: number): boolean =>
    address === undefined || (isTrusted?.(address, hop) ?? false);
  const named = (address: string | undefined, userAgent = ''): string | null => {
    const version = address === undefined ? 0 : isIP(address);
    if (address === undefined || version === 0) return null;
    const party = version === 4 ? address : parties.get(address);
    return userAgent === '' ? party : `${party} ${userAgent}`.slice(0, longestClient);
  };
  if (isTrusted !== null) {
    return (req) => {
      const asked = req as Parameters<typeof proxyAddr>[0];
      return named(proxyAddr(asked, trust as (address: string) => boolean), userAgentOf(req));
    };
  }
  return (req) => {
    const socket = req.socket as Known | null;
    const userAgent = userAgentOf(req);
    const known = socket?.[lastKey];
    if (known !== undefined && known.userAgent === userAgent) return known.client;
    const client = named(socket?.remoteAddress, userAgent);
    if (socket) socket[lastKey] = { userAgent, client };
    return client;
  };
}

/** Who asked last on a connection: it stays the same, whatever it asks for. */
const lastKey = Symbol('loadahead client');
type Known = Request['socket'] & {
  [lastKey]?: { userAgent: string | undefined; client: string | null };
};

function userAgentOf(req: Request): string | undefined {
  return req.headers['user-agent'];
}
