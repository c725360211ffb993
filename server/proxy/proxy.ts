// Makes a reverse proxy for any site: `await createProxy({ upstream: 'http://127.0.0.1:8080' }).listen()`. The request
// flow:
//   listener -> request-check (ambiguous requests are refused) -> options.handlers ->
//   forward: upstream-fields (forwarded), upload, download, failure
//   or, for a WebSocket, after the same handlers, tunnel
// Nothing is buffered as a whole: a slow reader on one side slows the writer on the other. The proxy speaks HTTP/1.0,
// 1.1 and 2 to clients, and HTTP/1.1 to the upstream.

import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { forwardedClient } from '../../http/forwarded.ts';
import { visitorAddress } from '../../http/visitor-address.ts';
import { any, filePath, isPem, text } from '../../options/kinds.ts';
import { type Logger, logOption } from '../../options/logger.ts';
import {
  checked,
  type OptionsOf,
  objectOf,
  option,
  optionWithoutDefault,
  required,
} from '../../options/options.ts';
import { refusal } from '../../options/refusal.ts';
import { socketPathOf } from '../../process/listen-on.ts';
import { invalidOption, ServerError } from '../errors.ts';
import { layersOf } from '../layers.ts';
import type { ConnectionSocket } from '../listen/connection-socket.ts';
import type { ConnectionLimit } from '../listen/connections.ts';
import {
  cutOff,
  handlerFailed,
  handlersKind,
  isHttp1,
  type Request,
  type Response,
  runHandlers,
} from '../listen/handler.ts';
import { createListener, type Listening, type ListenOptions } from '../listen/listener.ts';
import { lastWords, plainAnswer } from '../listen/plain-answer.ts';
import { type TlsIdentity, tlsOption } from '../listen/protocols.ts';
import { trustOf, trustProxyKind } from '../listen/trusted.ts';
import type { Asker } from '../listen/turns.ts';
import { Forward, type ForwardContext } from './forward.ts';
import { hasContent } from './framing.ts';
import { type Checked, checkRequest, type RequestRefusal } from './request-check.ts';
import { Tunnel, type TunnelContext } from './tunnel.ts';
import { createUpstream, upstreamRule } from './upstream.ts';
import { LoopMark, type UpstreamFieldsOptions, upstreamFields } from './upstream-fields.ts';
import {
  changeOriginOption,
  checkProxyLimits,
  type ProxyLimits,
  proxyRules,
} from './upstream-limits.ts';

export interface ProxyStats {
  /** Numbers of connections accepted so far, and of those refused by a limit. */
  readonly connections: number;
  readonly refusedConnections: number;
  readonly openConnections: number;
  /** Numbers of requests, WebSocket handshakes included, and of those that the checks refused. */
  readonly requests: number;
  readonly refusedRequests: number;
  /** Number of complete responses by class: `2xx`, `3xx` and so on; those to refused requests are included. */
  readonly responses: Readonly<Record<string, number>>;
  readonly upstreamConnections: number;
  /** Number of requests that were sent a second time because a kept connection had been closed. */
  readonly retries: number;
  /** Number of requests that the upstream failed to answer: 502, 504, truncated responses. */
  readonly upstreamFailures: number;
  readonly openTunnels: number;
  /** Number of socket writes to clients on HTTP/1 connections. */
  readonly writes: number;
}

export interface ReverseProxy extends AsyncDisposable {
  /** Opens the port or socket. @throws ServerError 'already-listening', 'server-closed', 'address-in-use',
   *  'listen-failed' */
  listen(options?: ListenOptions): Promise<Listening>;
  /**
   * Stops accepting connections, lets pending requests finish within five seconds, and cuts off the rest; tunnels are
   * closed at once. Resolves when every connection is closed; repeated calls return the same promise.
   */
  close(): Promise<void>;
  /** Cuts off every connection with its pending requests. Resolves when every connection is closed. */
  destroy(): Promise<void>;
  /** Uses another key and certificate for connections that begin later. @throws Node's error if they do not fit */
  renew(tls: TlsIdentity): void;
  stats(): ProxyStats;
}

