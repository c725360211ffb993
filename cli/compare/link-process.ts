// Emulates a link between two network namespaces, with the kernel's own TCP at both ends: `node link-process.ts JSON`.
//
// Each namespace has a TUN device. This process reads the packets that one device sends, holds them as long as the wire
// would, and writes them to the other device. Each direction is an ordered queue: a packet waits for those before it,
// then takes its bits / rate to leave, then the delay to arrive; one that others overtake arrives later by the time of
// four full packets, at least 10 ms. At most `queuePackets` packets wait to leave; further ones are dropped, as by a
// router. Only the bytes of IP packets count, not those of a link layer. TCP's congestion control at both ends is
// cubic, where the machine allows that, and starts without what the kernel remembers of earlier connections.
//
// Each line on standard input asks for counts of what passed since the line before. The process ends with its input, so
// also with its parent; it then removes the namespaces.

import { execFileSync, spawnSync } from 'node:child_process';
import { flag, type Segment, tcpOf } from '../../loader/packets/segment.ts';
import { beginCapture } from './capture.ts';
import { delayedAcks } from './delayed-acks.ts';
import { ioctl, open, prctl, read, runBlocking, write } from './libc.ts';
import type { LinkSettings } from './links.ts';

export interface LinkRequest extends LinkSettings {
  /** Names of the network namespaces of client and server; the TUN device in each is named like its namespace. */
  client: string;
  server: string;
  /** The first three numbers of the addresses; the client's ends in 1, the server's in 2. */
  subnet: string;
  /** File for a capture (pcap) of all packets, as seen at the server; absent: none. */
  captureFile?: string | undefined;
  /** URL of a module whose `lineCoder` makes a function from packets to bytes on the line, for modems that compress. */
  lineCoder?: string;
}

/** Returns counts of one direction, all 0. Times are ms on the machine's monotonic clock; 0: no such packet passed. */
const nothingPassed = () => ({
  packets: 0,
  /** Bytes of IP packets with their headers. */
  bytes: 0,
  /** Bytes of the headers of IP and TCP. */
  headerBytes: 0,
  dropped: 0,
  /** Number of TCP connections that the sender of these packets began. */
  connections: 0,
  /** Time when the first packet was sent; then, when the first packet and the last one with data arrived. */
  firstSentAtMs: 0,
  firstArrivedAtMs: 0,
  lastDataAtMs: 0,
});
export type WireCounts = ReturnType<typeof nothingPassed>;
export type LinkCounts = Record<'up' | 'down', WireCounts>;

/** A packet on its way. `segment` is null if the packet is not of TCP. */
type Passing = {
  packet: Buffer;
  segment: Segment | null;
  departsAtMs: number;
  arrivesAtMs: number;
};

/** The settings of one direction of the link, and who sees its packets. */
interface Direction extends LinkRequest {
  /** Holds back acknowledgments, as BSD delayed them; absent: none is held back. */
  acks?: ReturnType<typeof delayedAcks> | undefined;
  onSent?(packet: Buffer): void;
  onArrived?(packet: Buffer, segment: Segment | null): void;
}

const readWriteNonBlocking = 0o2 | 0o4000 | 0o2000000; // O_RDWR, O_NONBLOCK, O_CLOEXEC
const setInterface = 0x400454ca; // TUNSETIFF
const tunWithoutHeader = 0x1001; // IFF_TUN, IFF_NO_PI
const setTimerSlack = 29; // PR_SET_TIMERSLACK; the default would add 50 us to each packet
const mostPacketBytes = 1500;
/** Bytes of the headers of IP and TCP, with the timestamps that Linux sends. */
const headerBytes = 52;
const scratch = Buffer.alloc(mostPacketBytes);

