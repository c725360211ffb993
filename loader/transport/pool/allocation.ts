// Which connection a waiting request goes on, and how many more connections those that wait can use. Rules
// alone: what is open, and what waits, comes in.

import type { Connection } from '../connection/connection.ts';

type Candidate = Pick<Connection, 'usable' | 'sent' | 'load'>;

/** One that never carried a request; null: none. */
export function unused<C extends Candidate>(connections: Iterable<C>): C | null {
  for (const connection of connections) {
    if (connection.usable && connection.sent === 0 && connection.load === 0) return connection;
  }
  return null;
}

/**
 * Of those that have room the one with the fewest requests under way; null: none has.
 * @param roomOn further requests a connection takes now.
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
 * Requests under way on each connection at most, so that those about to open get their share: a round trip later they
 * would have nothing to carry. Without any there is no bound.
 * @param shared requests that wait for whichever connection comes.
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
  /** Requests that wait, each for a connection of its own. */
  lone: number;
  /** Requests that wait, and may share one. */
  shared: number;
  /** Requests one connection can take. */
  perConnection: number;
  /** Connections that are to be ready, whether they are needed yet or not. */
  ahead: number;
}

/**
 * How many connections to open. Requests are bound to one only when it is open: of what waits, those that are
 * still connecting will take their share.
 * @param living connections that take requests, now or soon.
 * @param connecting how many of them are not open yet.
 * @param most as many as there may be.
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
