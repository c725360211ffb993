// Opens connections: lookup, TCP and TLS with the time of each step, one deadline for all of them, and errors that name
// the host and suggest a remedy. TCP_NODELAY is on: a pipelining client buffers by itself, and Nagle's algorithm would
// add delayed ACKs (Nielsen, Gettys et al. 1997, "Nagle Interaction").
//
// A host may have several addresses (Happy Eyeballs, RFC 8305). The address families alternate; the next address is
// tried in parallel after 250 ms without an answer or after a failure. No attempt ends before another has succeeded:
// Node's own version ends each after 250 ms, so that one lost packet makes the host unreachable.

import { type LookupAddress, lookup } from 'node:dns';
import { connect, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import buildConnector from 'undici/lib/core/connect.js';
import { LoaderError } from '../../errors.ts';
import type { TransportOptions } from '../transport-options.ts';
import { type Alpn, explainConnectFailure, type TlsAttempt } from './connect-faults.ts';
import { lookupPublic, refusePrivateLiteral } from './public-addresses.ts';

/** Time after which the next address is tried in parallel, ms: the Connection Attempt Delay of RFC 8305 5. */
const attemptDelayMs = 250;

/** Monotonic times (performance.now) of the steps of connecting, ms; null until the step is complete. */
export interface ConnectTimes {
  startedAt: number;
  lookupEndedAt: number | null;
  connectedAt: number | null;
  securedAt: number | null;
  /** Duration of the TCP handshake without delays in this process, ms. */
  roundTripMs: number | null;
}

export function newTimes(): ConnectTimes {
  return {
    startedAt: performance.now(),
    lookupEndedAt: null,
    connectedAt: null,
    securedAt: null,
    roundTripMs: null,
  };
}

export type Connect = (
  origin: URL,
  alpn: Alpn,
  times: ConnectTimes,
  callback: (error: LoaderError | null, socket: Socket | null) => void,
) => { abort(): void };

/** Makes the function that opens a loader's connections. It keeps TLS sessions, which later connections resume. */
export function createConnector(options: TransportOptions): Connect {
  const shared = {
    timeout: 0, // undici's timeout is coarse; the deadline below is exact to the millisecond
    rejectUnauthorized: options.tls.verify,
    ...(options.tls.ca === undefined ? {} : { ca: options.tls.ca }),
  };
  const onlyHttp1 = buildConnector({ ...shared, allowH2: false });
  const either = buildConnector({ ...shared, allowH2: true, preferH2: true });
  const lookUp = options.refusePrivateAddresses ? lookupPublic : undefined;
  const { connectMs } = options.timeouts;

  return (origin, alpn, times, callback) => {
    let opening: TcpOpening | undefined;
    let secured: TLSSocket | undefined;
    let settled = false;
    const settle = (error: LoaderError | null, ready: Socket | null): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      callback(error, ready);
    };
    const end = (): void => {
      opening?.abort();
      secured?.destroy();
    };
    const timer = setTimeout(() => {
      const message = `no connection to ${origin.host} within ${connectMs} ms`;
      settle(new LoaderError('connect-timeout', message), null);
      end();
    }, connectMs);
    // The certificate is kept here because a failed handshake discards it.
    let certificate: PeerCertificate | null = null;
    const attempt = (): TlsAttempt => ({ origin, offered: alpn, certificate, nowMs: Date.now() });
    const fail = (error: Error): void => settle(explainConnectFailure(error, attempt()), null);
    const isSecure = origin.protocol === 'https:';
    const hostname = origin.hostname.replace(/^\[|\]$/g, '');

    const secure = (tcp: Socket): void => {
      const request = { host: origin.host, hostname, protocol: origin.protocol, httpSocket: tcp };
      // undici's connector returns the socket it opens, although its types do not say so.
      secured = (alpn === 'http/1.1' ? onlyHttp1 : either)(request as never, (error, ready) => {
        if (error !== null) return fail(error);
        times.securedAt = performance.now();
        if (alpn !== 'h2' || (ready as TLSSocket).alpnProtocol === 'h2') return settle(null, ready);
        ready.destroy();
        const message = `${origin.host} does not offer h2 (ALPN); use another protocol`;
        return settle(new LoaderError('protocol-unavailable', message), null);
      }) as unknown as TLSSocket;
      keepCertificate(secured, (shown) => {
        certificate = shown;
      });
    };
    try {
      if (options.refusePrivateAddresses) refusePrivateLiteral(hostname);
      const port = Number(origin.port) || (isSecure ? 443 : 80);
      opening = openTcp(hostname, port, times, lookUp);
      opening.opened.then((tcp) => {
        if (settled) return;
        if (isSecure) secure(tcp);
        else settle(null, tcp);
      }, fail);
    } catch (error) {
      queueMicrotask(() => fail(error as Error));
    }
    return {
      abort() {
        settled = true;
        clearTimeout(timer);
        end();
      },
    };
  };
}

