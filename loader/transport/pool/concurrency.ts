// Rules for the use of connections, by protocol option and server: how many to open, how many requests may be in flight
// on each, and which one gets a waiting request. The functions have no side effects; connections, the number of waiting
// requests and the server profile are passed in.

import type { Connection } from '../connection/connection.ts';
import type { Exchange } from '../exchange.ts';
import { type TransportOptions, usualConnections } from '../transport-options.ts';
import type { ServerProfile } from './server-profile.ts';

/** Usual limits on requests per connection: the default of Apache httpd and older nginx, and of nginx since 1.19.10. */
const usualLimits = [100, 1_000] as const;

export type ConcurrencyPolicy = 'closing' | 'serial' | 'pipelined';

export const policies: Readonly<Record<TransportOptions['protocol'], ConcurrencyPolicy>> = {
  'http1.0': 'closing',
  persistent: 'serial',
  pipelined: 'pipelined',
  h2: 'pipelined',
  auto: 'pipelined',
};

/**
 * Limit on requests in flight on the connection to a near server if `protocol` is `auto`: if one of them ends it, those
 * behind are lost and sent again. With this limit, 100 resources, three of which end their connection, take fewer than
 * 125 requests. To a distant server each round trip counts, and the requests are spread over connections.
 */
const nearDepth = 12;
const validators = /^if-(none-match|modified-since)$/i;
/** Limit on concurrent HTTP/2 streams, a common one of servers; a server's own limit may be lower (RFC 9113 6.5.2). */
const mostStreams = 100;

/** The options that decide how many connections there are, and what each carries. */
type ConnectionOptions = Pick<TransportOptions, 'protocol' | 'connections' | 'pipeline'>;

/** Returns the maximum number of concurrent connections to an origin. */
export function mostConnections({ protocol, connections, pipeline }: ConnectionOptions): number {
  const policy = policies[protocol];
  const usual = policy === 'pipelined' ? pipeline.fallbackConnections : usualConnections[policy];
  return connections ?? usual;
}

/**
 * Returns the maximum number of connections for requests that may share one. Pipelining uses few, as it may lose
 * requests on each of them.
 * @param depth Maximum number of requests in flight on each.
 */
export function mostShared(
  profile: ServerProfile,
  depth: number,
  asked: ConnectionOptions,
): number {
  const { protocol, connections } = asked;
  const isSplit = profile.isProven || depth === 1;
  if (connections !== null || isSplit) return mostConnections(asked);
  const isFar = protocol === 'auto' && profile.isFar && !profile.isCareful;
  return usualConnections[isFar ? 'far' : policies[protocol]];
}

/**
 * Returns how many connections to open before the page names resources for them.
 * @param leads Whether a page's first request is waiting for a connection.
 */
export function connectionsAhead(
  profile: ServerProfile,
  leads: boolean,
  depth: number,
  asked: ConnectionOptions,
): number {
  if (policies[asked.protocol] !== 'pipelined') return 0;
  const isOurs = asked.connections === null;
  return isOurs && !(leads && profile.isFar) ? 1 : mostShared(profile, depth, asked);
}

/** The properties of a connection that decide how many more requests it may carry. */
type CarryingConnection = Pick<
  Connection,
  'httpVersion' | 'maxStreams' | 'answered' | 'served' | 'load' | 'mayCarry'
>;

/**
 * Returns how many more requests a connection accepts now.
 * @param depth Maximum number of requests in flight on an HTTP/1.1 connection.
 */
export function roomOn(
  profile: ServerProfile,
  connection: CarryingConnection,
  depth: number,
): number {
  const room = depthOn(profile, connection, depth) - connection.load;
  return Math.min(room, leftOn(profile, connection));
}

function depthOn(
  profile: ServerProfile,
  { httpVersion, maxStreams, served }: CarryingConnection,
  depth: number,
): number {
  // If the server allows no streams at present, one request is sent all the same, so that its timeout runs.
  if (httpVersion === 'h2') {
    return Math.max(1, Math.min(mostStreams, maxStreams, profile.streamDepth));
  }
  return httpVersion === 'http/1.0' || (profile.isCareful && served === 0) ? 1 : depth;
}

/**
 * Returns the maximum number of requests in flight on an HTTP/1.1 connection, by what is known of the server.
 * @param asks The next request. A conditional request is for a resource that this server has served before, so it is
 * unlikely to end the connection.
 */
