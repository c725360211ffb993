// An origin server for a folder: `await createOrigin('public').listen()`. One port speaks HTTP/1.0, 1.1 and 2, in
// clear or over TLS. The request flow:
//   listener: http1-server, with coalescing-socket and pipelined-connection, or http2-server -> request-limits ->
//   options.handlers -> static-files -> the Express app's own routes (HTTP/1 only) -> a plain 404 or 405
// Express replaces the prototypes of request and response, which is impossible with HTTP/2; anything that must work
// under both belongs in `handlers`.

import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import { hasValidHost, http2Authority } from '../../http/host-field.ts';
import type { Ipv6Prefix } from '../../http/visitor-address.ts';
import {
  checked,
  objectOf,
  option,
  optionWithoutDefault,
  type TableOf,
} from '../../options/options.ts';
import { invalidOption } from '../errors.ts';
import { withKeepAlive } from '../listen/first-clients.ts';
import {
  cutOff,
  type Handler,
  isHttp1,
  type Next,
  type Request,
  type Response,
  runHandlers,
} from '../listen/handler.ts';
import { offerSite, type Site } from '../listen/inner-requests.ts';
import { checkLimits, type Limits, rules } from '../listen/limits.ts';
import { createListener, type Listening, type ListenOptions } from '../listen/listener.ts';
import { plainAnswer } from '../listen/plain-answer.ts';
import type { TlsIdentity } from '../listen/protocols.ts';
import { handlersKind, ipv6PrefixOption, onErrorKind, tlsOption } from '../listen/server-kinds.ts';
import { type TrustProxy, trustOf, trustProxyKind } from '../listen/trusted.ts';
import { maxAgeOption, staticFiles } from './static-files.ts';

export interface OriginOptions extends Partial<Limits> {
  /** Serve over TLS, h2 and http/1.1 by ALPN. Default: in clear. */
  readonly tls?: TlsIdentity | undefined;
  /** Run before the files are looked up, under every protocol. */
  readonly handlers?: readonly Handler[] | undefined;
  /** Freshness lifetime of every file, sent as `Cache-Control: max-age`. Default: no field. */
  readonly maxAgeSeconds?: number | undefined;
  /** Called for errors in handlers; the client gets a plain 500. Default: ignored. */
  readonly onError?: ((error: unknown, req: Request) => void) | undefined;
  /** Proxies in front, which many visitors share: not limited by maxConnectionsPerAddress. Default 'loopback'. */
  readonly trustProxy?: TrustProxy | undefined;
  /**
   * Bits of an IPv6 address that identify a subscriber, 48, 56 or 64: limits per address apply to all addresses of
   * such a network. Default 48.
   */
  readonly ipv6Prefix?: Ipv6Prefix | undefined;
}

export interface OriginStats {
  /** Connections accepted so far, and those refused by a limit. */
  readonly connections: number;
  readonly refusedConnections: number;
  readonly openConnections: number;
  readonly requests: number;
  /** Number of writes to HTTP/1 connections. */
  readonly writes: number;
}

type Route = (path: string, ...handlers: RouteHandler[]) => unknown;
// biome-ignore lint/suspicious/noExplicitAny: users with Express's types get what Express adds to both.
type RouteHandler = (req: any, res: any, next: Next) => unknown;

/** The part of an Express app needed for routes; with `@types/express`, use `app as Express`. */
export interface RoutableApp
  extends Record<'all' | 'delete' | 'get' | 'patch' | 'post' | 'put', Route> {
  (req: IncomingMessage, res: ServerResponse): void;
  use(...handlers: RouteHandler[]): unknown;
  use(path: string, ...handlers: RouteHandler[]): unknown;
}

export interface Origin extends AsyncDisposable {
  /** For custom routes after the files, HTTP/1 only; see `handlers`. */
  readonly app: RoutableApp;
  /** @throws ServerError 'already-listening', 'server-closed', 'address-in-use', 'listen-failed' */
  listen(options?: ListenOptions): Promise<Listening>;
  /**
   * Stops accepting, lets pending requests finish within closeTimeoutMs, and cuts off the rest. Resolves when every
   * connection is closed; repeated calls return the same promise.
   */
  close(): Promise<void>;
  /** Cuts off every connection with its pending requests. Resolves like close(). */
  destroy(): Promise<void>;
  stats(): OriginStats;
}

