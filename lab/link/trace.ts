// The link's record of TCP packets as the server saw them, and the stalls in it: times when the server had more to send
// and waited for an acknowledgment that the client was delaying. Pure but for the reading of lines.

import { readFileSync } from 'node:fs';
import {
  type AcknowledgmentWait,
  acknowledgmentWaits,
} from '../../loader/packets/acknowledgment-waits.ts';

export interface TracedPacket {
  /** On the monotonic clock. */
  atMs: number;
  /** down: sent by the server; up: arrived at the server. */
  direction: 'down' | 'up';
  /** The client's. */
  port: number;
  seq: number;
  ack: number;
  /** Of TCP's payload. */
  dataBytes: number;
  isSyn: boolean;
  isFin: boolean;
  isReset: boolean;
  isDropped: boolean;
}

export type Stall = AcknowledgmentWait;

/** Everything the link recorded so far, whole lines only. */
export function readTrace(file: string): TracedPacket[] {
  const text = readFileSync(file, 'latin1');
  return parseTrace(text.slice(0, text.lastIndexOf('\n') + 1));
}

/** @throws Error for a line that link.c does not write */
export function parseTrace(text: string): TracedPacket[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [at, direction, ...numbers] = line.split(' ');
    const [port, seq, ack, dataBytes, flags, dropped] = numbers.map(Number);
    const isWhole = numbers.length === 6 && numbers.every((number) => /^\d+$/.test(number));
    if (!isWhole || (direction !== 'down' && direction !== 'up')) {
      throw new Error(`not a line of the link's trace: ${line}`);
    }
    return {
      atMs: Number(at),
      direction,
      port: port as number,
      seq: seq as number,
      ack: ack as number,
      dataBytes: dataBytes as number,
      isFin: ((flags as number) & 1) !== 0,
      isSyn: ((flags as number) & 2) !== 0,
      isReset: ((flags as number) & 4) !== 0,
      isDropped: dropped === 1,
    };
  });
}

/** Packets by connection, in the order of their first packet. */
export function connectionsOf(packets: readonly TracedPacket[]): TracedPacket[][] {
  return [...Map.groupBy(packets, ({ port }) => port).values()];
}

/** The stalls of one connection that lasted `leastMs`. */
export function stallsOf(packets: readonly TracedPacket[], leastMs: number): Stall[] {
  return acknowledgmentWaits(packets, { leastMs, atOnceMs });
}

/** A kernel that waited for an acknowledgment sends within it. */
const atOnceMs = 5;
