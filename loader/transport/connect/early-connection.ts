// A connection that is opened before the loader is even loaded: a command that was told its URL lets the handshake
// go on while its modules are read. One at most, for the first request to that origin; who never asks for it loses
// nothing, and it keeps no process alive.

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
 * @param url http or https; of TLS only the TCP connection below it is opened.
 * @returns resolves when its first packet has left, and a server nearby would have answered.
 */
export async function connectEarly(url: URL): Promise<void> {
  const socket = connect({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    // As undici's connector has them.
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
  // What went wrong is said of the connection that takes its place.
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
 * A page begins to load. A connection that was there already counts as if it had come to be just now: the handshake is
 * the page's, the time in which the program was still being read is not.
 * @returns navigation start, monotonic, ms; null: there is no such connection.
 */
export function beginWithEarly(origin: string): number | null {
  if (early?.origin !== origin) return null;
  const waitedMs = early.connectedAt === null ? 0 : performance.now() - early.connectedAt;
  early.startedAt += waitedMs;
  if (early.lookupEndedAt !== null) early.lookupEndedAt += waitedMs;
  if (early.connectedAt !== null) early.connectedAt += waitedMs;
  return early.startedAt;
}

/** Resolves when the connection is there: how long it took, ms; null: it is not to be had, or none was begun. */
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

/** The connection to this origin, once; null: there is none, or it failed. */
export function takeEarly(origin: string): EarlyConnection | null {
  if (early?.origin !== origin) return null;
  const taken = early;
  early = null;
  if (taken.socket.destroyed) return null;
  taken.socket.ref();
  return taken;
}