export const originTable = {
  tls: tlsOption,
  handlers: optionWithoutDefault(
    handlersKind,
    'Functions `(request, response, next)` that run before the files, over every HTTP version.',
  ),
  maxAgeSeconds: maxAgeOption,
  onError: optionWithoutDefault(
    onErrorKind,
    '`(error, request)`, called for errors in handlers; the client gets a plain 500.',
  ),
  trustProxy: option(
    trustProxyKind,
    'loopback',
    'Proxies in front, which share an address among many visitors and are exempt from `maxConnectionsPerAddress`: addresses, networks, names as in `hints`, or a function. false: none.',
  ),
  ipv6Prefix: ipv6PrefixOption(
    'Bits of an IPv6 address that identify a subscriber, 48, 56 or 64. Limits per address apply to the whole network.',
  ),
} satisfies TableOf<Omit<OriginOptions, keyof Limits>>;

const originKind = objectOf({ ...originTable, ...rules });

/** True if Express could not decode a path segment of a route (RFC 3986 2.1). */
function isUndecodable(error: unknown): boolean {
  return error instanceof URIError && (error as { status?: unknown }).status === 400;
}

/**
 * Creates an origin server for `folder`. No port is opened before `listen()`.
 * @throws ServerError 'folder-not-found', 'invalid-option'
 */
export function createOrigin(folder: string, options: OriginOptions = {}): Origin {
  const given = checked(originKind, options, invalidOption);
  const limits = checkLimits(options);
  const { maxAgeSeconds, onError, ipv6Prefix } = given;
  const { maxCacheBytes, maxCachedFileBytes } = limits;
  const files = staticFiles(folder, { maxAgeSeconds, maxCacheBytes, maxCachedFileBytes });
  const handlers = [...(options.handlers ?? []), files];
  let requests = 0;

  const app = express();
  app.disable('x-powered-by');
  app.use(...handlers);

  /** Answers requests that no handler answered, and handles errors in handlers. */
  const lastHandler = (req: Request, res: Response) => (error?: unknown) => {
    const isBadPath = isUndecodable(error);
    if (error && !isBadPath) onError?.(error, req);
    if (res.headersSent) {
      if (!res.writableEnded) cutOff(req, res);
    } else if (isBadPath) plainAnswer(req, res, 400);
    else if (error) plainAnswer(req, res, 500);
    else if (req.method === 'GET' || req.method === 'HEAD') plainAnswer(req, res, 404);
    else plainAnswer(req, res, 405, { Allow: 'GET, HEAD' });
  };
  // Express accepts a third argument, the final handler, which its types omit.
  const runApp = app as unknown as (req: Request, res: Response, last: Next) => void;
  const overHttp1 = (req: Request, res: Response) => runApp(req, res, lastHandler(req, res));
  const overHttp2 = (req: Request, res: Response) =>
    runHandlers(handlers, req, res, lastHandler(req, res));
  /** Counts the request, and answers it if it exceeds a limit. */
  const isRefused = (req: Request, res: Response): boolean => {
    requests++;
    const status = refusal(req, limits);
    if (status !== undefined) plainAnswer(req, res, status);
    return status !== undefined;
  };
  const serve = (req: Request, res: Response, site: typeof overHttp1): void => {
    if (isRefused(req, res)) return;
    offerSite(req, site as Site);
    site(req, res);
  };

  const listener = createListener({
    what: 'origin',
    limits,
    ipv6Prefix,
    tls: options.tls,
    isTrusted: trustOf(options.trustProxy ?? 'loopback'),
    extras: { onRequestBytes: withKeepAlive },
    onHttp1: (req, res) => serve(req, res, overHttp1),
    onHttp2: (req, res) => serve(req, res, overHttp2),
  });
  const { connections, listen, close, destroy } = listener;

  return {
    app,
    listen,
    close,
    destroy,
    [Symbol.asyncDispose]: close,
    stats: () => ({
      connections: connections.accepted,
      refusedConnections: connections.refused,
      openConnections: connections.size,
      requests,
      writes: listener.writes(),
    }),
  };
}

/**
 * Checks a request before any handler sees it, in either protocol.
 * @returns The status of the refusal, or undefined if the request may be served.
 */
function refusal(req: Request, limits: Limits): number | undefined {
  const { rawHeaders } = req;
  const isForOne = isHttp1(req) ? hasValidHost(req) : http2Authority(rawHeaders) !== undefined;
  if (!isForOne) return 400;
  if (Buffer.byteLength(req.url ?? '') > limits.maxUrlBytes) return 414;
  const announcedBytes = Number(req.headers['content-length'] ?? 0);
  if (announcedBytes > limits.maxRequestBodyBytes) return 413;
  // Content in GET has no meaning (RFC 9110 9.3.1): http.Server drains it if its length is known and small; otherwise
  // the amount is unknown.
  const isGet = req.method === 'GET' || req.method === 'HEAD';
  if (isGet && isHttp1(req) && req.headers['transfer-encoding'] !== undefined) return 413;
  return undefined;
}
