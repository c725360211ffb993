// An emulated link between two network namespaces, with the kernel's own TCP at both ends: `node link-process.ts JSON`.
//
// Each namespace has a TUN device. This process reads what one device sends, delays it like the wire, and writes it to the
// other device. Each direction is an ordered queue: a packet waits for those before it, then takes its bits / rate to
// leave, then the delay to arrive. `queuePackets` wait to leave; further packets are dropped, as by a router. Only the IP
// packet's bytes count.
//
// It blocks in ppoll, so it has no event loop: commands come by standard input, a line each, and are answered by a line of
// JSON: `counts` tells what passed since the last. The end of the input ends it, and so does the parent's death; the
// namespaces are removed then.

import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { LinkSettings } from './links.ts';

export interface LinkRequest extends LinkSettings {
  /** Names of the namespaces, which are their devices' too. */
  client: string;
  server: string;
  clientAddress: string;
  serverAddress: string;
  /** Each packet is written here, as a capture (pcap) at the server. */
  captureFile?: string;
}

export interface WireCounts {
  packets: number;
  /** IP packets with their headers. */
  bytes: number;
  /** Of IP and TCP. */
  headerBytes: number;
  dropped: number;
}

export interface LinkCounts {
  up: WireCounts;
  down: WireCounts;
  /** Connections that the client began. */
  connections: number;
}

interface Packet {
  departsAt: number;
  arrivesAt: number;
  bytes: Buffer;
}

const koffi = createRequire(import.meta.url)('koffi');
const libc = koffi.load('libc.so.6');
const open = libc.func('int open(const char *path, int flags)');
const ioctl = libc.func('int ioctl(int fd, ulong request, void *argument)');
const read = libc.func('long read(int fd, void *bytes, ulong count)');
const write = libc.func('long write(int fd, const void *bytes, ulong count)');
const ppoll = libc.func('int ppoll(void *fds, ulong count, void *timeout, void *mask)');
const prctl = libc.func('int prctl(int option, ulong argument)');

const readWriteNonBlocking = 0o2 | 0o4000 | 0o2000000; // O_RDWR, O_NONBLOCK, O_CLOEXEC
const setInterface = 0x400454ca; // TUNSETIFF
const tunWithoutHeader = 0x1001; // IFF_TUN, IFF_NO_PI
const setTimerSlack = 29; // PR_SET_TIMERSLACK; the default would add 50 us to each packet
const pollIn = 1;
const mostPacketBytes = 1500;

const seconds = (): number => Number(process.hrtime.bigint()) / 1e9;

class Wire {
  readonly from: number;
  readonly to: number;
  readonly #secondsPerByte: number;
  readonly #settings: LinkRequest;
  readonly #queue: Packet[] = [];
  /** When the last bit of the newest packet leaves. */
  #freeAt = 0;
  counts: WireCounts = noPackets();
  connections = 0;

  constructor(from: number, to: number, bitsPerSecond: number, settings: LinkRequest) {
    this.from = from;
    this.to = to;
    this.#secondsPerByte = 8 / bitsPerSecond;
    this.#settings = settings;
  }

  get nextArrival(): number {
    return this.#queue[0]?.arrivesAt ?? Number.POSITIVE_INFINITY;
  }

  /** Takes what the device sends. @param onTaken Called with each packet, also if it is then dropped */
  take(onTaken: (packet: Buffer) => void): void {
    const { queuePackets, loss, delayMs } = this.#settings;
    for (;;) {
      const length = read(this.from, scratch, mostPacketBytes);
      if (length <= 0) return;
      if ((scratch[0] as number) >> 4 !== 4) continue; // neighbour discovery of IPv6
      const at = seconds();
      const bytes = Buffer.from(scratch.subarray(0, length));
      const { counts } = this;
      counts.packets++;
      counts.bytes += length;
      counts.headerBytes += length - dataBytes(bytes);
      if (isSyn(bytes)) this.connections++;
      onTaken(bytes);
      const waiting = this.#queue.findIndex(({ departsAt }) => departsAt > at);
      const isFull = waiting !== -1 && this.#queue.length - waiting >= queuePackets;
      if (isFull || (loss > 0 && Math.random() < loss)) {
        counts.dropped++;
        continue;
      }
      this.#freeAt = Math.max(this.#freeAt, at) + length * this.#secondsPerByte;
      const arrivesAt = this.#freeAt + delayMs / 1e3;
      this.#queue.push({ departsAt: this.#freeAt, arrivesAt, bytes });
    }
  }

