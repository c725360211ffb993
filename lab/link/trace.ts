// The link's record of TCP packets as the server saw them, and the stalls in it: times when the server had more to send
// and waited for an acknowledgment that the client was delaying. Pure but for the reading of lines.

import { readFileSync } from 'node:fs';

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

export interface Stall {
  /** When the server sent the last data before it. */
  fromMs: number;
  /** When the acknowledgment came that let it go on. */
  toMs: number;
  /** Sent and unacknowledged meanwhile. */
  waitingBytes: number;
}

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

/**
 * The stalls of one connection that lasted `leastMs`: the server sent data, then nothing until an acknowledgment of all
 * of it came without a request, and then more at once.
 */
export function stallsOf(packets: readonly TracedPacket[], leastMs: number): Stall[] {
  const stalls: Stall[] = [];
  let lastSent: TracedPacket | undefined;
  let lastAck: TracedPacket | undefined;
  let acknowledged: number | undefined;
  for (const packet of packets) {
    if (packet.direction === 'up') {
      if (packet.dataBytes === 0 && !packet.isSyn && !packet.isFin) lastAck = packet;
      // A request: whatever the server sends next answers it.
      else lastAck = undefined;
      continue;
    }
    if (packet.dataBytes === 0) continue;
    if (lastSent && lastAck && lastAck.atMs > lastSent.atMs) {
      const ended = (lastSent.seq + lastSent.dataBytes) >>> 0;
      const isAtOnce = packet.atMs - lastAck.atMs < atOnceMs;
      const waitedMs = lastAck.atMs - lastSent.atMs;
      if (lastAck.ack === ended && isAtOnce && waitedMs >= leastMs) {
        const waitingBytes = (ended - (acknowledged ?? ended)) >>> 0;
        stalls.push({ fromMs: lastSent.atMs, toMs: lastAck.atMs, waitingBytes });
      }
    }
    acknowledged = lastAck?.ack ?? acknowledged ?? packet.seq;
    lastSent = packet;
  }
  return stalls;
}

/** A kernel that waited for an acknowledgment sends within it. */
const atOnceMs = 5;
