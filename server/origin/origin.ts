// Makes an origin server for a folder: `await createOrigin('public').listen()`. One port speaks HTTP/1.0, 1.1 and 2, in
// clear or over TLS. The request flow:
//   listener: http1-server, with its layers and pipelined-connection, or http2-server -> refusal() ->
//   options.handlers -> static-files -> the Express app's own routes (HTTP/1 only) -> a plain 404 or 405
// Express replaces the prototypes of request and response, which is impossible with HTTP/2; anything that must work
// under both belongs in `handlers`.

import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import { hasValidHost, http2Authority } from '../../http/host-field.ts';
import { checked, objectOf, withConstants } from '../../options/options.ts';
import { invalidOption } from '../errors.ts';
import { layersOf } from '../layers.ts';
import {
  cutOff,
  type Handler,
  handlerFailed,
  isHttp1,
  type Next,
  offerSite,
  type Request,
  type Response,
  runHandlers,
  type Site,
} from '../listen/handler.ts';
import { type ServerLimits, withLimitConstants } from '../listen/limits.ts';
import { createListener, type Listening, type ListenOptions } from '../listen/listener.ts';
import { plainAnswer } from '../listen/plain-answer.ts';
import { trustOf } from '../listen/trusted.ts';
import { type OriginOptions, originOptions } from './origin-options.ts';
import { staticFiles } from './static-files.ts';

export interface OriginStats {
  /** Numbers of connections accepted so far, and of those refused by a limit. */
  readonly connections: number;
  readonly refusedConnections: number;
  readonly openConnections: number;
  readonly requests: number;
  /** Number of writes to HTTP/1 connections. */
  readonly writes: number;
}

type Route = (path: string, ...handlers: RouteHandler[]) => unknown;
// biome-ignore lint/suspicious/noExplicitAny: users with Express's types get what Express adds to request and response.
type RouteHandler = (req: any, res: any, next: Next) => unknown;

/** The part of an Express app needed for routes; with `@types/express`, use `app as Express`. */
export interface RoutableApp
  extends Record<'all' | 'delete' | 'get' | 'patch' | 'post' | 'put', Route> {
  (req: IncomingMessage, res: ServerResponse): void;
  use(...handlers: RouteHandler[]): unknown;
  use(path: string, ...handlers: RouteHandler[]): unknown;
}

export interface Origin extends AsyncDisposable {
  /** The Express app for custom routes after the files, over HTTP/1 only; see `handlers`. */
  readonly app: RoutableApp;
  /** Opens the port or socket. @throws ServerError 'already-listening', 'server-closed', 'address-in-use',
   *  'listen-failed' */
  listen(options?: ListenOptions): Promise<Listening>;
  /**
   * Stops accepting connections, lets pending requests finish within five seconds, and cuts off the rest. Resolves
   * when every connection is closed; repeated calls return the same promise.
   */
  close(): Promise<void>;
  /** Cuts off every connection with its pending requests. Resolves when every connection is closed. */
  destroy(): Promise<void>;
  stats(): OriginStats;
}

/**
 * Creates an origin server. No port is opened before `listen()`.
 * @param site A folder, or a handler that answers in its place
 * @throws ServerError 'folder-not-found', 'invalid-option'
 */
export function createOrigin(site: string | Handler, options: OriginOptions = {}): Origin {
  const given = checked(objectOf(originOptions), options, invalidOption);
  const limits = withLimitConstants(given, options);
  const { maxAgeSeconds, log } = given;
  const { maxCacheBytes, maxCachedFileBytes } = limits;
  const constants = withConstants({ maxCacheBytes, maxCachedFileBytes });
  const files =
    typeof site === 'function' ? site : staticFiles(site, { maxAgeSeconds, ...constants });
  const handlers = [...(options.handlers ?? []), files];
  let requests = 0;

  const app = express();
  app.disable('x-powered-by');
  app.use(...handlers);

  /** Answers requests that no handler answered, and handles errors in handlers. */
  const lastHandler = (req: Request, res: Response) => (error?: unknown) => {
    // Express throws a URIError for a path segment of a route that it cannot decode (RFC 3986 2.1).
    const isBadPath = error instanceof URIError && (error as { status?: unknown }).status === 400;
    if (error && !isBadPath) handlerFailed(log, error, req);
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
  /** Counts a request, and serves it unless it exceeds a limit. */
  const serve = (req: Request, res: Response, site: typeof overHttp1): void => {
    requests++;
    const status = refusal(req, limits);
    if (status !== undefined) {
      plainAnswer(req, res, status);
      return;
    }
    offerSite(req, site as Site);
    site(req, res);
  };

  const listener = createListener({
    what: 'origin',
    limits,
    tls: options.tls,
    isTrusted: trustOf(options.trustProxy ?? 'loopback'),
    extras: { layers: layersOf(handlers, limits) },
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
function refusal(req: Request, limits: ServerLimits): number | undefined {
  const { rawHeaders } = req;
  const isForOne = isHttp1(req) ? hasValidHost(req) : http2Authority(rawHeaders) !== undefined;
  if (!isForOne) return 400;
  if (Buffer.byteLength(req.url ?? '') > limits.maxUrlBytes) return 414;
  const announcedBytes = Number(req.headers['content-length'] ?? 0);
  if (announcedBytes > limits.maxRequestBodyBytes) return 413;
  // Content in GET has no meaning (RFC 9110 9.3.1). http.Server drains it if its length is known and small; the amount
  // of chunked content is unknown, so it is refused.
  const isGet = req.method === 'GET' || req.method === 'HEAD';
  if (isGet && isHttp1(req) && req.headers['transfer-encoding'] !== undefined) return 413;
  return undefined;
}
