// Identifies the client of a request: address and user agent as one string. prefetchd counts distinct visitors by the
// first word, the address, reduced to the part that identifies a subscriber (http/visitor-address.ts). Behind
// proxies, it is the nearest address in X-Forwarded-For that is not a trusted proxy; anything before it is ignored.

import { isIP } from 'node:net';
import proxyAddr from 'proxy-addr';
import type { Request } from '../listen/handler.ts';
import type { CheckedHintsOptions } from './hint-options.ts';

const longestClient = 512;

type ClientOptions = Pick<CheckedHintsOptions, 'clientOf' | 'isTrusted'>;

/** Returns null if unknown, as over a unix socket without a forwarded address. */
export function clientFinder(options: ClientOptions): (req: Request) => string | null {
  const { isTrusted, clientOf: own } = options;
  if (own !== null) {
    return (req) => {
      const client = own(req);
      return typeof client === 'string' && client !== '' ? client.slice(0, longestClient) : null;
    };
  }
  // The other end of a unix socket is on this machine.
  const trust = (address: string | undefined, hop: number): boolean =>
    address === undefined || (isTrusted?.(address, hop) ?? false);
  const named = (address: string | undefined, userAgent = ''): string | null => {
    if (address === undefined || isIP(address) === 0) return null;
    return userAgent === '' ? address : `${address} ${userAgent}`.slice(0, longestClient);
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

/** The client is cached per connection, for which it stays the same. */
const lastKey = Symbol('loadahead client');
type Known = Request['socket'] & {
  [lastKey]?: { userAgent: string | undefined; client: string | null };
};

function userAgentOf(req: Request): string | undefined {
  return req.headers['user-agent'];
}
