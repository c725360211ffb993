// The link's capture of TCP packets as the server saw them, and the stalls in it: times when the server had more to send
// and waited for an acknowledgment that the client was delaying.

import { readFileSync } from 'node:fs';
import { acknowledgmentWaits, type Wait } from '../../loader/packets/facts.ts';
import { flag, tcpOf } from '../../loader/packets/segment.ts';

export interface TracedPacket {
  /** Since 1970. */
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
}

export type Stall = Wait;

/** The last byte of the server's address on a link. */
const serverByte = 2;

/** Everything the link captured so far, whole packets only: pcap with nanoseconds. */
export function readTrace(file: string): TracedPacket[] {
  const bytes = readFileSync(file);
  const packets: TracedPacket[] = [];
  let end: number;
  for (let at = 24; at + 16 <= bytes.length; at = end) {
    const length = bytes.readUInt32LE(at + 8);
    end = at + 16 + length;
    if (end > bytes.length) break;
    const ip = bytes.subarray(at + 16, end);
    const segment = tcpOf(ip);
    if (segment === null) continue;
    const { seq, ack, dataBytes, flags, fromPort, toPort } = segment;
    const direction = ip[15] === serverByte ? 'down' : 'up';
    packets.push({
      ...{ direction, seq, ack, dataBytes },
      atMs: bytes.readUInt32LE(at) * 1e3 + bytes.readUInt32LE(at + 4) / 1e6,
      port: direction === 'up' ? fromPort : toPort,
      isSyn: (flags & flag.syn) !== 0,
      isFin: (flags & flag.fin) !== 0,
      isReset: (flags & flag.reset) !== 0,
    });
  }
  return packets;
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
