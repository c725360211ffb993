// Writes packets as a capture (pcap) of raw IP packets, as they come.

import { openSync, writeSync } from 'node:fs';

/** Begins a capture. @returns a function that writes a packet; the end of the process closes the file */
export function beginCapture(path: string): (packet: Buffer, atNs?: bigint) => void {
  const file = openSync(path, 'w', 0o600);
  /** Time at which the monotonic clock began, nanoseconds since 1970. */
  const startedAt = BigInt(Date.now()) * 1_000_000n - process.hrtime.bigint();
  const fileHead = Buffer.alloc(24);
  fileHead.writeUInt32LE(0xa1b23c4d, 0); // magic number of a pcap file with nanoseconds
  fileHead.writeUInt16LE(2, 4);
  fileHead.writeUInt16LE(4, 6);
  fileHead.writeUInt32LE(65_535, 16);
  fileHead.writeUInt32LE(101, 20); // link type: raw IP
  writeSync(file, fileHead);
  // `atNs` is the time of the packet on the monotonic clock, nanoseconds.
  return (packet, atNs = process.hrtime.bigint()) => {
    const now = startedAt + atNs;
    const head = Buffer.alloc(16);
    head.writeUInt32LE(Number(now / 1_000_000_000n), 0);
    head.writeUInt32LE(Number(now % 1_000_000_000n), 4);
    head.writeUInt32LE(packet.length, 8);
    head.writeUInt32LE(packet.length, 12);
    writeSync(file, Buffer.concat([head, packet]));
  };
}