export const proxyTable = {
  /** The site: `http://host:port`, `https://host:port` or `unix:/path`, without a URL path. */
  upstream: required(text({ rule: upstreamRule }), {
    flag: '--upstream <url>',
    help: `the site: ${upstreamRule}`,
    written: text({ rule: upstreamRule, pattern: /^(?:https?:\/\/.|unix:\/.)/ }),
  }),
  /**
   * Certificate authority of the upstream, PEM. The certificate must match the name in `upstream`, whatever Host is.
   */
  ca: optionWithoutDefault(any<string | Buffer>(isPem, 'PEM in a string or Buffer'), {
    shownDefault: "Node's",
    flag: '--ca <file>',
    help: "authority of the site's certificate, PEM ({default})",
    written: filePath,
  }),
  /** `{ key, cert }` as PEM strings or Buffers. Serves https, with h2 and http/1.1 by ALPN. */
  tls: tlsOption,
  /**
   * Functions `(request, response, next)` that run before a request or a websocket handshake is forwarded. Link, Vary,
   * Set-Cookie and Server-Timing that they set are added to the upstream's; other fields only apply if the upstream
   * does not send them. A 101 gets none of these fields.
   */
  handlers: option(handlersKind, [], { shownDefault: 'none' }),
  /**
   * Your proxies or CDN in front of this proxy: addresses, networks, names as in `hints`, or a function. false: none.
   * Clients of a Unix socket are always trusted. What trusted peers say in `X-Forwarded-*` is passed on; what others
   * say is dropped. The limit per address does not apply to trusted peers.
   */
  trustProxy: option(trustProxyKind, 'loopback'),
  /** Send the upstream's name as Host instead of the client's Host. */
  changeOrigin: changeOriginOption,
  /**
   * A pino logger, or an object with its `debug`, `info`, `warn` and `error`. It is told when the upstream starts to
   * fail requests or answers again (each failed request: `debug`), when a handler fails, and when a limit of
   * connections is reached.
   */
  log: logOption,
};

export type ProxyOptions = OptionsOf<typeof proxyTable> & ProxyLimits;

const proxyKind = objectOf({ ...proxyTable, ...proxyRules });

const limitNotices: Readonly<Record<ConnectionLimit | 'maxUpstreamConnections', string>> = {
  maxConnections: 'more connections at once than maxConnections: answered 503',
  maxConnectionsPerAddress:
    'more connections of one address than three quarters of maxConnections: answered 503; if it is a proxy of yours, name it in trustProxy',
  maxUpstreamConnections:
    'more requests at once than connections to the site: they wait their turn',
};

