// A visitor's request as described by the web server in front: nginx (mirror), or Traefik (ForwardAuth)
// and Caddy (forward_auth) with their own field names. Fields of browsers (User-Agent, Sec-Purpose, Referer, ...) are
// passed unchanged; Cookie is never read.
//
//   X-Original-URI, X-Forwarded-Uri        the request target; required, and no page of another site can send it
//                                          without permission (Fetch 3.3.5)
//   X-Original-Method, X-Forwarded-Method  default: GET for /v1/headers, the request's method for /v1/mirror
//   X-Original-Host, X-Forwarded-Host      because Host is that of this service
//   X-Real-IP, X-Forwarded-For             the visitor's address, from trusted callers
//   X-Original-Authorization               if Authorization carries the service's token

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { AccessKind } from '../../access.ts';
import { clientOf, kindOfRequest, type RequestFacts } from '../../rules/eligibility.ts';

export interface FrontRequest {
  facts: RequestFacts;
  kind: AccessKind;
  /** Address and user agent; null if the caller does not identify the visitor. */
  client: string | null;
  host: string | undefined;
  /** Path and query of the page on this host that the visitor shows, from its Referer. */
  shownUrl: string | null;
}

export interface FrontRules {
  isTrusted: (address: string) => boolean;
  /** True if Authorization is meant for this service. */
  ownsAuthorization: boolean;
  /** The method if no field gives it; null: the request's own. */
  method: string | null;
}

/** Null if no field gives the request target. */
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
    shownUrl: shownUrl(headers.referer, host),
  };
}

/** The host that the visitor asked, as the web server in front says. */
export function frontHost(headers: IncomingHttpHeaders): string | undefined {
  return first(headers, 'x-original-host') ?? first(headers, 'x-forwarded-host');
}

/** The visitor for whom a web server passes a request on; null if no field names an address. */
export function forwardedVisitor(
  request: IncomingMessage,
  isTrusted: FrontRules['isTrusted'],
): string | null {
  const { headers } = request;
  const isForwarded =
    (first(headers, 'x-real-ip') ?? first(headers, 'x-forwarded-for')) !== undefined;
  return isForwarded ? visitorOf(request, isTrusted) : null;
}

/** Address and user agent of the visitor; null if the caller does not identify one. */
function visitorOf(request: IncomingMessage, isTrusted: FrontRules['isTrusted']): string | null {
  const address = visitorAddress(request, isTrusted);
  return address === null ? null : clientOf(address, request.headers['user-agent']);
}

/** The nearest address that is not a trusted proxy; null over a unix socket without such a field. */
function visitorAddress(
  { headers, socket }: IncomingMessage,
  isTrusted: (address: string) => boolean,
): string | null {
  const caller = socket.remoteAddress ?? null;
  if (caller !== null && !isTrusted(caller)) return caller;
  const real = first(headers, 'x-real-ip')?.trim() ?? '';
  if (isIP(real) !== 0) return real;
  let nearest = caller;
  const hops = (first(headers, 'x-forwarded-for') ?? '').slice(-1024).split(',');
  for (const hop of hops.reverse().map((text) => text.trim())) {
    if (isIP(hop) === 0) break;
    nearest = hop;
    if (!isTrusted(hop)) break;
  }
  return nearest;
}

function shownUrl(referer: string | undefined, host: string | undefined): string | null {
  const page = URL.parse(referer ?? '');
  return page !== null && page.host === host ? page.pathname + page.search : null;
}

function first(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
