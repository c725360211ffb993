// A TCP connection opened before the loader itself is loaded: a command that knows its URL overlaps the handshake
// with loading its modules. At most one, for the first request to that origin; if it is unused it does no harm and
// does not keep the process alive.

import { newTimes, openTcp, type TcpOpening } from './open-tcp.ts';

/** A round trip on a local network. */
const nearbyMs = 2;

let early: { origin: string; opening: TcpOpening } | null = null;

let begun: TcpOpening | null = null;

/**
 * @param url http or https; only the TCP connection is opened.
 * @returns Resolves once the first packet has been sent and a nearby server has had time to answer.
 */
export async function connectEarly(url: URL): Promise<void> {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const opening = openTcp(url.hostname.replace(/^\[|\]$/g, ''), port, newTimes());
  early = { origin: url.origin, opening };
  begun = opening;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, nearbyMs);
    // The connection that replaces one that failed reports the error.
    opening.opened
      .then(() => {
        clearTimeout(timer);
        resolve();
      })
      .catch(() => {});
  });
  opening.hold(false);
}

/**
 * Called when a page load begins. A connection that is already open counts as just opened: the handshake is part of
 * the page's time, loading the program is not.
 * @returns Monotonic time of navigation start, ms; null: there is no such connection.
 */
export function beginWithEarly(origin: string): number | null {
  if (early?.origin !== origin) return null;
  const { times } = early.opening;
  const waitedMs = times.connectedAt === null ? 0 : performance.now() - times.connectedAt;
  times.startedAt += waitedMs;
  if (times.lookupEndedAt !== null) times.lookupEndedAt += waitedMs;
  if (times.connectedAt !== null) times.connectedAt += waitedMs;
  return times.startedAt;
}

/** Resolves once connected with the duration of the handshake, ms; null if it failed or none was opened. */
export async function earlyRoundTrip(): Promise<number | null> {
  await begun?.opened.catch(() => {});
  if (begun === null || begun.times.connectedAt === null) return null;
  return begun.times.connectedAt - begun.times.startedAt;
}

/** Takes the connection to this origin, once; null if there is none or it failed. */
export function takeEarly(origin: string): TcpOpening | null {
  if (early?.origin !== origin) return null;
  const { opening } = early;
  early = null;
  if (opening.socket?.destroyed) return null;
  opening.hold(true);
  return opening;
}
