// Reads a visitor's request as described by the web server in front: nginx (mirror), or Traefik (ForwardAuth)
// and Caddy (forward_auth) with their own field names. Fields of browsers (User-Agent, Sec-Purpose, Referer, ...) are
// passed unchanged; Cookie is never read.
//
//   X-Original-URI, X-Forwarded-Uri        the request target; required, and no page of another site can send it
//                                          without permission (Fetch 3.3.5)
//   X-Original-Method, X-Forwarded-Method  default: GET for /v1/headers, the request's method for /v1/mirror
//   X-Original-Host, X-Forwarded-Host      the visitor's Host, because Host is that of this service
//   X-Real-IP, X-Forwarded-For, Forwarded  the visitor's address, from trusted callers
//   X-Forwarded-Prefix                     path prefix that a proxy in front removed, from trusted callers
//   X-Original-Authorization               the visitor's Authorization, if Authorization has the service's token

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  addressOfNode,
  forwardedClient,
  forwardedPrefix,
  isForwarded,
} from '../../../http/forwarded.ts';
import type { AccessKind } from '../../access.ts';
import { clientOf, kindOfRequest, type RequestFacts } from '../../rules/eligibility.ts';
import { withoutPrefix } from '../../wire/hint.ts';
import type { CheckedServiceOptions } from '../service-options.ts';

export interface FrontRequest {
  facts: RequestFacts;
  kind: AccessKind;
  /** Address and user agent of the visitor; null if the caller does not identify a visitor. */
  client: string | null;
  host: string | undefined;
  /** Path and query of the page that the visitor's browser shows, from the Referer; null: unknown, or on another
   *  host. */
  shownUrl: string | null;
  /** Path prefix below which visitors see the site; '': the root. */
  prefix: string;
}

export interface FrontRules extends Pick<CheckedServiceOptions, 'isTrusted' | 'prefix'> {
  /** True if the field Authorization is meant for this service, not for the site. */
  ownsAuthorization: boolean;
  /** The visitor's request method if no field gives it; null: that of the web server's own request. */
  method: string | null;
}

/** Returns the visitor's request, as the web server describes it in header fields; null if none has its URL. */
export function frontRequest(request: IncomingMessage, rules: FrontRules): FrontRequest | null {
  const { headers } = request;
  const url = first(headers, 'x-original-uri') ?? first(headers, 'x-forwarded-uri');
  if (url === undefined) return null;
  const method =
    first(headers, 'x-original-method') ?? first(headers, 'x-forwarded-method') ?? rules.method;
  const host = frontHost(headers);
  const { authorization, ...described } = headers;
  const visitors = rules.ownsAuthorization
    ? first(headers, 'x-original-authorization')
    : authorization;
  delete described.host;
  const prefix = prefixOf(request, rules);
  const facts: RequestFacts = {
    method: method ?? request.method ?? 'GET',
    url,
    headers: {
      ...described,
      ...(host !== undefined && { host }),
      ...(visitors !== undefined && { authorization: visitors }),
    },
  };
  return {
    facts,
    kind: kindOfRequest(facts.headers, url),
    client: visitorOf(request, rules.isTrusted),
    host,
    shownUrl: shownUrl(headers.referer, host, prefix),
    prefix,
  };
}

/** Returns the host that the visitor requested, as the web server in front of this service names it. */
export function frontHost(headers: IncomingHttpHeaders): string | undefined {
  return first(headers, 'x-original-host') ?? first(headers, 'x-forwarded-host');
}

/** Returns the path prefix below which visitors see the site, `/shop`; '': the root. */
export function prefixOf(
  { headers, socket }: IncomingMessage,
  { isTrusted, prefix }: Pick<CheckedServiceOptions, 'isTrusted' | 'prefix'>,
): string {
  return prefix ?? (trusts(isTrusted)(socket.remoteAddress) ? forwardedPrefix(headers) : '');
}

/** Returns a function that says whether a caller is trusted to name the visitor; one without an address uses a local
 *  Unix socket, and is trusted. */
const trusts = (isTrusted: FrontRules['isTrusted']) => (address: string | undefined) =>
  address === undefined || isTrusted(address);

/** Returns the visitor for whom a web server passes a request on; null if no field names an address. */
export function forwardedVisitor(
  request: IncomingMessage,
  isTrusted: FrontRules['isTrusted'],
): string | null {
  const { headers } = request;
  const isTold = first(headers, 'x-real-ip') !== undefined || isForwarded(headers);
  return isTold ? visitorOf(request, isTrusted) : null;
}

/** Returns address and user agent of the visitor; null if the caller does not identify a visitor. */
function visitorOf(request: IncomingMessage, isTrusted: FrontRules['isTrusted']): string | null {
  const address = visitorAddress(request, isTrusted);
  return address === null ? null : clientOf(address, request.headers['user-agent']);
}

/** Returns the visitor's address: X-Real-IP of a trusted caller, else the nearest address that is no trusted proxy's;
 *  null if the caller uses a Unix socket and no field names an address. */
function visitorAddress(
  { headers, socket }: IncomingMessage,
  isTrusted: (address: string) => boolean,
): string | null {
  const caller = socket.remoteAddress;
  const real = addressOfNode(first(headers, 'x-real-ip')?.trim() ?? '');
  if (real !== null && trusts(isTrusted)(caller)) return real;
  return forwardedClient(headers, caller, trusts(isTrusted)).address ?? null;
}

function shownUrl(
  referer: string | undefined,
  host: string | undefined,
  prefix: string,
): string | null {
  const page = URL.parse(referer ?? '');
  if (page === null || page.host !== host) return null;
  return withoutPrefix(page.pathname + page.search, prefix);
}

function first(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
