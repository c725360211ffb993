// Reads a request as its visitor sent it, and identifies the visitor. Proxies in front may remove a path prefix and
// replace Host; trusted ones report both. URLs are learned as the site itself sees them, so an invented prefix affects
// nobody else; the hints of a response name URLs with the prefix of its request.
//
// The client is address and user agent as one string. prefetchd counts visitors by its first word, the address, reduced
// to the part that identifies a subscriber (http/visitor-address.ts). Behind trusted proxies, the address is the one
// that they forward (http/forwarded.ts).

import { isIP } from 'node:net';
import {
  forwardedClient,
  forwardedHost,
  forwardedPrefix,
  type TrustsHop,
} from '../../http/forwarded.ts';
import type { HeaderFields } from '../../prefetchd/rules/eligibility.ts';
import type { Request } from '../listen/handler.ts';
import type { IsTrusted } from '../listen/trusted.ts';
import type { CheckedHintsOptions } from './hint-options.ts';

export interface Visited {
  /** The header fields, with the Host that the visitor requested. */
  readonly headers: HeaderFields;
  /** Path prefix that a proxy removed, `/shop`; '': it removed none. */
  readonly prefix: string;
  /** True if the prefix is from a header field, so that responses must say that they vary by this field. */
  readonly variesByPrefix: boolean;
  /** The proxies that are trusted; null: the connection is the visitor's own, and forwarded fields are ignored. */
  readonly trusts: TrustsHop | null;
}

export function visitedOf(
  req: Request,
  { isTrusted, prefix: own }: Pick<CheckedHintsOptions, 'isTrusted' | 'prefix'>,
): Visited {
  const { headers } = req;
  const trusts = trustOf(req, isTrusted);
  if (trusts === null) {
    return { headers, prefix: own ?? '', variesByPrefix: false, trusts };
  }
  const prefix = own ?? forwardedPrefix(headers);
  const host = forwardedHost(headers);
  return {
    headers: host === undefined ? headers : { ...headers, host, ':authority': host },
    prefix,
    variesByPrefix: own === null && prefix !== '',
    trusts,
  };
}

/**
 * Returns which proxies are trusted, by `trustProxy`, else by Express; null if not even the peer of the connection is.
 */
function trustOf(req: Request, isTrusted: IsTrusted | null | undefined): TrustsHop | null {
  const trusts = isTrusted === undefined ? trustOfExpress(req) : isTrusted;
  if (trusts === null) return null;
  // The peer of a Unix socket is on this machine, so it is trusted.
  const trustsHop: TrustsHop = (address, hop) => address === undefined || trusts(address, hop);
  return trustsHop(req.socket?.remoteAddress, 0) ? trustsHop : null;
}

/** Returns which proxies Express trusts: it compiles its setting `trust proxy` to a function of address and hop. */
function trustOfExpress(req: Request): IsTrusted | null {
  const { app } = req as { app?: { get?(name: string): unknown } };
  const trusts = typeof app?.get === 'function' ? app.get('trust proxy fn') : null;
  return typeof trusts === 'function' ? (trusts as IsTrusted) : null;
}

/** Returns the path on which Express mounted the middleware; '' without one. Valid only while the middleware runs. */
export function mountOf(req: Request): string {
  const { baseUrl } = req as { baseUrl?: unknown };
  return typeof baseUrl === 'string' ? baseUrl : '';
}

const longestClient = 512;

type ClientOptions = Pick<CheckedHintsOptions, 'clientOf' | 'onFault'>;

/**
 * Makes a function that returns a request's client, as a text (from `clientOf`, or address and User-Agent); null if the
 * client is unknown, as over a Unix socket without a forwarded address.
 */
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
    const userAgent = req.headers['user-agent'];
    if (trusts !== null) {
      const { address, isUnnamed } = forwardedClient(req.headers, socket?.remoteAddress, trusts);
      if (!isUnnamed) return named(address, userAgent);
      const told = 'a trusted proxy forwards requests without the address of their client';
      options.onFault(new Error(`${told}, so nothing is learned of them`), 'front');
      return null;
    }
    const known = socket?.[lastKey];
    if (known !== undefined && known.userAgent === userAgent) return known.client;
    const client = named(socket?.remoteAddress, userAgent);
    if (socket) socket[lastKey] = { userAgent, client };
    return client;
  };
}

/** Key of a property of the socket that caches the client of the connection, valid while the User-Agent is the same. */
const lastKey = Symbol('loadahead client');
type KnownSocket = Request['socket'] & {
  [lastKey]?: { userAgent: string | undefined; client: string | null };
};