/** Creates a reverse proxy; no port is opened before `listen()`. @throws ServerError 'invalid-option' */
export function createProxy(options: ProxyOptions): ReverseProxy {
  const given = checked(proxyKind, options, invalidOption);
  const { handlers, log, changeOrigin } = given;
  const limits = checkProxyLimits(options);
  const isTrusted = trustOf(given.trustProxy);
  const reached = new Set<keyof typeof limitNotices>();
  /** Logs that a limit on connections was reached, once for each limit. */
  function onLimit(limit: keyof typeof limitNotices): void {
    if (reached.has(limit)) return;
    reached.add(limit);
    log.warn({}, limitNotices[limit]);
  }
  const upstream = createUpstream(options, limits, () => onLimit('maxUpstreamConnections'));
  const isTls = options.tls !== undefined;
  const loopMark = new LoopMark();
  const health = new UpstreamHealth(options.upstream, log);
  const responses: Record<string, number> = {};
  /**
   * True if the proxy listens on a Unix socket, whose clients have no address; on a port, only a disconnected client
   * has none.
   */
  let isPrivate = false;
  const outgoing: UpstreamFieldsOptions = {
    changeOrigin,
    loopMark,
    isTls,
    isTrusted: (address) => (address === undefined ? isPrivate : isTrusted?.(address, 0) === true),
    upstreamAuthority: upstream.authority,
  };
  let [requests, refusedRequests, retries, upstreamFailures, openTunnels] = [0, 0, 0, 0, 0];

  const exchanges = new WeakMap<Request, Forward>();

  const onFailure = (error: unknown): void => {
    upstreamFailures++;
    health.failed(error);
    const isOurs = error instanceof ServerError; // another module of this process changed what is sent
    if (isOurs) log.error({ err: error }, 'a request was not forwarded');
    else log.debug({ err: error }, 'the site failed a request');
  };
  const context: ForwardContext & TunnelContext = {
    upstream,
    limits,
    onFailure,
    onRetry: () => void retries++,
    onAnswer: () => health.answered(),
    onOpen() {
      openTunnels++;
      return () => void openTunnels--;
    },
  };

  /** Counts and checks a request. @returns The checked request, or why it is refused. */
  function read(req: Request): Checked | RequestRefusal {
    requests++;
    const checked = checkRequest(req);
    const refusal = 'status' in checked ? checked : beyondLimits(req, checked);
    if (refusal === null) return checked as Checked;
    refusedRequests++;
    return refusal;
  }

  function beyondLimits({ headers }: Request, { target, framing }: Checked): RequestRefusal | null {
    const { maxUrlBytes, maxRequestBodyBytes } = limits;
    if (Buffer.byteLength(target) > maxUrlBytes) {
      return { status: 414, detail: `A URL may have ${maxUrlBytes} bytes here.` };
    }
    if (framing.kind === 'length' && framing.bytes > maxRequestBodyBytes) {
      return { status: 413, detail: `Content may have at most ${maxRequestBodyBytes} bytes.` };
    }
    if (loopMark.isOn(headers['cdn-loop']?.toString())) {
      return { status: 508, detail: 'The site behind this proxy sends requests back to it.' };
    }
    return null;
  }

  function count(this: Response): void {
    const kind = `${Math.floor(this.statusCode / 100)}xx`;
    responses[kind] = (responses[kind] ?? 0) + 1;
  }

  function onRequest(req: Request, res: Response): void {
    res.once('finish', count);
    const checked = read(req);
    if ('status' in checked) {
      const { status, detail, headers } = checked;
      // If the request is ambiguous, its end is ambiguous, too, so the connection is closed.
      const fields = { ...headers, ...('stream' in req ? {} : { Connection: 'close' }) };
      plainAnswer(req, res, status, fields, detail);
      return;
    }
    runHandlers(handlers, req, res, (error) => {
      if (error) {
        handlerFailed(log, error, req);
        if (!res.headersSent) plainAnswer(req, res, 500);
        else if (!res.writableEnded) cutOff(req, res);
        return;
      }
      const fields = upstreamFields(req, checked, outgoing, { isWebSocket: false });
      const asker = askerOf(req, outgoing.isTrusted);
      const exchange = new Forward(context, req, res, checked, fields, asker);
      exchanges.set(req, exchange);
      exchange.start();
    });
  }

  /**
   * Runs the handlers before a WebSocket handshake is forwarded, as before any request. The handshake may go to a site
   * without WebSockets, which answers it like an ordinary request.
   */
  function onHandshake(req: IncomingMessage, socket: ConnectionSocket, start: () => void): void {
    const res = new ServerResponse(req);
    res.shouldKeepAlive = false;
    const near = socket as unknown as Socket;
    res.assignSocket(near);
    res.once('finish', () => socket.destroySoon());
    runHandlers(handlers, req, res, (error) => {
      if (error) {
        handlerFailed(log, error, req);
        if (res.headersSent) socket.destroy();
        else plainAnswer(req, res, 500);
        return;
      }
      // The response object was for the handlers; a tunnel has none.
      res.detachSocket(near);
      res.emit('close');
      start();
    });
  }

  const listener = createListener({
    what: 'proxy',
    limits,
    tls: options.tls,
    isTrusted,
    onRefused: onLimit,
    onHttp1: onRequest,
    onHttp2: onRequest,
    extras: {
      layers: layersOf(handlers, limits),
      leaveChecks: true,
      onBrokenContent: (req: Request) => exchanges.get(req)?.abort(),
      onWebSocket(req, socket, head) {
        const checked = read(req);
        if ('status' in checked || hasContent(checked.framing)) {
          const { status = 400, detail } = 'status' in checked ? checked : {};
          socket.write(lastWords(status, detail));
          socket.destroySoon();
          return () => {};
        }
        const tunnel = new Tunnel(context, req, socket);
        const fields = upstreamFields(req, checked, outgoing, { isWebSocket: true });
        const asker = askerOf(req, outgoing.isTrusted);
        onHandshake(req, socket, () => tunnel.start(checked.target, fields, head, asker));
        return () => tunnel.close();
      },
    },
  });

  async function close(): Promise<void> {
    await listener.close();
    upstream.destroy();
  }

  function destroy(): Promise<void> {
    upstream.destroy();
    return listener.destroy();
  }

  return {
    async listen(where) {
      isPrivate = socketPathOf(where?.host ?? '') !== null;
      const listening = await listener.listen(where);
      if (!isPrivate && upstream.isAt(listening.port, listening.host)) {
        await destroy();
        const rule = 'another server than the proxy itself';
        invalidOption(...refusal('upstream', rule, options.upstream));
      }
      return listening;
    },
    close,
    destroy,
    renew: ({ key, cert }) => listener.tls?.setSecureContext({ key, cert }),
    [Symbol.asyncDispose]: close,
    stats: () => ({
      connections: listener.connections.accepted,
      refusedConnections: listener.connections.refused,
      openConnections: listener.connections.size,
      requests,
      refusedRequests,
      responses: { ...responses },
      upstreamConnections: upstream.opened(),
      retries,
      upstreamFailures,
      openTunnels,
      writes: listener.writes(),
    }),
  };
}

