// The link's record of packets as a capture (pcap, raw IPv4) for `loadahead packets` and Wireshark. Headers are made up
// from what the link records; payload is not recorded, so none is kept of a packet. Windows are not recorded either:
// they are 0 throughout, which `loadahead packets` takes as unknown. Packets that the link dropped are left out where
// they would have arrived after it: those of the client.

import type { TracedPacket } from './trace.ts';

const clientAddress = [10, 0, 0, 1];
const serverAddress = [10, 0, 0, 2];
const headerBytes = 40;

/** @param serverPort The link records the client's alone */
export function tracePcap(packets: readonly TracedPacket[], serverPort = 80): Buffer {
  const file = Buffer.alloc(24);
  file.writeUInt32LE(0xa1b2c3d4, 0);
  file.writeUInt16LE(2, 4);
  file.writeUInt16LE(4, 6);
  file.writeUInt32LE(headerBytes, 16);
  file.writeUInt32LE(101, 20);
  const seen = packets.filter(({ direction, isDropped }) => direction === 'down' || !isDropped);
  return Buffer.concat([file, ...seen.map((packet) => record(packet, serverPort))]);
}

function record(packet: TracedPacket, serverPort: number): Buffer {
  const { atMs, direction, port, seq, ack, dataBytes, isSyn, isFin, isReset } = packet;
  const isUp = direction === 'up';
  const bytes = Buffer.alloc(16 + headerBytes);
  const microseconds = Math.round(atMs * 1000);
  bytes.writeUInt32LE(Math.floor(microseconds / 1e6), 0);
  bytes.writeUInt32LE(microseconds % 1e6, 4);
  bytes.writeUInt32LE(headerBytes, 8);
  bytes.writeUInt32LE(headerBytes + dataBytes, 12);
  const ip = bytes.subarray(16);
  ip.writeUInt8(0x45, 0);
  ip.writeUInt16BE(headerBytes + dataBytes, 2);
  ip.writeUInt8(64, 8);
  ip.writeUInt8(6, 9);
  ip.set(isUp ? [...clientAddress, ...serverAddress] : [...serverAddress, ...clientAddress], 12);
  ip.writeUInt16BE(isUp ? port : serverPort, 20);
  ip.writeUInt16BE(isUp ? serverPort : port, 22);
  ip.writeUInt32BE(seq, 24);
  ip.writeUInt32BE(ack, 28);
  ip.writeUInt8(0x50, 32);
  // A client's first SYN is the only packet of a connection that acknowledges nothing.
  const flags = Number(isFin) | (Number(isSyn) << 1) | (Number(isReset) << 2);
  ip.writeUInt8(flags | (isSyn && isUp ? 0 : 16), 33);
  return bytes;
}
