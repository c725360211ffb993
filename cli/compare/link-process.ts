// Emulates a link between two network namespaces, with the kernel's own TCP at both ends: `node link-process.ts JSON`.
//
// Each namespace has a TUN device. This process reads what one device sends, delays it like the wire, and writes it to
// the other device. Each direction is an ordered queue: a packet waits for those before it, then takes its bits / rate
// to leave, then the delay to arrive; one that is overtaken arrives four full packets later, at least 10 ms. At most
// `queuePackets` packets wait to leave; further ones are dropped, as by a router. Only the IP packet's bytes count. TCP
// at both ends is cubic where the machine allows that, and begins without what the kernel remembers of earlier
// connections.
//
// It blocks in ppoll, so it has no event loop: commands come by standard input, a line each, and are answered by a line
// of JSON. The command `counts` asks for what passed since the last such command. The end of the input ends the
// process, and so does its parent's death; it then removes the namespaces.

import { execFileSync, spawnSync } from 'node:child_process';
import { writeSync } from 'node:fs';
import { beginCapture } from './capture.ts';
import { DelayedAcks, partsOf } from './delayed-acks.ts';
import { ioctl, open, ppoll, prctl, read, write } from './libc.ts';
import type { LinkSettings } from './links.ts';

export interface LinkRequest extends LinkSettings {
  /** Names of the network namespaces of client and server; the TUN device in each is named like its namespace. */
  client: string;
  server: string;
  clientAddress: string;
  serverAddress: string;
  /** File for a capture (pcap) of all packets, as seen at the server; absent: none. */
  captureFile?: string;
  /** URL of a module, to emulate a modem that compresses: its `lineCoder` makes, for one direction, a function that
   *  returns how many bytes a packet takes on the line. Absent: each packet takes its own length. */
  lineCoder?: string;
}

export interface WireCounts {
  packets: number;
  /** Bytes of IP packets with their headers. */
  bytes: number;
  /** Bytes of the headers of IP and TCP. */
  headerBytes: number;
  dropped: number;
}

export interface LinkCounts {
  up: WireCounts;
  down: WireCounts;
  /** Number of connections that the client began. */
  connections: number;
  /** Time of the client's first packet, ms on the system's monotonic clock; 0: none. */
  firstPacketAtMs: number;
  /** Time from the client's first packet to the arrival of the server's first packet, ms: TCP's handshake. */
  firstReplyMs: number;
  /** Time from the client's first packet to the arrival of the last packet with data from the server, ms. */
  lastDataMs: number;
}

interface QueuedPacket {
  departsAt: number;
  arrivesAt: number;
  packet: Buffer;
}

const readWriteNonBlocking = 0o2 | 0o4000 | 0o2000000; // O_RDWR, O_NONBLOCK, O_CLOEXEC
const setInterface = 0x400454ca; // TUNSETIFF
const tunWithoutHeader = 0x1001; // IFF_TUN, IFF_NO_PI
const setTimerSlack = 29; // PR_SET_TIMERSLACK; the default would add 50 us to each packet
const pollIn = 1;
const mostPacketBytes = 1500;
/** Bytes of the headers of IP and TCP, with the timestamps that Linux sends. */
const headerBytes = 52;

const seconds = (): number => Number(process.hrtime.bigint()) / 1e9;

class Wire {
  readonly from: number;
  readonly to: number;
  readonly #secondsPerByte: number;
  readonly #settings: LinkRequest;
  readonly #acks: DelayedAcks | null;
  readonly #queue: QueuedPacket[] = [];
  /** Time at which the last bit of the latest packet leaves, so the line is free, seconds. */
  #freeAt = 0;
  lineBytes = (packet: Buffer): number => packet.length;
  seen = nothingSeen();

  /** @param acks Holds back acknowledgments of the client, as BSD delayed them; null: none is held back */
  constructor(
    from: number,
    to: number,
    bitsPerSecond: number,
    settings: LinkRequest,
    acks: DelayedAcks | null = null,
  ) {
    this.from = from;
    this.to = to;
    this.#secondsPerByte = 8 / bitsPerSecond;
    this.#settings = settings;
    this.#acks = acks;
  }

