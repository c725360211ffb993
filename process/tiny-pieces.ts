// Content in pieces of a few bytes costs its sender little and the event loop much: a read of 64 KB has ten thousand. A
// connection that has hundreds in one turn is read no further until others had theirs. All such connections of the
// process go on one after the other, and not most of the time.

import type { Socket } from 'node:net';

/** About two milliseconds of work. */
const mostPerTurn = 1024;
const leastPauseMs = 20;
/** Of one read: together, such connections have a fifth of the time. */
const pausedMultiple = 4;

export interface Reading {
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
  // Immediates follow what is read in this turn.
  setImmediate(() => {
    const readMs = performance.now() - startMs;
    setTimeout(shift, Math.max(leastPauseMs, pausedMultiple * readMs));
  });
}

function shift(): void {
  waiting.shift();
  if (waiting.length > 0) next();
}

/** Node's `pause()` reads on until 64 KB are buffered, and there is none for a socket that HTTP/2 has taken over. */
function readingOf(socket: Socket): Reading {
  type Handle = { readStop(): void; readStart(): void };
  const { _handle: handle } = socket as unknown as { _handle?: Handle | null };
  return { stop: () => handle?.readStop(), goOn: () => handle?.readStart() };
}

/** Count the tiny pieces of a connection: call the result for each. */
export function tinyPieces(socket: Socket, reading: Reading = readingOf(socket)): () => void {
  let pieces = 0;
  let isCounting = false;
  let isStopped = false;
  const endTurn = () => {
    isCounting = false;
    pieces = 0;
  };
  return () => {
    // What was read before is still handled.
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
