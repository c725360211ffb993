// A request as its visitor sent it. Proxies in front may take a part of the path away and put a Host of their own; those
// that are believed tell both. Learned is what the site itself answers, so that a path that somebody invents concerns
// nobody else: hints are for the path that this request came by.

import { forwardedHost, forwardedPrefix, type TrustsHop } from '../../http/forwarded.ts';
import type { HeaderFields } from '../../prefetchd/rules/eligibility.ts';
import type { Request } from '../listen/handler.ts';
import type { IsTrusted } from '../listen/trusted.ts';
import type { CheckedHintsOptions } from './hint-options.ts';

export interface Visited {
  /** Host is the one that the visitor asked for. */
  readonly headers: HeaderFields;
  /** Path that a proxy took away, `/shop`; '': none. */
  readonly prefix: string;
  /** The prefix is that of a field, so a cache must tell responses apart by it. */
  readonly variesByPrefix: boolean;
  /** null: the connection is that of the visitor. */
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

/** Whom to believe: `trustProxy`, else Express's own setting. null: not even the other end of the connection. */
function trustOf(req: Request, isTrusted: IsTrusted | null | undefined): TrustsHop | null {
  const trusts = isTrusted === undefined ? trustOfExpress(req) : isTrusted;
  if (trusts === null) return null;
  // The other end of a unix socket is on this machine.
  const trustsHop: TrustsHop = (address, hop) => address === undefined || trusts(address, hop);
  return trustsHop(req.socket?.remoteAddress, 0) ? trustsHop : null;
}

/** Express compiles its setting `trust proxy` to a function of address and hop. */
function trustOfExpress(req: Request): IsTrusted | null {
  const { app } = req as { app?: { get?(name: string): unknown } };
  const trusts = typeof app?.get === 'function' ? app.get('trust proxy fn') : null;
  return typeof trusts === 'function' ? (trusts as IsTrusted) : null;
}