  /** Seconds until a packet arrives or an acknowledgment that is held back may leave. */
  get wait(): number {
    const now = seconds();
    const arrival = (this.#queue[0]?.arrivesAt ?? Number.POSITIVE_INFINITY) - now;
    return Math.min(arrival, (this.#acks?.waitMs(now * 1e3) ?? Number.POSITIVE_INFINITY) / 1e3);
  }

  /** Takes the packets that the device sends. @param onTaken Called with each packet, also if it is dropped */
  take(onTaken: (packet: Buffer) => void): void {
    const beat = this.#acks?.beatsAt(seconds() * 1e3) ?? [];
    for (const packet of beat) this.#enter(packet, onTaken);
    for (;;) {
      const length = read(this.from, scratch, mostPacketBytes);
      if (length <= 0) return;
      if ((scratch[0] as number) >> 4 !== 4) continue; // a packet of IPv6, such as neighbour discovery
      const packet = Buffer.from(scratch.subarray(0, length));
      if (this.#acks === null || !isTcp(packet) || this.#acks.passes(packet)) {
        this.#enter(packet, onTaken);
      }
    }
  }

  #enter(packet: Buffer, onTaken: (packet: Buffer) => void): void {
    const { queuePackets, loss, reordering, delayMs, mtuBytes } = this.#settings;
    const at = seconds();
    const { counts } = this.seen;
    const { flags, dataBytes } = isTcp(packet) ? partsOf(packet) : noParts;
    counts.packets++;
    counts.bytes += packet.length;
    counts.headerBytes += packet.length - dataBytes;
    this.seen.firstTakenAt ||= at;
    if ((flags & synAck) === syn) this.seen.connections++;
    onTaken(packet);
    const waiting = this.#queue.findIndex(({ departsAt }) => departsAt > at);
    const isFull = waiting !== -1 && this.#queue.length - waiting >= queuePackets;
    if (isFull || Math.random() < loss) {
      counts.dropped++;
      return;
    }
    this.#freeAt = Math.max(this.#freeAt, at) + this.lineBytes(packet) * this.#secondsPerByte;
    const isOvertaken = Math.random() < reordering;
    const lateBy = isOvertaken ? Math.max(0.01, 4 * mtuBytes * this.#secondsPerByte) : 0;
    const arrivesAt = this.#freeAt + delayMs / 1e3 + lateBy;
    const before = this.#queue.findLastIndex((each) => each.arrivesAt <= arrivesAt);
    this.#queue.splice(before + 1, 0, { departsAt: this.#freeAt, arrivesAt, packet });
  }

  deliver(onDelivered: (packet: Buffer) => void): void {
    while ((this.#queue[0]?.arrivesAt ?? Number.POSITIVE_INFINITY) <= seconds()) {
      const { packet } = this.#queue.shift() as QueuedPacket;
      write(this.to, packet, packet.length);
      this.seen.firstDeliveredAt ||= seconds();
      if (isTcp(packet) && partsOf(packet).dataBytes > 0) this.seen.lastDataAt = seconds();
      onDelivered(packet);
    }
  }
}

const scratch = Buffer.alloc(mostPacketBytes);
/** Returns the counts before anything passed. The times, seconds, are those at which the first packet was taken, the
 *  first one delivered and the last data delivered; 0: none was. */
const nothingSeen = () => ({
  counts: { packets: 0, bytes: 0, headerBytes: 0, dropped: 0 } satisfies WireCounts,
  connections: 0,
  firstTakenAt: 0,
  firstDeliveredAt: 0,
  lastDataAt: 0,
});

const syn = 0x02;
const synAck = 0x12;
const noParts = { flags: 0, dataBytes: 0 };

function isTcp(packet: Buffer): boolean {
  return packet[9] === 6 && packet.length >= ((packet[0] as number) & 15) * 4 + 20;
}

const ip = (...args: string[]) =>
  execFileSync('ip', args, { stdio: ['ignore', 'pipe', 'inherit'] });

/** Makes a network namespace and moves a new TUN device there. @returns the device's descriptor, which stays valid */
function openEnd(name: string, address: string, { mtuBytes, initialWindow }: LinkRequest): number {
  const device = open('/dev/net/tun', readWriteNonBlocking);
  const request = Buffer.alloc(40);
  request.write(name);
  request.writeInt16LE(tunWithoutHeader, 16);
  if (device < 0 || ioctl(device, setInterface, request) < 0) {
    throw new Error('a TUN device cannot be made');
  }
  ip('netns', 'add', name);
  ip('link', 'set', name, 'netns', name);
  ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', name);
  ip('-n', name, 'link', 'set', name, 'mtu', String(mtuBytes), 'up');
  ip('-n', name, 'link', 'set', 'lo', 'up');
  const tcp = '/proc/sys/net/ipv4/tcp_';
  const cubic = `echo cubic 2>/dev/null > ${tcp}congestion_control`;
  ip('netns', 'exec', name, 'sh', '-c', `${cubic} || true; echo 1 > ${tcp}no_metrics_save`);
  if (initialWindow !== null) {
    const subnet = address.replace(/\d+$/, '0/24');
    const route = ['route', 'replace', subnet, 'dev', name, 'proto', 'kernel', 'scope', 'link'];
    ip('-n', name, ...route, 'src', address, 'initcwnd', String(initialWindow));
  }
  return device;
}

async function run(settings: LinkRequest): Promise<void> {
  const remove = () => {
    for (const name of [settings.client, settings.server]) {
      spawnSync('ip', ['netns', 'del', name], { stdio: 'ignore' }); // fails if the namespace was not made
    }
  };
  process.on('exit', remove);
  prctl(setTimerSlack, 1);
  const client = openEnd(settings.client, settings.clientAddress, settings);
  const server = openEnd(settings.server, settings.serverAddress, settings);
  const { delayedAckMs, mtuBytes } = settings;
  const acks = delayedAckMs > 0 ? new DelayedAcks(delayedAckMs, mtuBytes - headerBytes) : null;
  const up = new Wire(client, server, settings.upBitsPerSecond, settings, acks);
  const down = new Wire(server, client, settings.downBitsPerSecond, settings);
  if (settings.lineCoder !== undefined) {
    const { lineCoder } = await import(settings.lineCoder);
    for (const wire of [up, down]) wire.lineBytes = lineCoder();
  }
  const ignore = () => {};
  const record = settings.captureFile === undefined ? ignore : beginCapture(settings.captureFile);
  const arrive = (packet: Buffer) => {
    if (isTcp(packet)) acks?.seeFromServer(packet);
  };
  const polled = Buffer.alloc(24);
  [client, server, 0].forEach((descriptor, index) => {
    polled.writeInt32LE(descriptor, index * 8);
    polled.writeInt16LE(pollIn, index * 8 + 4);
  });
  const command = Buffer.alloc(64);
  writeSync(1, '{"isUp":true}\n');
  for (;;) {
    const wait = Math.min(Math.max(Math.min(up.wait, down.wait), 0), 1);
    const waitNs = BigInt(Math.round(wait * 1e9));
    ppoll(polled, 3, BigInt64Array.of(waitNs / 1_000_000_000n, waitNs % 1_000_000_000n), null);
    up.take(ignore);
    down.take(record);
    up.deliver(record);
    down.deliver(arrive);
    if (polled.readInt16LE(22) === 0) continue;
    if (read(0, command, command.length) <= 0) break;
    const [sent, received] = [up.seen, down.seen];
    const counts: LinkCounts = {
      up: sent.counts,
      down: received.counts,
      connections: sent.connections,
      firstPacketAtMs: sent.firstTakenAt * 1e3,
      firstReplyMs: (received.firstDeliveredAt - sent.firstTakenAt) * 1e3,
      lastDataMs: (received.lastDataAt - sent.firstTakenAt) * 1e3,
    };
    up.seen = nothingSeen();
    down.seen = nothingSeen();
    writeSync(1, `${JSON.stringify(counts)}\n`);
  }
  process.exit(0);
}

await run(JSON.parse(process.argv[2] ?? '{}'));
