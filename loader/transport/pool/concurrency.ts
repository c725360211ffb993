// Pure rules for the use of connections, by protocol option and server: how many to open, and how far requests may
// run ahead of responses on each. Connections and the server profile are passed in.

import type { Connection } from '../connection/connection.ts';
import type { PipelineOptions, TransportOptions } from '../transport-options.ts';
import type { ServerProfile } from './server-profile.ts';

/** Requests per connection: the defaults of Apache httpd and of nginx before 1.19.10, and of nginx since. */
const usualLimits = [100, 1_000] as const;

export type ConcurrencyPolicy = 'closing' | 'serial' | 'pipelined';

export const policies: Readonly<Record<TransportOptions['protocol'], ConcurrencyPolicy>> = {
  'http1.0': 'closing',
  persistent: 'serial',
  pipelined: 'pipelined',
  h2: 'pipelined',
  auto: 'pipelined',
};

const usualConnections: Readonly<Record<ConcurrencyPolicy, number>> = {
  closing: 4,
  serial: 6,
  pipelined: 1,
};
/** HTTP/1.1 connections to a distant server with `auto`: as many as browsers open. */
const farConnections = 6;
/** Concurrent HTTP/2 streams: a common server limit, assumed until the server's is known (RFC 9113 6.5.2). */
const mostStreams = 100;

/** The options about connections. */
type Asked = Pick<TransportOptions, 'protocol' | 'connections' | 'pipeline'>;

/** Maximum concurrent connections to an origin. */
export function mostConnections(
  profile: ServerProfile,
  { protocol, connections, pipeline }: Asked,
): number {
  const policy = policies[protocol];
  if (policy === 'pipelined' && !profile.isBlank) {
    return profile.proven ? (connections ?? pipeline.fallbackConnections) : 1;
  }
  const isFar = protocol === 'auto' && profile.isFar;
  return connections ?? (isFar ? farConnections : usualConnections[policy]);
}

/** Connections to open before the page names their requests. @param leads A page's first request is waiting. */
export function connectionsAhead(profile: ServerProfile, leads: boolean, asked: Asked): number {
  if (policies[asked.protocol] !== 'pipelined') return 0;
  const isOurs = asked.connections === null;
  return isOurs && !(leads && profile.isFar) ? 1 : mostConnections(profile, asked);
}

/** The parts of a connection that the rules use. */
type Seen = Pick<
  Connection,
  'httpVersion' | 'maxStreams' | 'answered' | 'served' | 'load' | 'mayCarry'
>;

/** How many more requests a connection takes now. */
export function roomOn(
  policy: ConcurrencyPolicy,
  profile: ServerProfile,
  connection: Seen,
  pipeline: PipelineOptions,
): number {
  const depth = depthOf(policy, profile, connection, pipeline) - connection.load;
  return Math.min(depth, leftOn(profile, connection));
}

/** Maximum requests in flight on a connection. @param connection null: not open yet. */
export function depthOf(
  policy: ConcurrencyPolicy,
  profile: ServerProfile,
  connection: Pick<Seen, 'httpVersion' | 'maxStreams' | 'served'> | null,
  { maxDepth }: PipelineOptions,
): number {
  // If the server allows no streams at present, one is sent all the same, so that its timeout runs.
  if (connection?.httpVersion === 'h2') {
    return Math.max(1, Math.min(mostStreams, connection.maxStreams));
  }
  if (connection?.httpVersion === 'http/1.0') return 1;
  if (policy !== 'pipelined' || !profile.pipelines) return 1;
  if (profile.probing && (connection?.served ?? 0) === 0) return 1;
  return maxDepth;
}

/**
 * How many more requests a connection may carry before the server closes it. Requests beyond that are lost and
 * resent, so a connection first gets as many as servers usually allow, and more once it has answered those. On
 * HTTP/2, once it has begun to: the server sends GOAWAY before its last response.
 */
export function leftOn(
  profile: ServerProfile,
  { httpVersion, answered, served, load, mayCarry }: Omit<Seen, 'maxStreams'>,
): number {
  const { perConnection, streamsPerConnection, mayTry } = profile;
  const carries = served + load;
  const isIdle = load === 0;
  if (httpVersion === 'h2') {
    // Beyond the limit, single requests may show that it does not apply.
    if (carries >= streamsPerConnection && isIdle) return 1;
    const usual = usualLimit(Math.max(profile.mostServed, answered));
    return Math.min(streamsPerConnection, usual) - carries;
  }
  if (mayTry && isIdle && served >= perConnection) return 1;
  const usual = usualLimit(Math.max(profile.mostServed, served));
  return Math.min(perConnection, mayCarry, usual) - carries;
}

/** Maximum number of requests planned for a new connection. */
export function firstOn(profile: ServerProfile): number {
  const { perConnection, streamsPerConnection } = profile;
  return Math.min(perConnection, streamsPerConnection, usualLimit(profile.mostServed));
}

function usualLimit(served: number): number {
  return usualLimits.find((limit) => served < limit) ?? Number.POSITIVE_INFINITY;
}
