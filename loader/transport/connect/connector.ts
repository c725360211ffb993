// Opens connections: lookup, TCP and TLS with the time of each step, one deadline for all, and errors that name the
// host and suggest a remedy. TCP_NODELAY is on (undici's connector sets it): a pipelining client buffers by itself,
// and Nagle's algorithm would add delayed ACKs (Nielsen, Gettys et al. 1997, "Nagle Interaction").

import type { Socket } from 'node:net';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { LoaderError } from '../../errors.ts';
import type { TransportOptions } from '../transport-options.ts';
import { lookupPublic, refusePrivateLiteral } from './address-policy.ts';
import { type EarlyConnection, takeEarly } from './early-connection.ts';
import { explainTlsFailure, type TlsAttempt } from './tls-failure.ts';
import { buildConnector } from './undici.ts';

/** Monotonic times (performance.now), ms; null until reached. */
export interface ConnectTimes {
  startedAt: number;
  lookupEndedAt: number | null;
  connectedAt: number | null;
  securedAt: number | null;
  /** Duration of the TCP handshake without delays in this process, ms. */
  roundTripMs: number | null;
}

export type Alpn = 'http/1.1' | 'h2' | 'either';

export type Connect = (
  origin: URL,
  alpn: Alpn,
  times: ConnectTimes,
  callback: (error: LoaderError | null, socket: Socket | null) => void,
) => { abort(): void };

/** A loader has one connector, which keeps TLS sessions, so that later connections resume them. */
export function createConnector(options: TransportOptions): Connect {
  const shared = {
    timeout: 0, // the deadline below is exact to the millisecond
    rejectUnauthorized: options.tls.verify,
    ...(options.tls.ca === undefined ? {} : { ca: options.tls.ca }),
    ...(options.refusePrivateAddresses ? { lookup: lookupPublic } : {}),
  };
  const connectors = {
    'http/1.1': buildConnector({ ...shared, allowH2: false }),
    either: buildConnector({ ...shared, allowH2: true, preferH2: true }),
    h2: buildConnector({ ...shared, allowH2: true, preferH2: true, useH2c: true } as never),
  };
  const { connectMs } = options.timeouts;

  return (origin, alpn, times, callback) => {
    let socket: Socket | undefined;
    let settled = false;
    let before = performance.eventLoopUtilization();
    const connected = (): void => {
      if (times.connectedAt !== null) return;
      times.connectedAt = performance.now();
      times.roundTripMs = performance.eventLoopUtilization(before).idle;
    };
    const settle = (error: LoaderError | null, ready: Socket | null): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      callback(error, ready);
    };
    const timer = setTimeout(() => {
      const message = `no connection to ${origin.host} within ${connectMs} ms`;
      settle(new LoaderError('connect-timeout', message), null);
      socket?.destroy();
    }, connectMs);
    // Kept here, because a failed handshake discards it.
    let certificate: PeerCertificate | null = null;
    const attempt = (): TlsAttempt => ({ origin, offered: alpn, certificate, nowMs: Date.now() });
    const hostname = origin.hostname.replace(/^\[|\]$/g, '');
    const open = (early: EarlyConnection | null): void => {
      if (early !== null) {
        const { startedAt, lookupEndedAt, connectedAt } = early;
        Object.assign(times, { startedAt, lookupEndedAt, connectedAt });
        // An early connection was opened while the program was loading, which may have delayed its events.
        if (connectedAt !== null) times.roundTripMs = connectedAt - (lookupEndedAt ?? startedAt);
      }
      const request = {
        ...{ host: origin.host, hostname, protocol: origin.protocol, port: origin.port },
        // For https TLS runs on top of it; for http it is the connection itself.
        ...(early !== null && origin.protocol === 'https:' && { httpSocket: early.socket }),
      };
      const connect =
        early !== null && origin.protocol === 'http:' ? adopt(early.socket) : connectors[alpn];
      // undici's connector returns the socket it opens, although its types do not say so.
      socket = connect(request as never, (error, ready) => {
        const now = performance.now();
        // One that fails before it is open is replaced.
        if (error !== null && early?.connectedAt === null && !settled) return attemptTo(null);
        if (error !== null) return settle(explainConnectFailure(error, attempt()), null);
        connected();
        if (origin.protocol === 'https:') times.securedAt = now;
        if (
          alpn === 'h2' &&
          origin.protocol === 'https:' &&
          (ready as TLSSocket).alpnProtocol !== 'h2'
        ) {
          ready.destroy();
          const message = `${origin.host} does not offer h2 (ALPN); use another protocol`;
          return settle(new LoaderError('protocol-unavailable', message), null);
        }
        settle(null, ready);
      }) as unknown as Socket;
      if (origin.protocol === 'https:') {
        keepCertificate(socket as TLSSocket, (shown) => {
          certificate = shown;
        });
      }
      const tcp = early?.socket ?? socket;
      tcp.once('lookup', () => {
        times.lookupEndedAt = performance.now();
        before = performance.eventLoopUtilization();
      });
      tcp.once('connect', connected);
    };
    const attemptTo = (early: EarlyConnection | null): void => {
      try {
        if (options.refusePrivateAddresses) refusePrivateLiteral(hostname);
        open(early);
      } catch (error) {
        queueMicrotask(() => settle(explainConnectFailure(error as Error, attempt()), null));
      }
    };
    attemptTo(options.refusePrivateAddresses ? null : takeEarly(origin.origin));
    return {
      abort() {
        settled = true;
        clearTimeout(timer);
        socket?.destroy();
      },
    };
  };
}

