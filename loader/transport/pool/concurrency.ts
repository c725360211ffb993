// How the protocol asked for wants connections used, as far as the server lets it: how many there may be, and
// how far requests may run ahead of responses on each. Rules alone: what is open, and what was learned, comes in.

import type { Connection } from '../connection/connection.ts';
import type { PipelineOptions, TransportOptions } from '../transport-options.ts';
import type { ServerProfile } from './server-profile.ts';

/** Requests per connection: the defaults of Apache httpd and of nginx before 1.19.10; nginx since. */
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
/** To a server far away, where the protocol is ours to choose: as many as browsers open. */
const farConnections = 6;
/** Streams at a time on HTTP/2: what servers allow as a rule, and may be assumed before they say (RFC 9113 6.5.2). */
const mostStreams = 100;

/** What the options say of connections. */
type Asked = Pick<TransportOptions, 'protocol' | 'connections' | 'pipeline'>;

/** Connections to an origin at a time. */
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

/** Connections to open before a page has named what they are for. @param leads a page's first request is there. */
export function connectionsAhead(profile: ServerProfile, leads: boolean, asked: Asked): number {
  if (policies[asked.protocol] !== 'pipelined') return 0;
  const isOurs = asked.connections === null;
  return isOurs && !(leads && profile.isFar) ? 1 : mostConnections(profile, asked);
}

/** What the rules ask of a connection. */
type Seen = Pick<Connection, 'httpVersion' | 'maxStreams' | 'answered' | 'served' | 'load'>;

/** Further requests a connection takes now. */
export function roomOn(
  policy: ConcurrencyPolicy,
  profile: ServerProfile,
  connection: Seen,
  pipeline: PipelineOptions,
): number {
  const depth = depthOf(policy, profile, connection, pipeline) - connection.load;
  return Math.min(depth, leftOn(profile, connection));
}

/** Requests under way on a connection at most. @param connection null: one that is not open yet. */
export function depthOf(
  policy: ConcurrencyPolicy,
  profile: ServerProfile,
  connection: Pick<Seen, 'httpVersion' | 'maxStreams' | 'served'> | null,
  { maxDepth }: PipelineOptions,
): number {
  // A server that allows none for now is asked for one, whose clock then runs.
  if (connection?.httpVersion === 'h2') {
    return Math.max(1, Math.min(mostStreams, connection.maxStreams));
  }
  if (connection?.httpVersion === 'http/1.0') return 1;
  if (policy !== 'pipelined' || !profile.pipelines) return 1;
  if (profile.probing && (connection?.served ?? 0) === 0) return 1;
  return maxDepth;
}

/**
 * Further requests a connection may carry before the server ends it. What runs beyond that number is lost and sent
 * again, so a connection is first asked for as many as servers usually allow, and for more when it has answered those;
 * on HTTP/2 when it began to, since a server says before its last answer that it goes away.
 */
export function leftOn(
  profile: ServerProfile,
  { httpVersion, answered, served, load }: Omit<Seen, 'maxStreams'>,
): number {
  const { perConnection, streamsPerConnection, mayTry } = profile;
  const carries = served + load;
  const isIdle = load === 0;
  if (httpVersion === 'h2') {
    // Once over it, one at a time may show that the number was none.
    if (carries >= streamsPerConnection && isIdle) return 1;
    const usual = usualLimit(Math.max(profile.mostServed, answered));
    return Math.min(streamsPerConnection, usual) - carries;
  }
  if (mayTry && isIdle && served >= perConnection) return 1;
  return Math.min(perConnection, usualLimit(Math.max(profile.mostServed, served))) - carries;
}

/** Requests a new connection is asked for at most. */
export function firstOn(profile: ServerProfile): number {
  const { perConnection, streamsPerConnection } = profile;
  return Math.min(perConnection, streamsPerConnection, usualLimit(profile.mostServed));
}

function usualLimit(served: number): number {
  return usualLimits.find((limit) => served < limit) ?? Number.POSITIVE_INFINITY;
}
