// Listens on one port or Unix socket for HTTP/1.0, 1.1 and 2, in clear or over TLS, and shuts down.
//   accept (connections) -> which protocol (protocols) -> http1-server or http2-server -> onHttp1, onHttp2
// createOrigin and createProxy differ only in how they handle a request.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Server as TlsServer } from 'node:tls';
import { visitorAddress } from '../../http/visitor-address.ts';
import { isPassed, type ListenOptions, listenOn } from '../../process/listen-on.ts';
import { ServerError } from '../errors.ts';
import { type ConnectionLimit, OpenConnections } from './connections.ts';
import type { Request, Response } from './handler.ts';
import { http1Server, type ServerExtras } from './http1-server.ts';
import { http2Server } from './http2-server.ts';
import type { ServerLimits } from './limits.ts';
import { lastWords } from './plain-answer.ts';
import { chooseByPreface, type Speakers, type TlsIdentity, tlsByAlpn } from './protocols.ts';
import type { IsTrusted } from './trusted.ts';
import { Turns } from './turns.ts';

export type { ListenOptions } from '../../process/listen-on.ts';

export interface Listening {
  /** Scheme, host and port, without a trailing slash; `unix:` and the path for a Unix socket. */
  readonly url: string;
  /** The port; 0 for a Unix socket. */
  readonly port: number;
  /** The host; empty for a Unix socket. */
  readonly host: string;
}

export interface ListenerOptions {
  /** Name of the server in error messages: 'origin' or 'proxy'. */
  readonly what: string;
  readonly limits: ServerLimits;
  readonly tls: TlsIdentity | undefined;
  /** Returns whether an address is of a trusted proxy, whose connections are not limited per address; null: none is. */
  readonly isTrusted: IsTrusted | null;
  /** Called for each connection refused by a limit. */
  readonly onRefused?: ((limit: ConnectionLimit) => void) | undefined;
  onHttp1(req: IncomingMessage, res: ServerResponse): void;
  onHttp2(req: Request, res: Response): void;
  readonly extras?: ServerExtras;
}

export interface Listener {
  readonly connections: OpenConnections;
  /** The TLS server, whose `setSecureContext` changes the certificate; null without TLS. */
  readonly tls: TlsServer | null;
  /** Returns the number of writes to HTTP/1 sockets so far. */
  writes(): number;
  /** Opens the port or socket. @throws ServerError 'already-listening', 'server-closed', 'address-in-use',
   *  'listen-failed' */
  listen(options?: ListenOptions): Promise<Listening>;
  /**
   * Stops accepting connections. Requests that arrive on open ones within drainTimeoutMs are answered as the last of
   * their connection; pending requests may finish within closeTimeoutMs, then the rest is cut off.
   */
  close(): Promise<void>;
  /** Cuts off every connection at once, with its pending requests. */
  destroy(): Promise<void>;
}

/** Limit on turns of the event loop spent accepting at shutdown, so that a flood of connections does not delay it. */
const mostTurns = 100;

function urlOf(isTls: boolean, { address, family, port }: AddressInfo): string {
  const isAny = address === '0.0.0.0' || address === '::';
  const reachable = isAny ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `${isTls ? 'https' : 'http'}://${reachable}:${port}`;
}

/** Creates a listener; no port is opened before `listen()`. @throws ServerError 'invalid-option' */
export function createListener(options: ListenerOptions): Listener {
  const { what, limits, extras } = options;
  const connections = new OpenConnections({
    limits,
    isTrusted: options.isTrusted,
    onRefused: options.onRefused,
  });
  const http2 = http2Server(limits, options.onHttp2, extras);
  const http1 = http1Server(limits, accept, options.onHttp1, extras);
  const { server } = http1;

  const speakOn = (socket: Socket, protocol: typeof http1 | typeof http2): void => {
    connections.onEnd(socket, protocol.speak(socket));
  };
  /**
   * HTTP/2 sessions that wait for their start. All requests in a session's first segment start at once, however many;
   * so one session starts per turn of the event loop, in fair order, and everyone else is read and written to in
   * between.
   */
  const sessions = new Turns();
  let starting: NodeJS.Immediate | undefined;
  const startSession = (): void => {
    const start = sessions.next(() => true);
    starting = start && setImmediate(startSession);
    start?.();
  };
  const speakers: Speakers = {
    http1: (socket) => speakOn(socket, http1),
    http2(socket) {
      const address = visitorAddress(socket.remoteAddress ?? '');
      sessions.add({ address, isShared: true, connection: socket }, () => {
        if (!socket.destroyed) speakOn(socket, http2);
      });
      if (starting === undefined) startSession();
    },
  };
  const tls = options.tls ? tlsByAlpn(options.tls, speakers, limits.headersTimeoutMs) : null;

  function accept(socket: Socket): void {
    if (isDestroyed) {
      socket.destroy();
      return;
    }
    // An error also closes the socket, which its readers notice, so the error itself is ignored.
    socket.on('error', () => {});
    if (!connections.add(socket)) {
      if (tls) socket.destroy();
      else socket.end(lastWords(503), () => socket.destroy());
      return;
    }
    // Until a protocol takes the connection over, there is no request to finish, so closing destroys the socket.
    connections.onEnd(socket, { close: () => socket.destroy() });
    if (tls) tls.emit('connection', socket);
    else chooseByPreface(socket, speakers, limits.headersTimeoutMs);
  }

  let listening: Promise<Listening> | undefined;
  let closing: Promise<void> | undefined;
  let isDestroyed = false;

  function listen(where: ListenOptions = {}): Promise<Listening> {
    if (closing) throw new ServerError('server-closed', `the ${what} was closed`);
    if (listening) throw new ServerError('already-listening', `the ${what} is already listening`);
    listening = listenOn(server, where, 0, ServerError).then((address): Listening => {
      if (typeof address === 'string') return { url: `unix:${address}`, port: 0, host: '' };
      const { host = address.address } = where;
      const reached = isPassed(host) ? address.address : host;
      return { url: urlOf(tls !== null, address), port: address.port, host: reached };
    });
    listening.catch(() => {
      listening = undefined;
    });
    return listening;
  }

  /** Accepts connections that the kernel has already established, which closing would reset. */
  async function acceptWaiting(): Promise<void> {
    const count = () => connections.accepted + connections.refused;
    await nextTurn();
    for (let turn = 0, before = -1; turn < mostTurns && count() > before; turn++) {
      before = count();
      await nextTurn();
    }
  }

  async function closeNow(): Promise<void> {
    await listening?.catch(() => {});
    if (!server.listening) return;
    await acceptWaiting();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    connections.drainAll();
    const drainMs = Math.min(limits.drainTimeoutMs, limits.closeTimeoutMs / 2);
    const drained = setTimeout(() => connections.closeAll(), drainMs);
    const deadline = setTimeout(() => connections.destroyAll(), limits.closeTimeoutMs);
    if (isDestroyed) connections.destroyAll();
    await closed;
    clearTimeout(drained);
    clearTimeout(deadline);
  }

  function close(): Promise<void> {
    closing ??= closeNow();
    return closing;
  }

  function destroy(): Promise<void> {
    isDestroyed = true;
    connections.destroyAll();
    return close();
  }

  return { connections, tls, writes: http1.writes, listen, close, destroy };
}