const request: LinkRequest = JSON.parse(process.argv[2] ?? '{}');
const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Makes one direction of the link, between two descriptors of devices. */
async function wireOf([from, to]: [number, number], bitsPerSecond: number, direction: Direction) {
  const { acks, onSent, onArrived, lineCoder } = direction;
  const { queuePackets, loss, reordering, delayMs, mtuBytes } = direction;
  const queue: Passing[] = [];
  const msPerByte = 8e3 / bitsPerSecond;
  const lineBytes: (packet: Buffer) => number =
    lineCoder === undefined ? ({ length }) => length : (await import(lineCoder)).lineCoder();
  /** Time at which the last bit of the latest packet leaves, and the line is free for the next packet. */
  let freeAtMs = 0;
  let counts = nothingPassed();

  function enter(packet: Buffer, segment = tcpOf(packet)): void {
    const atMs = nowMs();
    counts.packets++;
    counts.bytes += packet.length;
    counts.headerBytes += packet.length - (segment?.dataBytes ?? 0);
    counts.firstSentAtMs ||= atMs;
    if (segment && (segment.flags & (flag.syn | flag.ack)) === flag.syn) counts.connections++;
    onSent?.(packet);
    const waiting = queue.length - 1 - queue.findLastIndex((each) => each.departsAtMs <= atMs);
    if (waiting >= queuePackets || Math.random() < loss) return void counts.dropped++;
    freeAtMs = Math.max(freeAtMs, atMs) + lineBytes(packet) * msPerByte;
    const lateByMs = Math.random() < reordering ? Math.max(10, 4 * mtuBytes * msPerByte) : 0;
    const arrivesAtMs = freeAtMs + delayMs + lateByMs;
    const before = queue.findLastIndex((each) => each.arrivesAtMs <= arrivesAtMs);
    queue.splice(before + 1, 0, { packet, segment, departsAtMs: freeAtMs, arrivesAtMs });
  }

  return {
    /** Returns the time until a packet arrives or an acknowledgment that is held back may leave, ms. */
    waitMs(): number {
      const now = nowMs();
      return Math.min((queue[0]?.arrivesAtMs ?? now + 1e3) - now, acks?.waitMs(now) ?? 1e3);
    },

    /** Reads all packets that the device at this direction's start has to send, and puts them into the queue. */
    take(): void {
      for (const packet of acks?.beatsAt(nowMs()) ?? []) enter(packet);
      for (;;) {
        const length = read(from, scratch, mostPacketBytes);
        if (length <= 0) return;
        if ((scratch[0] as number) >> 4 !== 4) continue; // a packet of IPv6, such as neighbour discovery
        const packet = Buffer.from(scratch.subarray(0, length));
        const segment = tcpOf(packet);
        if (!segment || (acks?.passes(segment, packet, nowMs()) ?? true)) enter(packet, segment);
      }
    },

    deliver(): void {
      for (let [next] = queue; next && next.arrivesAtMs <= nowMs(); [next] = queue) {
        const { packet, segment } = queue.shift() ?? next;
        write(to, packet, packet.length);
        counts.firstArrivedAtMs ||= nowMs();
        if (segment && segment.dataBytes > 0) counts.lastDataAtMs = nowMs();
        onArrived?.(packet, segment);
      }
    },

    /** Returns what passed in this direction since the last call. */
    counted(): WireCounts {
      const passed = counts;
      counts = nothingPassed();
      return passed;
    },
  };
}

/** Makes a network namespace and moves a new TUN device there. @returns the device's descriptor, which stays valid */
function openEnd(name: string, address: string): number {
  const { subnet, mtuBytes, initialWindow } = request;
  const device = open('/dev/net/tun', readWriteNonBlocking);
  const asked = Buffer.alloc(40);
  asked.write(name);
  asked.writeInt16LE(tunWithoutHeader, 16);
  if (device < 0 || ioctl(device, setInterface, asked) < 0) {
    throw new Error('a TUN device cannot be made');
  }
  const route = `route replace ${subnet}.0/24 dev ${name} proto kernel scope link src ${address}`;
  const tcp = '/proc/sys/net/ipv4/tcp_';
  const cubic = `echo cubic 2>/dev/null > ${tcp}congestion_control`; // not every machine allows cubic
  const commands = [
    `ip netns add ${name}`,
    `ip link set ${name} netns ${name}`,
    `ip -n ${name} addr add ${address}/24 dev ${name}`,
    `ip -n ${name} link set ${name} mtu ${mtuBytes} up`,
    `ip -n ${name} link set lo up`,
    ...(initialWindow === null ? [] : [`ip -n ${name} ${route} initcwnd ${initialWindow}`]),
    `ip netns exec ${name} sh -c '${cubic}; echo 1 > ${tcp}no_metrics_save'`,
  ];
  execFileSync('sh', ['-e'], { input: commands.join('\n'), stdio: ['pipe', 'pipe', 'inherit'] });
  return device;
}

process.on('exit', () => {
  for (const name of [request.client, request.server]) {
    spawnSync('ip', ['netns', 'del', name], { stdio: 'ignore' }); // fails if the namespace was not made
  }
});
prctl(setTimerSlack, 1);
const client = openEnd(request.client, `${request.subnet}.1`);
const server = openEnd(request.server, `${request.subnet}.2`);
const { delayedAckMs, mtuBytes, captureFile, upBitsPerSecond, downBitsPerSecond } = request;
const acks = delayedAckMs > 0 ? delayedAcks(delayedAckMs, mtuBytes - headerBytes) : undefined;
const record = captureFile === undefined ? () => {} : beginCapture(captureFile);
const onUp = { ...request, ...request.up, acks, onArrived: (packet: Buffer) => record(packet) };
const up = await wireOf([client, server], upBitsPerSecond, onUp);
const down = await wireOf([server, client], downBitsPerSecond, {
  ...request,
  onSent: (packet) => record(packet),
  onArrived: (_, segment) => segment && acks?.seeFromServer(segment),
});
runBlocking([client, server], {
  waitMs: () => Math.min(up.waitMs(), down.waitMs()),
  pass() {
    for (const wire of [up, down]) wire.take();
    for (const wire of [up, down]) wire.deliver();
  },
  answer: (): LinkCounts => ({ up: up.counted(), down: down.counted() }),
});
