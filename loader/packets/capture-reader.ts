// Reads the two formats of packet captures, pcap and pcapng, from chunks of a file: a frame at a time, in memory
// bounded by the largest block. Whatever the bytes are, reading ends; if it ends before the end of a whole file, the
// reason is given, and the frames read until then count.
//
// Sources: draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng. A generator yields a number of bytes and gets exactly
// as many, so that the code reads like the formats; `readCapture` cuts them out of the chunks.

/** A packet of the link layer, as the capturing machine recorded it. */
export interface Frame {
  /** Time of the frame since the first frame, ms. */
  atMs: number;
  /** LINKTYPE_ value, which says with what header the frame begins. */
  linkType: number;
  /** As many bytes of the frame as the capture kept; the buffer is valid until the next frame. */
  bytes: Buffer;
  /** Length of the frame on the wire, bytes. */
  wireBytes: number;
}

export interface CaptureEnd {
  /** Time of the first frame, ms since 1970; null: no frame has a time. */
  startedAtMs: number | null;
  /** Says that the file ends within a packet, and where; null: it ends after a whole one. */
  cut: string | null;
  /** Why nothing after a certain place of the file was read; null: no such fault was found. */
  fault: string | null;
}

interface Interface {
  linkType: number;
  /** Limit on the bytes that are kept of a packet; 0: all are kept. */
  snapBytes: number;
  ticksPerSecond: bigint;
  offsetNs: bigint;
}

/** Reads a format by asking for bytes: it yields the number of bytes that it needs next, and `next` passes these in. */
type CaptureReading = Generator<number, void, Buffer>;

/** Limit on the length of a block or packet, bytes: neither libpcap nor Wireshark writes longer blocks. */
const mostBytes = 16 * 1024 * 1024;
const nsPerSecond = 1_000_000_000n;
/** The link types that `segmentOf` takes apart. */
const linkTypes = new Set([0, 1, 101, 108, 113, 228, 229, 276]);
const sectionHeader = 0x0a0d0d0a;
const pcapMagic = new Map([
  [0xa1b2c3d4, { isLittle: false, nsPerTick: 1000n }],
  [0xd4c3b2a1, { isLittle: true, nsPerTick: 1000n }],
  [0xa1b23c4d, { isLittle: false, nsPerTick: 1n }],
  [0x4d3cb2a1, { isLittle: true, nsPerTick: 1n }],
]);

class CaptureFault extends Error {}

/** Reads a capture from the chunks of its file. @param onFrame Gets each frame; returns false to stop reading */
export async function readCapture(
  chunks: AsyncIterable<Buffer>,
  onFrame: (frame: Frame) => boolean,
): Promise<CaptureEnd> {
  const reader = new Reader(onFrame);
  const reading = reader.file();
  let rest: Buffer = Buffer.alloc(0);
  const end = (cut: string | null, fault: string | null): CaptureEnd => {
    const ns = reader.firstNs;
    return { startedAtMs: ns === null ? null : Number(ns / 1000n) / 1000, cut, fault };
  };
  try {
    let step = reading.next();
    for await (const chunk of chunks) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      while (!step.done && rest.length >= step.value) {
        const taken = rest.subarray(0, step.value);
        rest = rest.subarray(taken.length);
        reader.offset += taken.length;
        step = reading.next(taken);
      }
      if (step.done) return end(null, null);
    }
  } catch (error) {
    if (error instanceof CaptureFault) return end(null, error.message);
    throw error;
  }
  const { offset, recordAt } = reader;
  const length = offset + rest.length;
  if (length === 0) return end(null, 'the file is empty');
  if (recordAt === 0) return end(null, `the file ends in its header, at byte ${length}`);
  if (length === recordAt) return end(null, null);
  const what = `the packet at byte ${recordAt} is not whole`;
  return end(`the file is cut off at byte ${length}: ${what}`, null);
}

class Reader {
  /** Number of bytes of the file that have been read. */
  offset = 0;
  /** Offset in the file, bytes, at which the current record begins; 0: the file's header has not been read yet. */
  recordAt = 0;
  firstNs: bigint | null = null;
  #lastMs = 0;
  #isLittle = false;
  readonly #onFrame: (frame: Frame) => boolean;

  constructor(onFrame: (frame: Frame) => boolean) {
    this.#onFrame = onFrame;
  }

  *file(): CaptureReading {
    const magic = yield 4;
    const pcap = pcapMagic.get(magic.readUInt32BE());
    if (pcap !== undefined) yield* this.#pcap(pcap.isLittle, pcap.nsPerTick);
    else if (magic.readUInt32BE() === sectionHeader) yield* this.#pcapng();
    else {
      const isGzip = magic.readUInt16BE() === 0x1f8b;
      const why = isGzip ? 'is compressed: unpack it first' : 'is neither pcap nor pcapng';
      throw new CaptureFault(`the file ${why} (it begins with ${magic.toString('hex')})`);
    }
  }