/** Uses a connection that was opened earlier instead of a new one. */
function adopt(socket: Socket): ReturnType<typeof buildConnector> {
  return ((_request: unknown, callback: (error: Error | null, socket: Socket | null) => void) => {
    if (socket.connecting) {
      socket.once('connect', () => callback(null, socket));
      socket.once('error', (error) => callback(error, null));
    } else {
      queueMicrotask(() => callback(null, socket));
    }
    return socket;
  }) as unknown as ReturnType<typeof buildConnector>;
}

/** If a handshake fails, node:tls destroys the socket before it reports the error. */
function keepCertificate(socket: TLSSocket, keep: (shown: PeerCertificate) => void): void {
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error) => {
    if (error && !socket.authorized) {
      const shown = socket.getPeerCertificate();
      if (shown?.valid_to !== undefined) keep(shown);
    }
    return destroy(error);
  };
}

/** A message with a remedy, chosen by the system's error code. */
export function explainConnectFailure(
  error: Error & { code?: string },
  attempt: TlsAttempt,
): LoaderError {
  if (error instanceof LoaderError) return error;
  const { origin } = attempt;
  const inner = (error as AggregateError).errors?.[0] as (Error & { code?: string }) | undefined;
  const code = error.code ?? inner?.code ?? '';
  const cause = { cause: error };
  const { host, hostname } = origin;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'ENODATA') {
    return new LoaderError(
      'name-not-resolved',
      `no address found for ${hostname} (${code})`,
      cause,
    );
  }
  if (code === 'ECONNREFUSED') {
    return new LoaderError(
      'connection-refused',
      `nothing listens on ${host} (ECONNREFUSED)`,
      cause,
    );
  }
  if (code === 'ETIMEDOUT' || code === 'UND_ERR_CONNECT_TIMEOUT') {
    return new LoaderError('connect-timeout', `${host} did not answer (${code})`, cause);
  }
  if (origin.protocol === 'https:' && !/^E(CONN|HOST|NET|ADDR|PIPE|ACCES)/.test(code)) {
    return explainTlsFailure(error, attempt);
  }
  return new LoaderError('connection-failed', `${host}: ${error.message}`, cause);
}
