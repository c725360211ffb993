// Writes packets as a capture (pcap) of raw IP packets, as they come.

import { closeSync, openSync, writeSync } from 'node:fs';

export class CaptureWriter {
  readonly #file: number;
  /** Time at which the monotonic clock began, nanoseconds since 1970. */
  readonly #startedAt = BigInt(Date.now()) * 1_000_000n - process.hrtime.bigint();

  constructor(path: string) {
    this.#file = openSync(path, 'w', 0o600);
    const head = Buffer.alloc(24);
    head.writeUInt32LE(0xa1b23c4d, 0); // magic number of a pcap file with nanoseconds
    head.writeUInt16LE(2, 4);
    head.writeUInt16LE(4, 6);
    head.writeUInt32LE(65_535, 16);
    head.writeUInt32LE(101, 20); // link type: raw IP
    writeSync(this.#file, head);
  }

  /** Writes a packet. @param atNs Its time by the monotonic clock, nanoseconds */
  add(packet: Buffer, atNs = process.hrtime.bigint()): void {
    const now = this.#startedAt + atNs;
    const head = Buffer.alloc(16);
    head.writeUInt32LE(Number(now / 1_000_000_000n), 0);
    head.writeUInt32LE(Number(now % 1_000_000_000n), 4);
    head.writeUInt32LE(packet.length, 8);
    head.writeUInt32LE(packet.length, 12);
    writeSync(this.#file, Buffer.concat([head, packet]));
  }

  close(): void {
    closeSync(this.#file);
  }
}
