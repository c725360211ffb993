// Reads the two formats of packet captures, pcap and pcapng, from chunks of a file: a frame at a time, in memory bounded
// by the largest block. Whatever the bytes are, it ends, with the reason when that is not the end of a whole file; frames
// before the reason count.
//
// Sources: draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng. A generator asks for so many bytes and gets exactly
// them, so that the code reads like the formats; `readCapture` cuts them out of the chunks.

/** What the capturing machine recorded at one moment: a packet of the link. */
export interface Frame {
  /** Since the first frame. */
  atMs: number;
  /** LINKTYPE_ value: what the first bytes are. */
  linkType: number;
  /** As many as were kept. */
  bytes: Buffer;
  /** How many were on the wire. */
  wireBytes: number;
}

export interface CaptureEnd {
  /** Of the first frame, since 1970; null: no frame has a time. */
  startedAtMs: number | null;
  /** The file ends within a packet; null: it does not. */
  cut: string | null;
  /** Why nothing behind a place was read; null: all was. */
  fault: string | null;
}

/** Neither libpcap nor Wireshark writes longer blocks. */
const mostBytes = 16 * 1024 * 1024;
const nsPerSecond = 1_000_000_000n;

class CaptureFault extends Error {}

/** Asks for a number of bytes. */
type Reading = Generator<number, void, Buffer>;

interface Interface {
  linkType: number;
  /** Bytes kept of a packet; 0: all. */
  snapBytes: number;
  ticksPerSecond: bigint;
  offsetSeconds: bigint;
}

/** @param onFrame false: no more is wanted. Its bytes are valid during the call */
export async function readCapture(
  chunks: AsyncIterable<Buffer>,
  onFrame: (frame: Frame) => boolean,
): Promise<CaptureEnd> {
  const reader = new Reader(onFrame);
  const reading = reader.file();
  let rest: Buffer = Buffer.alloc(0);
  try {
    let step = reading.next();
    for await (const chunk of chunks) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let at = 0;
      while (!step.done && rest.length - at >= step.value) {
        const taken = rest.subarray(at, at + step.value);
        at += taken.length;
        reader.offset += taken.length;
        step = reading.next(taken);
      }
      rest = rest.subarray(at);
      if (step.done) return reader.end(null, null);
    }
    const length = reader.offset + rest.length;
    if (length === 0) return reader.end(null, 'the file is empty');
    if (reader.recordAt === 0)
      return reader.end(null, `the file ends in its header, at byte ${length}`);
    if (length === reader.recordAt) return reader.end(null, null);
    const place = `the packet at byte ${reader.recordAt} is not whole`;
    return reader.end(`the file is cut off at byte ${length}: ${place}`, null);
  } catch (error) {
    if (error instanceof CaptureFault) return reader.end(null, error.message);
    throw error;
  }
}

class Reader {
  /** Bytes taken of the file. */
  offset = 0;
  /** Where the record in hand begins; 0: no header was read yet. */
  recordAt = 0;
  readonly #onFrame: (frame: Frame) => boolean;
  #isLittle = false;
  #firstNs: bigint | null = null;
  #lastMs = 0;

  constructor(onFrame: (frame: Frame) => boolean) {
    this.#onFrame = onFrame;
  }

  end(cut: string | null, fault: string | null): CaptureEnd {
    const startedAtMs = this.#firstNs === null ? null : Number(this.#firstNs / 1000n) / 1000;
    return { startedAtMs, cut, fault };
  }

  *file(): Reading {
    const magic = yield 4;
    const number = magic.readUInt32BE();
    const pcap = pcapMagic.get(number);
    if (pcap !== undefined) yield* this.#pcap(pcap);
    else if (number === sectionHeader) yield* this.#pcapng();
    else {
      const isGzip = magic[0] === 0x1f && magic[1] === 0x8b;
      const why = isGzip ? 'is compressed: unpack it first' : 'is neither pcap nor pcapng';
      throw new CaptureFault(`the file ${why} (it begins with ${magic.toString('hex')})`);
    }
  }