  *#pcap(isLittle: boolean, nsPerTick: bigint): CaptureReading {
    this.#isLittle = isLittle;
    // The upper bits of the field are not the link type: they say how long the check sum after each frame is.
    const linkType = this.#u32(yield 20, 16) & 0xffff;
    for (;;) {
      this.recordAt = this.offset;
      const head = yield 16;
      const atNs =
        BigInt(this.#u32(head, 0)) * nsPerSecond + BigInt(this.#u32(head, 4)) * nsPerTick;
      const [kept, wireBytes] = [this.#u32(head, 8), this.#u32(head, 12)];
      this.#limit('packet', kept);
      if (!this.#emit(linkType, atNs, yield kept, wireBytes)) return;
    }
  }

  *#pcapng(): CaptureReading {
    let interfaces: Interface[] = [];
    // The type of the first block has already been read, because it tells the format.
    for (let isFirst = true; ; isFirst = false) {
      const type = isFirst ? sectionHeader : this.#u32(yield 4, 0);
      const length = yield 4;
      const isSection = type === sectionHeader;
      if (isSection) {
        const order = (yield 4).readUInt32BE();
        this.#isLittle = order === 0x4d3c2b1a;
        if (!this.#isLittle && order !== 0x1a2b3c4d) this.#fail('a section has no byte order');
        interfaces = [];
      }
      const total = this.#u32(length, 0);
      this.#limit('block', total);
      if (total % 4 !== 0 || total < (isSection ? 16 : 12))
        this.#fail(`a block has the length ${total}`);
      const body = yield total - (isSection ? 12 : 8);
      if (this.#u32(body, body.length - 4) !== total) {
        this.#fail(`a block of ${total} bytes ends with another length`);
      }
      const content = body.subarray(0, -4);
      if (type === 1) interfaces.push(this.#interface(content));
      const isPacket = type === 3 || type === 6;
      if (isPacket && !this.#packet(type === 3, content, interfaces)) return;
      this.recordAt = this.offset;
    }
  }

  #interface(body: Buffer): Interface {
    if (body.length < 8) this.#fail('the description of an interface is too short');
    const [linkType, snapBytes] = [this.#u16(body, 0), this.#u32(body, 4)];
    const found: Interface = { linkType, snapBytes, ticksPerSecond: 1_000_000n, offsetNs: 0n };
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

  /** Reads a simple or an enhanced packet block. @returns false if no more frames are wanted */
  #packet(isSimple: boolean, body: Buffer, interfaces: readonly Interface[]): boolean {
    const headBytes = isSimple ? 4 : 20;
    const mostKept = body.length - headBytes;
    if (mostKept < 0) this.#fail('a block is too short for a packet');
    const which = isSimple ? 0 : this.#u32(body, 0);
    const from = interfaces[which];
    if (!from) return this.#fail(`a packet of the interface ${which}, which is not described`);
    const wireBytes = this.#u32(body, headBytes - 4);
    const whole = Math.min(wireBytes, mostKept, from.snapBytes || wireBytes);
    const kept = isSimple ? whole : this.#u32(body, 12);
    if (kept > mostKept) this.#fail(`a packet of ${kept} bytes in a shorter block`);
    const bytes = body.subarray(headBytes, headBytes + kept);
    if (isSimple) return this.#emit(from.linkType, null, bytes, wireBytes);
    const ticks = (BigInt(this.#u32(body, 4)) << 32n) | BigInt(this.#u32(body, 8));
    const atNs = from.offsetNs + (ticks * nsPerSecond) / from.ticksPerSecond;
    return this.#emit(from.linkType, atNs, bytes, wireBytes);
  }

  /** Passes a frame on. @param atNs Its time; null: as the frame before, since a simple packet block has none */
  #emit(linkType: number, atNs: bigint | null, bytes: Buffer, wireBytes: number): boolean {
    if (!linkTypes.has(linkType)) {
      const known = 'Ethernet, raw IP, Linux cooked and loopback are read';
      this.#fail(`a packet of the link type ${linkType}; ${known}`);
    }
    if (atNs !== null) {
      this.firstNs ??= atNs;
      this.#lastMs = Number(atNs - this.firstNs) / 1e6;
    }
    return this.#onFrame({ atMs: this.#lastMs, linkType, bytes, wireBytes });
  }

  #limit(what: string, length: number): void {
    if (length > mostBytes)
      this.#fail(`a ${what} of ${length} bytes; at most ${mostBytes} are read`);
  }

  #fail(what: string): never {
    throw new CaptureFault(`at byte ${this.recordAt}: ${what}`);
  }

  #u16(bytes: Buffer, at: number): number {
    return this.#isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
  }

  #u32(bytes: Buffer, at: number): number {
    return this.#isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
  }
}
