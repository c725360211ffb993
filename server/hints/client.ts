// Who asks: address and user agent as one string. prefetchd counts distinct visitors by its first word, the address,
// and knows how much of it one subscriber has (http/visitor-address.ts). Behind a proxy the address
// is the nearest one in X-Forwarded-For that no trusted hop answers for; what strangers write there counts
// for nothing.

import { isIP } from 'node:net';
import proxyAddr from 'proxy-addr';
import type { Request } from '../listen/handler.ts';
import type { CheckedHintsOptions } from './hint-options.ts';

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
  // Who speaks over a unix socket is of this machine.
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

/** Who asked last on a connection: it stays the same, whatever it asks for. */
const lastKey = Symbol('loadahead client');
type Known = Request['socket'] & {
  [lastKey]?: { userAgent: string | undefined; client: string | null };
};

function userAgentOf(req: Request): string | undefined {
  return req.headers['user-agent'];
}