/**
 * Returns to whom a request is counted, since upstream connections are shared fairly: the address of the connection or,
 * from a trusted proxy, whose connections many visitors share, the forwarded address. All requests for which a trusted
 * proxy forwards no address count together.
 */
function askerOf(req: Request, isTrusted: (address: string | undefined) => boolean): Asker {
  const connection = isHttp1(req) ? req.socket : req.stream.session;
  const { address, isProxy } = forwardedClient(req.headers, req.socket?.remoteAddress, isTrusted);
  const counted = visitorAddress(address ?? '');
  return { address: counted, isShared: isProxy, connection: connection ?? req };
}

/** Tells the operator the beginning and the end of a period in which the upstream fails, not each request. */
class UpstreamHealth {
  readonly #upstream: string;
  readonly #log: Logger;
  #failingSinceMs: number | null = null;
  #failures = 0;

  /** @param upstream Address of the upstream, which each message names */
  constructor(upstream: string, log: Logger) {
    this.#upstream = upstream;
    this.#log = log;
  }

  failed(cause: unknown): void {
    this.#failures++;
    if (this.#failingSinceMs !== null) return;
    this.#failingSinceMs = performance.now();
    this.#log.warn({ upstream: this.#upstream, err: cause }, 'the site fails requests');
  }

  answered(): void {
    if (this.#failingSinceMs === null) return;
    const seconds = ((performance.now() - this.#failingSinceMs) / 1000).toFixed(1);
    const message = `the site answers again, after ${seconds} s and ${this.#failures} failed requests`;
    this.#failingSinceMs = null;
    this.#failures = 0;
    this.#log.info({ upstream: this.#upstream }, message);
  }
}
