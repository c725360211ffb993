// Delays the acknowledgments of a client as BSD did: one leaves at once for every second full segment, for the end of a
// connection, and for data that came twice; any other leaves at the next beat of a clock, for all that came until then
// (RFC 1122 4.2.3.2; Stevens, TCP/IP Illustrated 1, 19.3). The kernel of this machine acknowledges sooner, so this file
// holds its early acknowledgments back.

const acknowledgment = 0x10;

interface Line {
  /** The last acknowledgment number that was passed on to the server. */
  passed: number;
  held: Buffer | null;
  /** The number that acknowledges the server's FIN; this acknowledgment is not held back. null: no FIN was sent yet. */
  end: number | null;
}

export class DelayedAcks {
  readonly #beatMs: number;
  readonly #fullSegments: number;
  readonly #lines = new Map<number, Line>();
  #nextBeatMs = 0;

  /** @param segmentBytes Bytes of data in a full segment */
  constructor(beatMs: number, segmentBytes: number) {
    this.#beatMs = beatMs;
    this.#fullSegments = 2 * segmentBytes;
  }

  /** Notes whether the server ends the connection. @param packet A TCP packet from the server */
  seeFromServer(packet: Buffer): void {
    const { tcp, flags, dataBytes } = partsOf(packet);
    if ((flags & 1) === 0) return;
    const line = this.#lines.get(packet.readUInt16BE(tcp + 2));
    if (line !== undefined) line.end = (packet.readUInt32BE(tcp + 4) + dataBytes + 1) >>> 0;
  }

  /** Holds back an acknowledgment that BSD would delay. @param packet A TCP packet from the client @returns true if the
   *  packet leaves now */
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

  /** Returns the time until held acknowledgments leave, at the clock's next beat, ms; Infinity if none is held back. */
  waitMs(nowMs: number): number {
    const isHolding = [...this.#lines.values()].some(({ held }) => held !== null);
    return isHolding ? this.#nextBeatMs - nowMs : Number.POSITIVE_INFINITY;
  }

  /** Returns the held acknowledgments, which leave now, if the clock's next beat has come; none before it. */
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

/** Finds the index of TCP's header, its flags, and the number of bytes of its payload. @param packet An IPv4 packet
 *  with a whole TCP header */
export function partsOf(packet: Buffer) {
  const tcp = ((packet[0] as number) & 15) * 4;
  const header = ((packet[tcp + 12] as number) >> 4) * 4;
  return {
    tcp,
    flags: (packet[tcp + 13] as number) & 0x3f,
    dataBytes: packet.length - tcp - header,
  };
}
