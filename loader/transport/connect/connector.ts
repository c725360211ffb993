// Opens connections: lookup, TCP and TLS with the time of each step, one deadline for all of them, and errors that name
// the host and suggest a remedy. TCP_NODELAY is on: a pipelining client buffers by itself, and Nagle's algorithm would
// add delayed ACKs (Nielsen, Gettys et al. 1997, "Nagle Interaction").

import { lookup } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import ipaddr from 'ipaddr.js';
import buildConnector from 'undici/lib/core/connect.js';
import { LoaderError, type LoaderErrorCode } from '../../errors.ts';
import type { TransportOptions } from '../transport-options.ts';
import { type ConnectTimes, openTcp, type TcpOpening } from './open-tcp.ts';
import { type Alpn, explainTlsFailure, type TlsAttempt } from './tls-faults.ts';

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

/** Passes on the server's certificate before a failed handshake, as node:tls destroys the socket before its error. */
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
  const { host, hostname } = origin;
  const { code = '', message } = error;
  const failed = (kind: LoaderErrorCode, sentence: string) =>
    new LoaderError(kind, sentence, { cause: error });
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'ENODATA') {
    return failed('name-not-resolved', `no address found for ${hostname} (${code})`);
  }
  if (code === 'ECONNREFUSED') {
    return failed('connection-refused', `nothing listens on ${host} (ECONNREFUSED)`);
  }
  if (code === 'ETIMEDOUT' || code === 'UND_ERR_CONNECT_TIMEOUT') {
    return failed('connect-timeout', `${host} did not answer (${code})`);
  }
  if (origin.protocol === 'https:' && !/^E(CONN|HOST|NET|ADDR|PIPE|ACCES)/.test(code)) {
    return explainTlsFailure(error, attempt);
  }
  return failed('connection-failed', `${host}: ${message}`);
}

/**
 * Whether an address may be connected to. A loader inside a service fetches URLs chosen by strangers. The check applies
 * to the address about to be connected to, not to the name, so no spelling of an address and no redirect bypasses it,
 * and a name is resolved only once.
 * True for globally reachable unicast addresses; false for loopback, private, link-local and carrier-grade NAT
 * addresses, for mapped or translated forms of these, and for everything reserved (RFC 6890).
 */
export function isPublicAddress(address: string): boolean {
  const plain = address.split('%')[0] ?? '';
  if (!ipaddr.isValid(plain)) return false;
  const parsed = ipaddr.process(plain);
  // Only 2000::/3 of IPv6 is assigned as global unicast (RFC 4291 2.4).
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(ipaddr.IPv6.parse('2000::'), 3)) return false;
  return parsed.range() === 'unicast';
}

/** @throws LoaderError `address-refused` if `host` is an address that is not public. */
export function refusePrivateLiteral(host: string): void {
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw refusal(host, host);
}

/** Name lookup for `net.connect` that returns public addresses only. */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) {
      callback(error, '', 0);
      return;
    }
    const allowed = addresses.filter(({ address }) => isPublicAddress(address));
    const [first] = allowed;
    if (first === undefined) {
      const all = addresses.map(({ address }) => address).join(', ');
      callback(refusal(hostname, all) as NodeJS.ErrnoException, '', 0);
    } else if (options.all === true) {
      callback(null, allowed);
    } else {
      callback(null, first.address, first.family);
    }
  });
};

function refusal(host: string, address: string): LoaderError {
  const what = host === address ? host : `${host} (${address})`;
  return new LoaderError(
    'address-refused',
    `${what} is not a public address, and refusePrivateAddresses is on`,
  );
}
