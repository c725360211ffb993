// Identifies the client of a request: address and user agent as one string. prefetchd counts distinct visitors by the
// first word, the address, reduced to the part that identifies a subscriber (http/visitor-address.ts). Behind
// trusted proxies, the address is the one that they forward (http/forwarded.ts).

import { isIP } from 'node:net';
import { forwardedClient } from '../../http/forwarded.ts';
import type { Request } from '../listen/handler.ts';
import type { CheckedHintsOptions } from './hint-options.ts';
import type { Visited } from './visited.ts';

const longestClient = 512;

type ClientOptions = Pick<CheckedHintsOptions, 'clientOf' | 'onError'>;

/** A function that finds a request's client; null if unknown, as over a Unix socket without a forwarded address. */
export function clientFinder(
  options: ClientOptions,
): (req: Request, visited: Pick<Visited, 'trusts'>) => string | null {
  const { clientOf: own } = options;
  if (own !== null) {
    return (req) => {
      const client = own(req);
      return typeof client === 'string' && client !== '' ? client.slice(0, longestClient) : null;
    };
  }
  const named = (address: string | undefined, userAgent = ''): string | null => {
    if (address === undefined || isIP(address) === 0) return null;
    return userAgent === '' ? address : `${address} ${userAgent}`.slice(0, longestClient);
  };
  return (req, { trusts }) => {
    const socket = req.socket as KnownSocket | null;
    const userAgent = userAgentOf(req);
    if (trusts !== null) {
      const { address, isUnnamed } = forwardedClient(req.headers, socket?.remoteAddress, trusts);
      if (!isUnnamed) return named(address, userAgent);
      const told = 'a trusted proxy forwards requests without the address of their client';
      options.onError(new Error(`${told}, so nothing is learned of them`), 'front');
      return null;
    }
    const known = socket?.[lastKey];
    if (known !== undefined && known.userAgent === userAgent) return known.client;
    const client = named(socket?.remoteAddress, userAgent);
    if (socket) socket[lastKey] = { userAgent, client };
    return client;
  };
}

/** Key of the client that is cached on a connection, for which it stays the same. */
const lastKey = Symbol('loadahead client');
type KnownSocket = Request['socket'] & {
  [lastKey]?: { userAgent: string | undefined; client: string | null };
};

function userAgentOf(req: Request): string | undefined {
  return req.headers['user-agent'];
}
