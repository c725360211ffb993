// Which connection a waiting request goes on, and how many more connections those that wait can use. Rules
// alone: what is open, and what waits, comes in.

import type { Connection } from './connection.ts';

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
