// The acknowledgments of a client whose kernel delays them as BSD did: at once for every second full segment, for the
// end of a connection, and for what came twice; else at the next beat of a clock, with all that came until then
// (RFC 1122 4.2.3.2; Stevens, TCP/IP Illustrated 1, 19.3). The kernel at hand acknowledges sooner, so its early
// acknowledgments are held back here.

const acknowledgment = 0x10;

interface Line {
  /** Acknowledged to the server so far. */
  passed: number;
  held: Buffer | null;
  /** End of the server's last segment of data with a FIN, which is acknowledged at once; null: none yet. */
  end: number | null;
}

export class DelayedAcks {
  readonly #beatMs: number;
  readonly #fullSegments: number;
  readonly #lines = new Map<number, Line>();
  #nextBeatMs = 0;

  /** @param segmentBytes Data of a full segment */
  constructor(beatMs: number, segmentBytes: number) {
    this.#beatMs = beatMs;
    this.#fullSegments = 2 * segmentBytes;
  }

  /** @param packet Of TCP, from the server */
  seeFromServer(packet: Buffer): void {
    const { tcp, flags, dataBytes } = partsOf(packet);
    if ((flags & 1) === 0) return;
    const line = this.#lines.get(packet.readUInt16BE(tcp + 2));
    if (line !== undefined) line.end = (packet.readUInt32BE(tcp + 4) + dataBytes + 1) >>> 0;
  }

  /** @param packet Of TCP, from the client @returns true if it leaves now */
  passes(packet: Buffer): boolean {
    const { tcp, flags, dataBytes } = partsOf(packet);
    const port = packet.readUInt16BE(tcp);
    const number = packet.readUInt32BE(tcp + 8);
    const line = this.#lines.get(port);
    const isPure = flags === acknowledgment && dataBytes === 0;
    const news = line === undefined ? 0 : (number - line.passed) >>> 0;
    const waits = isPure && news > 0 && news < this.#fullSegments && number !== line?.end;
    if (line === undefined || !waits) {
      this.#lines.set(port, { passed: number, held: null, end: line?.end ?? null });
      return true;
    }
    line.held = packet;
    return false;
  }

  /** Ms until the next beat; Infinity if nothing is held. */
  waitMs(nowMs: number): number {
    const isHolding = [...this.#lines.values()].some(({ held }) => held !== null);
    return isHolding ? this.#nextBeatMs - nowMs : Number.POSITIVE_INFINITY;
  }

  /** What leaves at a beat; nothing between two. */
  beatsAt(nowMs: number): Buffer[] {
    if (nowMs < this.#nextBeatMs) return [];
    this.#nextBeatMs = nowMs - (nowMs % this.#beatMs) + this.#beatMs;
    return [...this.#lines.values()].flatMap((line) => {
      const { held } = line;
      if (held === null) return [];
      line.held = null;
      line.passed = held.readUInt32BE(partsOf(held).tcp + 8);
      return held;
    });
  }
}

interface TcpParts {
  /** Where TCP's header begins. */
  tcp: number;
  flags: number;
  /** Of TCP's payload. */
  dataBytes: number;
}

/** @param packet IPv4 with a whole TCP header */
export function partsOf(packet: Buffer): TcpParts {
  const tcp = ((packet[0] as number) & 15) * 4;
  const header = ((packet[tcp + 12] as number) >> 4) * 4;
  return {
    tcp,
    flags: (packet[tcp + 13] as number) & 0x3f,
    dataBytes: packet.length - tcp - header,
  };
}
