// A TCP connection opened before the loader itself is loaded: a command that knows its URL overlaps the handshake
// with loading its modules. At most one, for the first request to that origin; if it is unused it does no harm and
// does not keep the process alive.

import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';

export interface EarlyConnection {
  socket: Socket;
  /** Monotonic times (performance.now), ms; null until reached. */
  startedAt: number;
  lookupEndedAt: number | null;
  connectedAt: number | null;
}

/** A round trip on a local network. */
const nearbyMs = 2;

let early: (EarlyConnection & { origin: string }) | null = null;

let begun: EarlyConnection | null = null;

/**
 * @param url http or https; only the TCP connection is opened.
 * @returns Resolves once the first packet has been sent and a nearby server has had time to answer.
 */
export async function connectEarly(url: URL): Promise<void> {
  const socket = connect({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    // The same options as undici's connector.
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
    highWaterMark: 64 * 1024,
  } as TcpNetConnectOpts);
  const mine = {
    ...{ origin: url.origin, socket, startedAt: performance.now() },
    lookupEndedAt: null as number | null,
    connectedAt: null as number | null,
  };
  early = mine;
  begun = mine;
  socket.once('lookup', () => {
    mine.lookupEndedAt = performance.now();
  });
  socket.once('connect', () => {
    mine.connectedAt = performance.now();
  });
  // The connection that replaces it reports the error.
  socket.on('error', () => {});
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, nearbyMs);
    socket.once('connect', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  socket.unref();
}

/**
 * Called when a page load begins. A connection that is already open counts as just opened: the handshake is part of
 * the page's time, loading the program is not.
 * @returns Monotonic time of navigation start, ms; null: there is no such connection.
 */
export function beginWithEarly(origin: string): number | null {
  if (early?.origin !== origin) return null;
  const waitedMs = early.connectedAt === null ? 0 : performance.now() - early.connectedAt;
  early.startedAt += waitedMs;
  if (early.lookupEndedAt !== null) early.lookupEndedAt += waitedMs;
  if (early.connectedAt !== null) early.connectedAt += waitedMs;
  return early.startedAt;
}

/** Resolves once connected with the duration of the handshake, ms; null if it failed or none was opened. */
export async function earlyRoundTrip(): Promise<number | null> {
  const mine = begun;
  if (mine === null) return null;
  const { socket } = mine;
  if (socket.connecting) {
    await new Promise<void>((resolve) => {
      socket.once('connect', resolve);
      socket.once('close', () => resolve());
    });
  }
  return mine.connectedAt === null ? null : mine.connectedAt - mine.startedAt;
}

/** Takes the connection to this origin, once; null if there is none or it failed. */
export function takeEarly(origin: string): EarlyConnection | null {
  if (early?.origin !== origin) return null;
  const taken = early;
  early = null;
  if (taken.socket.destroyed) return null;
  taken.socket.ref();
  return taken;
}
