// An origin server on a folder: `await createOrigin('public').listen()`. One port speaks HTTP/1.0, 1.1
// and 2, in clear or over TLS. The way of a request:
//   listener: http1-server, with coalescing-socket and pipelined-connection, or http2-server ->
//   request-limits -> options.handlers -> static-files -> the Express app's own routes (HTTP/1 only) ->
//   a plain 404 or 405.
// Express rewrites the prototypes of request and response and cannot do that to those of HTTP/2; what
// must work under both goes into `handlers`.

import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import type { Ipv6Prefix } from '../../http/visitor-address.ts';
import {
  checked,
  objectOf,
  option,
  optionWithoutDefault,
  type TableOf,
} from '../../options/options.ts';
import { invalidOption } from '../errors.ts';
import {
  cutOff,
  type Handler,
  type Next,
  type Request,
  type Response,
  runHandlers,
} from '../listen/handler.ts';
import { checkLimits, type Limits, rules } from '../listen/limits.ts';
import { createListener, type Listening, type ListenOptions } from '../listen/listener.ts';
import { plainAnswer } from '../listen/plain-answer.ts';
import type { TlsIdentity } from '../listen/protocols.ts';
import { refusal } from '../listen/request-limits.ts';
import { handlersKind, ipv6PrefixOption, onErrorKind, tlsOption } from '../listen/server-kinds.ts';
import { type TrustProxy, trustOf, trustProxyKind } from '../listen/trusted.ts';
import { maxAgeOption, staticFiles } from './static-files.ts';

export interface OriginOptions extends Partial<Limits> {
  /** Serve over TLS, h2 and http/1.1 by ALPN. Default: in clear. */
  readonly tls?: TlsIdentity | undefined;
  /** Run before the files are looked at, under every protocol. */
  readonly handlers?: readonly Handler[] | undefined;
  /** Freshness lifetime of every file, sent as `Cache-Control: max-age`. Default: no field. */
  readonly maxAgeSeconds?: number | undefined;
  /** Told of errors in handlers; the client gets a plain 500. Default: nobody is told. */
  readonly onError?: ((error: unknown, req: Request) => void) | undefined;
  /** Proxies in front, which many visitors share: not bounded by maxConnectionsPerAddress. Default 'loopback'. */
  readonly trustProxy?: TrustProxy | undefined;
  /**
   * Bits of an IPv6 address that one subscriber has, 48, 56 or 64: what is bounded for one address is for all addresses
   * of such a network. Default 48.
   */
  readonly ipv6Prefix?: Ipv6Prefix | undefined;
}

export interface OriginStats {
  /** Connections accepted so far, and those turned away by a limit. */
  readonly connections: number;
  readonly refusedConnections: number;
  readonly openConnections: number;
  readonly requests: number;
  /** Times gathered answers were handed to an HTTP/1 connection. */
  readonly writes: number;
}

type Route = (path: string, ...handlers: RouteHandler[]) => unknown;
// biome-ignore lint/suspicious/noExplicitAny: what Express adds to both is for who has its types.
type RouteHandler = (req: any, res: any, next: Next) => unknown;

/** An Express app, as far as routes need it; with `@types/express`, `app as Express`. */
export interface RoutableApp
  extends Record<'all' | 'delete' | 'get' | 'patch' | 'post' | 'put', Route> {
  (req: IncomingMessage, res: ServerResponse): void;
  use(...handlers: RouteHandler[]): unknown;
  use(path: string, ...handlers: RouteHandler[]): unknown;
}

export interface Origin extends AsyncDisposable {
  /** For routes of one's own behind the files, HTTP/1 only; see `handlers`. */
  readonly app: RoutableApp;
  /** @throws ServerError 'already-listening', 'server-closed', 'address-in-use', 'listen-failed' */
  listen(options?: ListenOptions): Promise<Listening>;
  /**
   * Stops accepting, lets what was begun finish within closeTimeoutMs, cuts the rest. Resolves when
   * every connection is closed; calling it again gives the same promise.
   */
  close(): Promise<void>;
  /** Cuts every connection, and what was begun with it. Resolves as close() does. */
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

/** Express could not decode a part of the path that a route takes (RFC 3986 2.1). */
function isUndecodable(error: unknown): boolean {
  return error instanceof URIError && (error as { status?: unknown }).status === 400;
}

/**
 * An origin server on `folder`. Nothing is opened before `listen()`.
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

  /** What no handler answered, and what went wrong in one. */
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
  /** Counts, and answers what is over a limit. */
  const isRefused = (req: Request, res: Response): boolean => {
    requests++;
    const status = refusal(req, limits);
    if (status !== undefined) plainAnswer(req, res, status);
    return status !== undefined;
  };

  const listener = createListener({
    what: 'origin',
    limits,
    ipv6Prefix,
    tls: options.tls,
    isTrusted: trustOf(options.trustProxy ?? 'loopback'),
    onHttp1(req, res) {
      // Express takes a third argument, the handler of what is left, which its types do not show.
      const run = app as unknown as (req: Request, res: Response, last: unknown) => void;
      if (!isRefused(req, res)) run(req, res, lastHandler(req, res));
    },
    onHttp2(req, res) {
      if (!isRefused(req, res)) runHandlers(handlers, req, res, lastHandler(req, res));
    },
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
