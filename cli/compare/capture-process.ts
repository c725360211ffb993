// Captures TCP packets on all interfaces until a line of JSON on standard input tells which pairs of ports count. Then it
// writes the packets of these pairs to the file that its argument names, and prints whether any are missing. Other
// packets are never written. It needs Linux and root or CAP_NET_RAW: a packet socket (packet(7)) that yields IP
// packets.

import { writeSync } from 'node:fs';
import { beginCapture } from './capture.ts';
import { partsOf } from './delayed-acks.ts';
import { ppoll, read, recvfrom, setsockopt, socket } from './libc.ts';

const packets = { domain: 17, type: 2 | 0o4000, everyProtocol: 0x0300 }; // AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK
const socketLevel = 1;
const forceReceiveBuffer = 33; // SO_RCVBUFFORCE
const pollIn = 1;
const outgoing = 4;
const loopbackKind = 772;
const tcp = 6;
/** Bytes kept of a packet: the kernel may join segments into one of this size. */
const mostPacketBytes = 65_535;
const mostBytes = 512 * 1024 * 1024;

const [file = ''] = process.argv.slice(2);
const descriptor = socket(packets.domain, packets.type, packets.everyProtocol);
if (descriptor < 0) {
  writeSync(1, `${JSON.stringify({ error: 'a packet socket needs root or CAP_NET_RAW' })}\n`);
  process.exit(1);
}
const size = Buffer.alloc(4);
size.writeInt32LE(64 * 1024 * 1024);
setsockopt(descriptor, socketLevel, forceReceiveBuffer, size, 4);

const seen: { packet: Buffer; atNs: bigint; ports: number[] }[] = [];
let kept = 0;
/** True if packets are missing, because more passed on this machine than `mostBytes`. */
let isCut = false;
const scratch = Buffer.alloc(mostPacketBytes);
const address = Buffer.alloc(20);
const addressLength = Buffer.alloc(4);

/** Takes the packets that have arrived. On loopback each packet comes twice, as it leaves and as it arrives; only its
 *  arrival is kept. */
function takePackets(): void {
  for (;;) {
    addressLength.writeInt32LE(address.length);
    const length = recvfrom(descriptor, scratch, mostPacketBytes, 0, address, addressLength);
    if (length <= 0) return;
    if (address.readUInt16LE(8) === loopbackKind && address[10] === outgoing) continue;
    const header = tcpAt(scratch);
    if (header === null || length < header + 20) continue;
    isCut ||= kept > mostBytes;
    if (isCut) continue;
    const packet = Buffer.from(scratch.subarray(0, length));
    kept += length;
    const ports = [0, 2].map((at) => packet.readUInt16BE(header + at));
    seen.push({ packet, atNs: process.hrtime.bigint(), ports });
  }
}

/** Returns the index of TCP's header in an IP packet; null: the packet is not TCP. */
function tcpAt(packet: Buffer): number | null {
  const version = (packet[0] as number) >> 4;
  if (version === 4) return packet[9] === tcp ? partsOf(packet).tcp : null;
  return version === 6 && packet[6] === tcp ? 40 : null;
}

const polled = Buffer.alloc(16);
[descriptor, 0].forEach((each, index) => {
  polled.writeInt32LE(each, index * 8);
  polled.writeInt16LE(pollIn, index * 8 + 4);
});
const line = Buffer.alloc(1024 * 1024);
writeSync(1, '{"isUp":true}\n');
for (;;) {
  ppoll(polled, 2, null, null);
  takePackets();
  if (polled.readInt16LE(14) === 0) continue;
  const length = read(0, line, line.length);
  if (length <= 0) process.exit(0); // the parent process has ended
  const own = new Set<string>(JSON.parse(line.toString('utf8', 0, length)));
  const add = beginCapture(file);
  const chosen = seen.filter(
    ({ ports }) => own.has(ports.join(' ')) || own.has(ports.toReversed().join(' ')),
  );
  for (const { packet, atNs } of chosen) add(packet, atNs);
  writeSync(1, `${JSON.stringify({ isCut })}\n`);
  process.exit(0);
}