  *#pcap({ isLittle, nsPerTick }: { isLittle: boolean; nsPerTick: bigint }): Reading {
    this.#isLittle = isLittle;
    const header = yield 20;
    // The upper bits say how long a check sum is that follows each frame.
    const linkType = this.#u32(header, 16) & 0xffff;
    for (;;) {
      this.recordAt = this.offset;
      const head = yield 16;
      const [seconds, ticks] = [BigInt(this.#u32(head, 0)), BigInt(this.#u32(head, 4))];
      const [kept, wireBytes] = [this.#u32(head, 8), this.#u32(head, 12)];
      if (kept > mostBytes) this.#fail(`a packet of ${kept} bytes; at most ${mostBytes} are read`);
      const bytes = yield kept;
      const atNs = seconds * nsPerSecond + ticks * nsPerTick;
      if (!this.#emit(linkType, atNs, bytes, wireBytes)) return;
    }
  }

  *#pcapng(): Reading {
    let interfaces: Interface[] = [];
    // The type of the first block was read to find out the format.
    for (let isFirst = true; ; isFirst = false) {
      const type = isFirst ? sectionHeader : yield* this.#blockType();
      const length = yield 4;
      if (type === sectionHeader) {
        const order = (yield 4).readUInt32BE();
        this.#isLittle = order === 0x4d3c2b1a;
        if (!this.#isLittle && order !== 0x1a2b3c4d) this.#fail('a section has no byte order');
        interfaces = [];
      }
      const total = this.#u32(length, 0);
      const taken = type === sectionHeader ? 12 : 8;
      if (total > mostBytes) this.#fail(`a block of ${total} bytes; at most ${mostBytes} are read`);
      if (total % 4 !== 0 || total < taken + 4) this.#fail(`a block has the length ${total}`);
      const body = yield total - taken;
      if (this.#u32(body, body.length - 4) !== total) {
        this.#fail(`a block of ${total} bytes ends with another length`);
      }
      const content = body.subarray(0, -4);
      if (type === 1) interfaces.push(this.#interface(content));
      else if (type === 3 || type === 6) {
        if (!this.#packet(type, content, interfaces)) return;
      }
      this.recordAt = this.offset;
    }
  }

  *#blockType(): Generator<number, number, Buffer> {
    return this.#u32(yield 4, 0);
  }

  #interface(body: Buffer): Interface {
    if (body.length < 8) this.#fail('the description of an interface is too short');
    const [linkType, snapBytes] = [this.#u16(body, 0), this.#u32(body, 4)];
    let [ticksPerSecond, offsetSeconds] = [1_000_000n, 0n];
    for (let at = 8; at + 4 <= body.length; ) {
      const [option, length] = [this.#u16(body, at), this.#u16(body, at + 2)];
      at += 4;
      if (option === 0) break;
      if (at + length > body.length) this.#fail('an option of an interface is too long');
      if (option === 9 && length === 1) {
        const resolution = body.readUInt8(at);
        const exponent = BigInt(resolution & 0x7f);
        ticksPerSecond = (resolution & 0x80 ? 2n : 10n) ** exponent;
      } else if (option === 14 && length === 8) {
        offsetSeconds = this.#isLittle ? body.readBigInt64LE(at) : body.readBigInt64BE(at);
      }
      at += Math.ceil(length / 4) * 4;
    }
    return { linkType, snapBytes, ticksPerSecond, offsetSeconds };
  }

  /** Type 3 is the simple packet block, 6 the enhanced one. */
  #packet(type: 3 | 6, body: Buffer, interfaces: readonly Interface[]): boolean {
    const headBytes = type === 3 ? 4 : 20;
    if (body.length < headBytes) this.#fail('a block is too short for a packet');
    const which = type === 3 ? 0 : this.#u32(body, 0);
    const from = interfaces[which];
    if (from === undefined)
      return this.#fail(`a packet of the interface ${which}, which is not described`);
    const wireBytes = this.#u32(body, type === 3 ? 0 : 16);
    const whole = Math.min(wireBytes, body.length - headBytes, from.snapBytes || wireBytes);
    const kept = type === 3 ? whole : this.#u32(body, 12);
    if (kept > body.length - headBytes) this.#fail(`a packet of ${kept} bytes in a shorter block`);
    const bytes = body.subarray(headBytes, headBytes + kept);
    if (type === 3) return this.#emit(from.linkType, null, bytes, wireBytes);
    const ticks = (BigInt(this.#u32(body, 4)) << 32n) | BigInt(this.#u32(body, 8));
    const fromStart = (ticks * nsPerSecond) / from.ticksPerSecond;
    const atNs = from.offsetSeconds * nsPerSecond + fromStart;
    return this.#emit(from.linkType, atNs, bytes, wireBytes);
  }

  /** @param atNs null: as the frame before, because a simple packet block has no time */
  #emit(linkType: number, atNs: bigint | null, bytes: Buffer, wireBytes: number): boolean {
    if (!linkTypes.has(linkType)) {
      const known = 'Ethernet, raw IP, Linux cooked and loopback are read';
      this.#fail(`a packet of the link type ${linkType}; ${known}`);
    }
    if (atNs !== null) {
      this.#firstNs ??= atNs;
      this.#lastMs = Number(atNs - this.#firstNs) / 1e6;
    }
    return this.#onFrame({ atMs: this.#lastMs, linkType, bytes, wireBytes });
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

const sectionHeader = 0x0a0d0d0a;
const pcapMagic = new Map([
  [0xa1b2c3d4, { isLittle: false, nsPerTick: 1000n }],
  [0xd4c3b2a1, { isLittle: true, nsPerTick: 1000n }],
  [0xa1b23c4d, { isLittle: false, nsPerTick: 1n }],
  [0x4d3cb2a1, { isLittle: true, nsPerTick: 1n }],
]);
/** Those that `segmentOf` takes apart. */
const linkTypes = new Set([0, 1, 101, 108, 113, 228, 229, 276]);
