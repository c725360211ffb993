// Writes IP packets into a capture file (pcap), each as it comes.

import { openSync, writeSync, writevSync } from 'node:fs';

/** Begins a capture. @returns a function that writes a packet; the end of the process closes the file */
export function beginCapture(path: string): (packet: Buffer, atNs?: bigint) => void {
  const file = openSync(path, 'w', 0o600);
  /** Time at which the monotonic clock began, nanoseconds since 1970. */
  const startedAt = BigInt(Date.now()) * 1_000_000n - process.hrtime.bigint();
  // The magic number (nanoseconds, in this machine's byte order), version 2.4, longest packet, link type: raw IP.
  writeSync(file, Uint32Array.of(0xa1b23c4d, 0x00040002, 0, 0, 65_535, 101));
  // A packet's `atNs` is its time on the monotonic clock, nanoseconds.
  return (packet, atNs = process.hrtime.bigint()) => {
    const now = startedAt + atNs;
    const time = [Number(now / 10n ** 9n), Number(now % 10n ** 9n)];
    writevSync(file, [Uint32Array.of(...time, packet.length, packet.length), packet]);
  };
}