export function depthOf(
  { pipelines, depth, isFar }: ServerProfile,
  asked: ConnectionOptions,
  budget: number,
  asks: Pick<Exchange, 'headers'> | null,
): number {
  const { protocol, pipeline } = asked;
  if (policies[protocol] !== 'pipelined' || !pipelines) return 1;
  const left = Math.min(depth, budget);
  // If more connections are allowed than requests on one, one request on each connection is answered sooner.
  if (left < mostConnections(asked)) return 1;
  const isSure = protocol === 'pipelined' || asks?.headers.some((name) => validators.test(name));
  return Math.min(isSure || isFar ? left : nearDepth, pipeline.maxDepth, left);
}

/**
 * Returns how many more requests a connection may carry before the server closes it. Those beyond are lost and resent,
 * so a connection first gets as many as servers usually allow, and more once it has answered those; on HTTP/2, once it
 * has begun to answer them, as the server sends GOAWAY before its last response.
 */
export function leftOn(
  { perConnection, streamsPerConnection, mayTry, mostServed }: ServerProfile,
  { httpVersion, answered, served, load, mayCarry }: Omit<CarryingConnection, 'maxStreams'>,
): number {
  const isHttp2 = httpVersion === 'h2';
  const limit = isHttp2 ? streamsPerConnection : perConnection;
  // Beyond the server's supposed limit on requests per connection, one is sent alone to test whether it has that limit.
  if (load === 0 && served >= limit && (isHttp2 || mayTry)) return 1;
  const usual = usualLimit(Math.max(mostServed, isHttp2 ? answered : served));
  return Math.min(limit, usual, isHttp2 ? limit : mayCarry) - served - load;
}

/** Returns the usual limit of servers on requests per connection that is above this number of answered requests. */
export function usualLimit(answered: number): number {
  return usualLimits.find((limit) => answered < limit) ?? Number.POSITIVE_INFINITY;
}

type IdleCandidate = Pick<Connection, 'usable' | 'sent' | 'load'>;

/** Finds a usable connection that has never carried a request; null: there is none. */
export function unused<C extends IdleCandidate>(connections: Iterable<C>): C | null {
  for (const connection of connections) {
    if (connection.usable && connection.sent === 0 && connection.load === 0) return connection;
  }
  return null;
}

/**
 * Finds the connection with capacity that has the fewest requests in flight; null: none has capacity.
 * @param roomOn Number of further requests that a connection accepts now.
 */
export function roomiest<C extends IdleCandidate>(
  connections: Iterable<C>,
  roomOn: (connection: C) => number,
): C | null {
  let best: C | null = null;
  for (const connection of connections) {
    if (!connection.usable || roomOn(connection) <= 0) continue;
    if (best === null || connection.load < best.load) best = connection;
  }
  return best;
}

/**
 * Returns a limit on requests in flight per connection, so that connections that are still opening get their share:
 * otherwise no requests would be left for them a round trip later. Without such connections there is no limit.
 * @param shared Number of waiting requests that may use any connection.
 */
export function fairShare(
  connections: Iterable<Pick<Connection, 'usable' | 'state' | 'load'>>,
  shared: number,
): number {
  let [requests, coming, connecting] = [shared, 0, 0];
  for (const { usable, state, load } of connections) {
    if (state === 'connecting') connecting++;
    if (usable || state === 'connecting') coming++;
    if (usable) requests += load;
  }
  return connecting === 0 ? Number.POSITIVE_INFINITY : Math.ceil(requests / coming);
}

export interface Demand {
  /** Number of waiting requests that each need a separate connection. */
  lone: number;
  /** Number of waiting requests that may share a connection. */
  shared: number;
  /** Number of requests that one more connection could take at once. */
  perConnection: number;
  /** Number of connections to keep open even if fewer are needed for the requests that wait now. */
  ahead: number;
}

/**
 * Returns how many connections to open. Requests are assigned to open connections only, so those still connecting will
 * take a share of the waiting requests.
 * @param living Number of connections that accept requests now or soon.
 * @param connecting Number of these that are not open yet.
 * @param most Maximum number of connections.
 */
export function missing(
  { living, connecting }: { living: number; connecting: number },
  { lone, shared, perConnection, ahead }: Demand,
  most: number,
): number {
  const isShort = (coming: number): boolean =>
    shared > Math.max(0, coming - lone) * perConnection || lone > coming;
  let more = 0;
  while (living + more < most && (isShort(connecting + more) || living + more < ahead)) more++;
  return more;
}