  deliver(onDelivered: (packet: Buffer) => void): void {
    while (this.nextArrival <= seconds()) {
      const { bytes } = this.#queue.shift() as Packet;
      write(this.to, bytes, bytes.length);
      onDelivered(bytes);
    }
  }

  reset(): void {
    this.counts = noPackets();
    this.connections = 0;
  }
}

const scratch = Buffer.alloc(mostPacketBytes);
const noPackets = (): WireCounts => ({ packets: 0, bytes: 0, headerBytes: 0, dropped: 0 });

/** Bytes of TCP's payload. */
function dataBytes(packet: Buffer): number {
  const ipHeader = ((packet[0] as number) & 15) * 4;
  if (packet[9] !== 6 || packet.length < ipHeader + 20) return 0;
  return packet.length - ipHeader - ((packet[ipHeader + 12] as number) >> 4) * 4;
}

/** The first packet of a connection: SYN without ACK. */
function isSyn(packet: Buffer): boolean {
  const ipHeader = ((packet[0] as number) & 15) * 4;
  return packet[9] === 6 && ((packet[ipHeader + 13] ?? 0) & 0x12) === 0x02;
}

/** Writes packets as a capture of raw IP packets. */
class Capture {
  readonly #file: number;
  /** Nanoseconds since 1970 at which the monotonic clock began. */
  readonly #startedAt = BigInt(Date.now()) * 1_000_000n - process.hrtime.bigint();

  constructor(path: string) {
    this.#file = openSync(path, 'w', 0o600);
    const head = Buffer.alloc(24);
    head.writeUInt32LE(0xa1b23c4d, 0); // nanoseconds
    head.writeUInt16LE(2, 4);
    head.writeUInt16LE(4, 6);
    head.writeUInt32LE(65_535, 16);
    head.writeUInt32LE(101, 20); // raw IP
    writeSync(this.#file, head);
  }

  add(packet: Buffer): void {
    const now = this.#startedAt + process.hrtime.bigint();
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

const ip = (...args: string[]) =>
  execFileSync('ip', args, { stdio: ['ignore', 'pipe', 'inherit'] });

/** The device of a new namespace. The descriptor stays good when its device moves there. */
function openEnd(name: string, address: string): number {
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
  ip('-n', name, 'link', 'set', name, 'up');
  ip('-n', name, 'link', 'set', 'lo', 'up');
  return device;
}

function run(settings: LinkRequest): void {
  const remove = () => {
    for (const name of [settings.client, settings.server]) {
      try {
        execFileSync('ip', ['netns', 'del', name], { stdio: 'ignore' });
      } catch {} // it was not made
    }
  };
  process.on('exit', remove);
  prctl(setTimerSlack, 1);
  const client = openEnd(settings.client, settings.clientAddress);
  const server = openEnd(settings.server, settings.serverAddress);
  const up = new Wire(client, server, settings.upBitsPerSecond, settings);
  const down = new Wire(server, client, settings.downBitsPerSecond, settings);
  const capture = settings.captureFile === undefined ? null : new Capture(settings.captureFile);
  const record = (packet: Buffer) => capture?.add(packet);
  const ignore = () => {};
  const polled = Buffer.alloc(24);
  [client, server, 0].forEach((descriptor, index) => {
    polled.writeInt32LE(descriptor, index * 8);
    polled.writeInt16LE(pollIn, index * 8 + 4);
  });
  const command = Buffer.alloc(64);
  writeSync(1, '{"isUp":true}\n');
  for (;;) {
    const wait = Math.min(Math.max(Math.min(up.nextArrival, down.nextArrival) - seconds(), 0), 1);
    const timeout = new BigInt64Array([
      BigInt(Math.trunc(wait)),
      BigInt(Math.round((wait % 1) * 1e9)),
    ]);
    ppoll(polled, 3, timeout, null);
    up.take(ignore);
    down.take(record);
    up.deliver(record);
    down.deliver(ignore);
    if (polled.readInt16LE(22) === 0) continue;
    if (read(0, command, command.length) <= 0) break;
    const counts: LinkCounts = {
      up: up.counts,
      down: down.counts,
      connections: up.connections,
    };
    up.reset();
    down.reset();
    writeSync(1, `${JSON.stringify(counts)}\n`);
  }
  capture?.close();
  process.exit(0);
}

run(JSON.parse(process.argv[2] ?? '{}'));
