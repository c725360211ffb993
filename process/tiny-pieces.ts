// Content in pieces of a few bytes costs its sender little and the event loop much: one read of 64 KB may hold ten
// thousand pieces. A connection with a thousand of them in one turn of the event loop is paused. Paused connections
// resume one after the other, and together get about a fifth of the process's time.

import type { Socket } from 'node:net';

/** Number of tiny pieces read in one turn of the event loop at which their connection is paused: about 2 ms of work. */
const mostPerTurn = 1024;
const leastPauseMs = 20;
/** Pause between two reads, as a multiple of a read's time: paused connections together get a fifth of the time. */
const pausedMultiple = 4;

export interface ReadControl {
  stop(): void;
  goOn(): void;
}

const waiting: (() => void)[] = [];

function wait(goOn: () => void): void {
  if (waiting.push(goOn) === 1) setTimeout(next, leastPauseMs);
}

function next(): void {
  const startMs = performance.now();
  waiting[0]?.();
  // An immediate runs after the event loop has read from the resumed connection in this turn.
  setImmediate(() => {
    const readMs = performance.now() - startMs;
    setTimeout(shift, Math.max(leastPauseMs, pausedMultiple * readMs));
  });
}

function shift(): void {
  waiting.shift();
  if (waiting.length > 0) next();
}

/** Returns control over reading from a socket by its handle: `pause()` would still read up to 64 KB, and a socket that
 *  HTTP/2 took over has no `pause()`. */
function readingOf(socket: Socket): ReadControl {
  type Handle = { readStop(): void; readStart(): void };
  const { _handle: handle } = socket as unknown as { _handle?: Handle | null };
  return { stop: () => handle?.readStop(), goOn: () => handle?.readStart() };
}

/** Pauses a connection on which too many tiny pieces arrive. @returns A function to be called for each tiny piece */
export function tinyPieces(socket: Socket, reading: ReadControl = readingOf(socket)): () => void {
  let pieces = 0;
  let isCounting = false;
  let isStopped = false;
  const endTurn = () => {
    isCounting = false;
    pieces = 0;
  };
  return () => {
    // Pieces that were read before the connection was paused still arrive; they are not counted.
    if (isStopped) return;
    if (!isCounting) setImmediate(endTurn);
    isCounting = true;
    if (++pieces < mostPerTurn) return;
    isStopped = true;
    reading.stop();
    wait(() => {
      isStopped = false;
      if (!socket.destroyed) reading.goOn();
    });
  };
}
