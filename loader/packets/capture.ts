// Reads a capture: its TCP connections, and the number of frames that belong to none. Both formats, pcap and pcapng,
// are read from chunks of a file, a frame at a time, in memory bounded by the largest block. Whatever the bytes are,
// reading ends; if the file is cut or faulty, the result tells the reason, and the frames before the fault count.
//
// Sources: draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng. A generator yields a number of bytes and gets exactly
// as many, so that the code reads like the formats; `framesIn` cuts them out of the chunks.

import { type TcpConnection, TcpConnections } from './connections.ts';
import { type Frame, linkHeaders, segmentOf } from './segment.ts';

export type Capture = Awaited<ReturnType<typeof captureOf>>;

export const mostPackets = 1_000_000;

/** Reads a capture from the chunks of its file. @param most Limit on the packets that are read */
export async function captureOf(chunks: AsyncIterable<Buffer>, most = mostPackets) {
  const connections = new TcpConnections();
  const capture = {
    /** Time of the first frame, ms since 1970; null: there is none. */
    startedAtMs: null as number | null,
    /** Says that the file ends within a packet, and where; null: it ends after a whole one. */
    cut: null as string | null,
    /** Why nothing after a certain place of the file was read; null: no such fault was found. */
    fault: null as string | null,
    /** The TCP connections, in the order of their first packets. */
    connections: connections.all as readonly TcpConnection[],
    frames: 0,
    /** Number of frames that are no TCP segment, by reason. */
    skipped: { other: 0, fragment: 0, short: 0 },
    /** Whether reading ended at the limit on packets, before the end of the file. */
    isLimited: false,
  };
  const reader = new CaptureReader();
  let firstNs: bigint | null = null;
  try {
    for await (const chunk of chunks) {
      for (const frame of reader.framesIn(chunk)) {
        capture.isLimited = capture.frames === most;
        if (capture.isLimited) return capture;
        capture.frames++;
        firstNs ??= frame.atNs;
        capture.startedAtMs ??= Number(firstNs / 1000n) / 1000;
        const segment = segmentOf(frame);
        if (typeof segment === 'string') capture.skipped[segment]++;
        else connections.add(segment, Number(frame.atNs - firstNs) / 1e6);
      }
    }
    capture.cut = reader.cut();
  } catch (error) {
    if (!(error instanceof CaptureFault)) throw error;
    capture.fault = error.message;
  }
  return capture;
}

/** Tells why a file could not be read, or only in part. */
class CaptureFault extends Error {}

/** A generator that reads a format: it yields the number of bytes that it needs next, and `next` passes them in. */
type Reading = Generator<number, never, Buffer>;

/** What a pcapng file says of the interface by which packets were captured. */
type Interface = { linkType: number; ticksPerSecond: bigint; offsetNs: bigint };

/** Limit on the length of a block or packet, bytes: neither libpcap nor Wireshark writes longer blocks. */
const mostBytes = 16 * 1024 * 1024;
const nsPerSecond = 1_000_000_000n;
const sectionHeader = 0x0a0d0d0a;
const [interfaceBlock, simplePacket, enhancedPacket] = [1, 3, 6];
/** Magic numbers of pcap, as they are read with the byte order of the file, and the ticks of each in a second. */
const pcapTicks = new Map([
  [0xa1b2c3d4, 1_000_000n],
  [0xa1b23c4d, nsPerSecond],
]);

/** Reads the frames of a capture from the chunks of its file. */
class CaptureReader {
  /** Number of bytes of the file that have been read. */
  #offset = 0;
  /** Offset in the file, bytes, at which the current record begins; 0: the file's header has not been read yet. */
  #recordAt = 0;
  readonly #reading = this.#file();
  /** Number of bytes that `#reading` needs next, and the bytes of the file that it has not got yet. */
  #needed = this.#reading.next().value;
  #rest: Buffer = Buffer.alloc(0);
  /** The frame that has just been read; null: there is none. */
  #frame: Frame | null = null;
  #isLittle = false;

  /** Yields the frames that end in this chunk. @throws CaptureFault */
  *framesIn(chunk: Buffer): Generator<Frame> {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= this.#needed) {
      const taken = this.#rest.subarray(0, this.#needed);
      this.#rest = this.#rest.subarray(taken.length);
      this.#offset += taken.length;
      this.#frame = null;
      this.#needed = this.#reading.next(taken).value;
      if (this.#frame !== null) yield this.#frame;
    }
  }

