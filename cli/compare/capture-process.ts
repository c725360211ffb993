// Captures TCP packets on all interfaces until a line of JSON on standard input lists the pairs of ports whose packets
// are wanted. Then it writes these, and no others, to the file that its argument names, and answers with a line of
// JSON. It needs Linux, and root or CAP_NET_RAW: a packet socket (packet(7)) yields the IP packets.

import { tcpOf } from '../../loader/packets/segment.ts';
import { beginCapture } from './capture.ts';
import { recvfrom, runBlocking, say, setsockopt, socket } from './libc.ts';

const packets = { domain: 17, type: 2 | 0o4000, everyProtocol: 0x0300 }; // AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK
const forceReceiveBuffer = [1, 33] as const; // SOL_SOCKET, SO_RCVBUFFORCE
/** Fields of the address of a packet (struct sockaddr_ll): the kind of the device, and the direction of the packet. */
const [loopbackKind, outgoing] = [772, 4];
/** Bytes kept of a packet: the kernel may join segments into one of this size. */
const mostPacketBytes = 65_535;
/** Limit on the length of all packets that are kept in memory, bytes; later ones are left out. */
const mostBytes = 512 * 1024 * 1024;

const [file = ''] = process.argv.slice(2);
const descriptor = socket(packets.domain, packets.type, packets.everyProtocol);
if (descriptor < 0) {
  say({ error: 'a packet socket needs root or CAP_NET_RAW' });
  process.exit(1);
}
setsockopt(descriptor, ...forceReceiveBuffer, Int32Array.of(64 * 1024 * 1024), 4);

const seen: { packet: Buffer; atNs: bigint; ports: [from: number, to: number] }[] = [];
let seenBytes = 0;
const scratch = Buffer.alloc(mostPacketBytes);
const address = Buffer.alloc(20);
const addressLength = Int32Array.of(address.length);

/** Takes the packets that wait in the socket. Those on loopback come twice, as they leave and as they arrive. */
function takePackets(): void {
  for (;;) {
    addressLength[0] = address.length;
    const length = recvfrom(descriptor, scratch, mostPacketBytes, 0, address, addressLength);
    if (length <= 0) return;
    if (address.readUInt16LE(8) === loopbackKind && address[10] === outgoing) continue;
    const bytes = scratch.subarray(0, length);
    const segment = tcpOf(bytes);
    if (segment === null) continue;
    seenBytes += length;
    if (seenBytes > mostBytes) continue;
    const ports = [segment.fromPort, segment.toPort] as [number, number];
    seen.push({ packet: Buffer.from(bytes), atNs: process.hrtime.bigint(), ports });
  }
}

runBlocking([descriptor], {
  waitMs: () => Number.POSITIVE_INFINITY,
  pass: takePackets,
  answer(request) {
    const own = new Set<string>(JSON.parse(request));
    const add = beginCapture(file);
    for (const { packet, atNs, ports } of seen) {
      if (own.has(ports.join(' ')) || own.has(ports.toReversed().join(' '))) add(packet, atNs);
    }
    const cut = `loadahead: ${file} is cut: much else passes on this machine\n`;
    if (seenBytes > mostBytes) process.stderr.write(cut);
    return {};
  },
});
