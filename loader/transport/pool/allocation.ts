// Rules for which connection gets a waiting request, and for how many connections to open. The functions have no side
// effects; connections and queues are passed in.

import type { Connection } from '../connection/connection.ts';

type Candidate = Pick<Connection, 'usable' | 'sent' | 'load'>;

/** A connection that has never carried a request; null: there is none. */
export function unused<C extends Candidate>(connections: Iterable<C>): C | null {
  for (const connection of connections) {
    if (connection.usable && connection.sent === 0 && connection.load === 0) return connection;
  }
  return null;
}

/**
 * The connection with capacity that has the fewest requests in flight; null: there is none.
 * @param roomOn Number of further requests that a connection accepts now.
 */
export function roomiest<C extends Candidate>(
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
 * Limit on requests in flight per connection, so that connections that are still opening get their share: a round
 * trip later no requests would be left for them. Without such connections there is no limit.
 * @param shared Waiting requests that may use any connection.
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
  /** Waiting requests that each need a separate connection. */
  lone: number;
  /** Waiting requests that may share a connection. */
  shared: number;
  /** Number of requests that one connection can take. */
  perConnection: number;
  /** Number of connections to keep open whether they are needed yet or not. */
  ahead: number;
}

/**
 * How many connections to open. Requests are assigned to open connections only, so those that are still connecting
 * will take a share of the waiting requests.
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