  /** Says that the file ends within a packet, and where; null: it ends after a whole one. @throws CaptureFault */
  cut(): string | null {
    const [recordAt, length] = [this.#recordAt, this.#offset + this.#rest.length];
    if (length === 0) throw new CaptureFault('the file is empty');
    if (recordAt === 0) throw new CaptureFault(`the file ends in its header, at byte ${length}`);
    if (length === recordAt) return null;
    return `the file is cut off at byte ${length}: the packet at byte ${recordAt} is not whole`;
  }

  *#file(): Reading {
    const magic: Buffer = yield 4;
    const isSection = magic.readUInt32BE() === sectionHeader;
    this.#isLittle = pcapTicks.has(magic.readUInt32LE());
    const ticksPerSecond = pcapTicks.get(this.#u32(magic));
    if (ticksPerSecond !== undefined) yield* this.#pcap(ticksPerSecond);
    if (isSection) yield* this.#pcapng();
    const isGzip = magic.readUInt16BE() === 0x1f8b;
    const why = isGzip ? 'is compressed: unpack it first' : 'is neither pcap nor pcapng';
    throw new CaptureFault(`the file ${why} (it begins with ${magic.toString('hex')})`);
  }

  *#pcap(ticksPerSecond: bigint): Reading {
    // The upper bits of the field are not the link type: they say how long the check sum after each frame is.
    const linkType = this.#u32(yield 20, 16) & 0xffff;
    for (;;) {
      this.#recordAt = this.#offset;
      const head = yield 16;
      const [seconds, ticks] = [BigInt(this.#u32(head)), BigInt(this.#u32(head, 4))];
      const atNs = seconds * nsPerSecond + (ticks * nsPerSecond) / ticksPerSecond;
      const [kept, wireBytes] = [this.#u32(head, 8), this.#u32(head, 12)];
      this.#limit('packet', kept);
      this.#found({ atNs, linkType, bytes: yield kept, wireBytes });
    }
  }

  *#pcapng(): Reading {
    let interfaces: Interface[] = [];
    // The type of the first block has already been read, because it tells the format.
    for (let type = sectionHeader; ; type = this.#u32(yield 4)) {
      const length = yield 4;
      const isSection = type === sectionHeader;
      if (isSection) {
        const order = (yield 4).readUInt32BE();
        this.#isLittle = order === 0x4d3c2b1a;
        if (!this.#isLittle && order !== 0x1a2b3c4d) this.#fail('a section has no byte order');
        interfaces = [];
      }
      const total = this.#u32(length);
      this.#limit('block', total);
      const frameBytes = isSection ? 16 : 12;
      if (total % 4 !== 0 || total < frameBytes) this.#fail(`a block has the length ${total}`);
      const body = yield total - frameBytes;
      const end = this.#u32(yield 4);
      if (end !== total) this.#fail(`a block of ${total} bytes ends with another length`);
      if (type === interfaceBlock) interfaces.push(this.#interface(body));
      if (type === simplePacket) this.#fail('a packet without a time');
      if (type === enhancedPacket) this.#packet(body, interfaces);
      this.#recordAt = this.#offset;
    }
  }

  #interface(body: Buffer): Interface {
    if (body.length < 8) this.#fail('the description of an interface is too short');
    const found = { linkType: this.#u16(body), ticksPerSecond: 1_000_000n, offsetNs: 0n };
    for (let at = 8; at + 4 <= body.length && this.#u16(body, at) !== 0; ) {
      const [option, length] = [this.#u16(body, at), this.#u16(body, at + 2)];
      const value = body.subarray(at + 4, at + 4 + length);
      if (value.length < length) this.#fail('an option of an interface is too long');
      if (option === 9 && length === 1) {
        const resolution = value.readUInt8();
        found.ticksPerSecond = (resolution & 0x80 ? 2n : 10n) ** BigInt(resolution & 0x7f);
      } else if (option === 14 && length === 8) {
        const seconds = this.#isLittle ? value.readBigInt64LE() : value.readBigInt64BE();
        found.offsetNs = seconds * nsPerSecond;
      }
      at += 4 + Math.ceil(length / 4) * 4;
    }
    return found;
  }

  /** Reads a packet of a pcapng file (an enhanced packet block). */
  #packet(body: Buffer, interfaces: readonly Interface[]): void {
    const bytes = body.subarray(20);
    if (body.length < 20) this.#fail('a block is too short for a packet');
    const id = this.#u32(body);
    const { linkType, ticksPerSecond, offsetNs } =
      interfaces[id] ?? this.#fail(`a packet of the interface ${id}, which is not described`);
    const ticks = (BigInt(this.#u32(body, 4)) << 32n) | BigInt(this.#u32(body, 8));
    const [kept, wireBytes] = [this.#u32(body, 12), this.#u32(body, 16)];
    if (kept > bytes.length) this.#fail(`a packet of ${kept} bytes in a shorter block`);
    const atNs = offsetNs + (ticks * nsPerSecond) / ticksPerSecond;
    this.#found({ atNs, linkType, bytes: bytes.subarray(0, kept), wireBytes });
  }

  #found(frame: Frame): void {
    this.#frame = frame;
    if (linkHeaders[frame.linkType] !== undefined) return;
    const known = 'Ethernet, raw IP, Linux cooked and loopback are read';
    this.#fail(`a packet of the link type ${frame.linkType}; ${known}`);
  }

  #limit(what: string, length: number): void {
    if (length > mostBytes)
      this.#fail(`a ${what} of ${length} bytes; at most ${mostBytes} are read`);
  }

  #fail(what: string): never {
    throw new CaptureFault(`at byte ${this.#recordAt}: ${what}`);
  }

  #u16(bytes: Buffer, at = 0): number {
    return this.#isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
  }

  #u32(bytes: Buffer, at = 0): number {
    return this.#isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
  }
}