/** Passes on the server's certificate if the handshake fails: node:tls drops it before it reports the error. */
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

export interface TcpOpening {
  /** The connected socket; null: the connection is not open yet. */
  socket: Socket | null;
  /** Resolves with the connected socket; rejects with the error of the last address if none can be connected to. */
  readonly opened: Promise<Socket>;
  abort(): void;
}

/**
 * Opens a TCP connection to the first address of the host that answers.
 * @param host A host name or an address without brackets.
 */
export function openTcp(
  host: string,
  port: number,
  times: ConnectTimes,
  lookUp: LookupFunction = lookup,
): TcpOpening {
  const trying = new Set<Socket>();
  let left: LookupAddress[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const { promise: opened, resolve, reject } = Promise.withResolvers<Socket>();
  opened.catch(() => {});

  const end = (winner: Socket | null): void => {
    isOver = true;
    clearTimeout(timer);
    for (const socket of trying) if (socket !== winner) socket.destroy();
    trying.clear();
  };
  const tryNext = (): void => {
    clearTimeout(timer);
    const next = left.shift();
    if (next === undefined || isOver) return;
    const before = performance.eventLoopUtilization();
    const options: TcpNetConnectOpts & { highWaterMark: number } = {
      host: next.address,
      port,
      highWaterMark: 64 * 1024,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
    };
    const socket = connect(options);
    trying.add(socket);
    socket.on('error', (error) => {
      // A socket that has connected is no longer in `trying`: the code that uses the socket handles its errors.
      if (!trying.delete(socket)) return;
      if (left.length > 0) tryNext();
      else if (trying.size === 0) reject(error);
    });
    socket.once('connect', () => {
      times.connectedAt = performance.now();
      // To this machine the round trip counts as 0: the measured time is only the delay of this process.
      const isOwn = socket.remoteAddress === socket.localAddress;
      times.roundTripMs = isOwn ? 0 : performance.eventLoopUtilization(before).idle;
      opening.socket = socket;
      end(socket);
      resolve(socket);
    });
    if (left.length > 0) {
      timer = setTimeout(tryNext, attemptDelayMs);
    }
  };
  const opening: TcpOpening = {
    socket: null,
    opened,
    abort() {
      end(null);
      opening.socket?.destroy();
    },
  };
  const family = isIP(host);
  if (family !== 0) {
    left = [{ address: host, family }];
    tryNext();
  } else {
    lookUp(host, { all: true }, (error, found) => {
      if (error !== null) return reject(error);
      times.lookupEndedAt = performance.now();
      left = inTurns(found as LookupAddress[]);
      tryNext();
    });
  }
  return opening;
}

/** Returns the addresses so that their families alternate, beginning with the first one's family (RFC 8305 4). */
function inTurns(addresses: readonly LookupAddress[]): LookupAddress[] {
  const isFirst = ({ family }: LookupAddress) => family === addresses[0]?.family;
  const others = addresses.filter((one) => !isFirst(one));
  const first = addresses.filter(isFirst);
  return first
    .flatMap((one, index) => [one, ...others.slice(index, index + 1)])
    .concat(others.slice(first.length));
}
