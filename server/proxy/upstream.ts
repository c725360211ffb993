// Reaches the upstream, `http://host:port`, `https://host:port` or `unix:/path`, by connections that are kept. Only the
// configuration chooses the upstream; nothing that a client sends can change it. (A byte that arrives on an idle
// connection belongs to no request: node:http destroys the connection, which a test ensures.)

import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { refusal } from '../../options/refusal.ts';
import { invalidOption } from '../errors.ts';
import { shareOfOne } from '../listen/limits.ts';
import type { UpstreamLimits } from './upstream-limits.ts';
import { UpstreamQueue } from './upstream-queue.ts';

/** The upstream in the form that node:http accepts. */
interface UpstreamTarget {
  readonly protocol: 'http:' | 'https:';
  readonly hostname: string;
  readonly port: number;
  readonly socketPath?: string;
  readonly ca?: string;
}

export interface UpstreamRequest {
  readonly method: string;
  /** Target in origin-form, or `*`. */
  readonly target: string;
  /** Alternating names and values of fields, which are written unchanged. */
  readonly fields: readonly string[];
  /** Whether to use a new connection, as for WebSockets and for a retry. */
  readonly isAlone: boolean;
}

export interface Upstream {
  /** Host and port as in a Host field. */
  readonly authority: string;
  /** Returns whether the upstream is the proxy itself, which listens on this port and host. */
  isAt(port: number, host: string): boolean;
  /** Creates a request without sending it. @throws node:http's error for a field that cannot be sent */
  request(request: UpstreamRequest): ClientRequest;
  /** Closes all connections to the upstream. */
  destroy(): void;
  /** The queue in which requests wait for a connection; the agents of node:http have no limits. */
  readonly line: UpstreamQueue;
  /** Number of connections opened so far. */
  readonly opened: () => number;
}

export interface UpstreamOptions {
  readonly upstream: string;
  readonly ca?: string | Buffer | undefined;
}

export const upstreamRule = 'http://host:port, https://host:port or unix:/path';

function targetOf({ upstream, ca }: UpstreamOptions): UpstreamTarget & { authority: string } {
  const more = ca === undefined ? {} : { ca: String(ca) };
  if (upstream.startsWith('unix:/')) {
    const socketPath = upstream.slice('unix:'.length);
    const hostname = 'localhost';
    return { protocol: 'http:', hostname, port: 80, authority: hostname, socketPath };
  }
  const url = URL.canParse(upstream) ? new URL(upstream) : undefined;
  const { protocol } = url ?? {};
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash;
  if (!isPlain || url.pathname !== '/' || (protocol !== 'http:' && protocol !== 'https:')) {
    invalidOption(...refusal('upstream', `${upstreamRule}, without a path`, upstream));
  }
  const port = Number(url.port) || (protocol === 'https:' ? 443 : 80);
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  return { protocol, hostname, port, authority: url.host, ...more };
}

/** Calls `then` once the socket of a request is established, TLS included. */
export function whenConnected(socket: Socket, then: () => void): void {
  if (!socket.connecting) then();
  else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', then);
}

/** Returns whether a connection to `hostname` reaches a listener on `host`. */
function isSame(hostname: string, host: string): boolean {
  const isAny = (name: string) => name === '0.0.0.0' || name === '::';
  const isLocal = (name: string) => /^(?:localhost|127(?:\.\d+){3}|::1)$/i.test(name);
  if (isAny(host)) return isAny(hostname) || isLocal(hostname);
  // Of the loopback addresses, a host name resolves to 127.0.0.1 and ::1 alone, so only these may be the same.
  const names = ['localhost', '127.0.0.1', '::1', '0.0.0.0', '::'];
  const isNamed = !/^(?:127\.0\.0\.1|::1)$/.test(hostname) && names.includes(hostname);
  return hostname === host || (isNamed && names.includes(host));
}

/** Makes the upstream that these options name. @throws ServerError 'invalid-option' */
export function createUpstream(
  options: UpstreamOptions,
  limits: UpstreamLimits,
  onFull?: () => void,
): Upstream {
  const { authority, ...target } = targetOf(options);
  const { hostname } = target;
  const settings = {
    maxFreeSockets: limits.maxUpstreamConnections,
    timeout: limits.upstreamKeepAliveTimeoutMs,
    scheduling: 'lifo' as const,
  };
  // The certificate is checked for the configured name; if Host were used, a client could choose the certificate and
  // the pool.
  const servername = isIP(hostname) ? '' : hostname;
  const agentWith = ({ keepAlive }: { keepAlive: boolean }): HttpAgent =>
    target.protocol === 'https:'
      ? new HttpsAgent({ ...settings, keepAlive, servername })
      : new HttpAgent({ ...settings, keepAlive });
  const agent = agentWith({ keepAlive: true });
  const fresh = agentWith({ keepAlive: false });

  let [opened, open] = [0, 0];
  for (const each of [agent, fresh]) {
    const { createConnection } = each;
    each.createConnection = (...args) => {
      opened++;
      open++;
      const socket = createConnection.apply(each, args);
      // node:http writes some headers in the socket's encoding, but fields are bytes (RFC 9110 5.5).
      (socket as Socket | null)?.setDefaultEncoding('latin1');
      socket?.once('close', () => open--);
      return socket;
    };
  }
  const begin = target.protocol === 'https:' ? httpsRequest : httpRequest;
  return {
    authority,
    isAt: (port, host) =>
      target.socketPath === undefined && target.port === port && isSame(hostname, host),
    line: new UpstreamQueue({
      most: limits.maxUpstreamConnections,
      mostPerAddress: shareOfOne(limits.maxUpstreamConnections),
      ...(onFull && { onFull }),
    }),
    opened: () => opened,
    request({ method, target: path, fields, isAlone }) {
      const isFull = open >= limits.maxUpstreamConnections;
      // An idle kept connection is closed to make room for the new one.
      if (isAlone && isFull) Object.values(agent.freeSockets).flat()[0]?.destroy();
      return begin({ ...target, method, path, headers: fields, agent: isAlone ? fresh : agent });
    },
    destroy() {
      agent.destroy();
      fresh.destroy();
    },
  };
}
