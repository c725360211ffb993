// Sorts segments into connections. It finds out who is client and server, counts sequence numbers from 0 on, and notes
// which segments were seen before. It keeps what lists and pictures show of a packet, never its payload.

import { clipMiddle, printableText } from '../report/printable.ts';
import { flag, type Segment } from './segment.ts';

/** A packet of a connection. Time counts from the connection's first packet; a SYN has number 0, data begins at 1. */
export type TcpPacket = ReturnType<typeof packetOf>;

/** The facts of a packet from which waits are found. Sequence numbers begin anywhere and are modulo 2^32. */
export type SequencePacket = Pick<
  TcpPacket,
  'atMs' | 'direction' | 'seq' | 'ack' | 'dataBytes' | 'isSyn' | 'isFin'
>;

export interface TcpConnection {
  /** Number of the connection in the capture, from 1. */
  number: number;
  client: string;
  server: string;
  /** Time of the connection's first packet since the first frame of the capture, ms. */
  startMs: number;
  packets: TcpPacket[];
  /** Whether window sizes are right. unscaled: no handshake has told their factors; unknown: all sizes are 0. */
  windows: 'known' | 'unscaled' | 'unknown';
}

const mostHoles = 64;
const leastReorderMs = 3;

export class TcpConnections {
  readonly all: TcpConnection[] = [];
  /** The latest connection between each pair of endpoints. */
  readonly #flows = new Map<string, Flow>();

  add(segment: Segment, atMs: number): void {
    const { from, to } = segment;
    const key = from < to ? from + to : to + from;
    let flow = this.#flows.get(key);
    if (flow === undefined || opensAnother(flow, segment)) {
      flow = flowOf(segment, atMs, this.all.length + 1);
      this.#flows.set(key, flow);
      this.all.push(flow.connection);
    }
    flow.connection.packets.push(packetOf(flow, segment, atMs - flow.connection.startMs));
  }
}

/** Begins a connection, and returns it with what is known of its two sides. @param segment Its first segment */
function flowOf(segment: Segment, startMs: number, number: number) {
  const { from, to, flags, fromPort, toPort } = segment;
  // The client sends the first SYN, which acknowledges nothing. If none was captured, the client has the higher port.
  const isUp = flags & flag.syn ? (flags & flag.ack) === 0 : fromPort >= toPort;
  const [clientKey, serverKey] = isUp ? [from, to] : [to, from];
  const connection: TcpConnection = {
    number,
    client: addressOf(clientKey),
    server: addressOf(serverKey),
    startMs,
    packets: [],
    windows: 'unknown',
  };
  return {
    connection,
    clientKey,
    up: new TcpSide(),
    down: new TcpSide(),
    /** Time of the client's SYN, ms; null: it was not seen yet, or the handshake is complete. */
    synAtMs: null as number | null,
    /** Longest time, ms, by which the network delays a packet behind later ones; one that comes later was resent. */
    reorderMs: leastReorderMs,
  };
}

type Flow = ReturnType<typeof flowOf>;

/** Whether a segment opens another connection with the same ports: a SYN with another sequence number than before. */
function opensAnother({ clientKey, up, down }: Flow, { from, seq, flags }: Segment): boolean {
  if ((flags & (flag.syn | flag.ack)) !== flag.syn) return false;
  const { first } = from === clientKey ? up : down;
  return first !== null && first !== seq;
}

function packetOf(flow: Flow, segment: Segment, atMs: number) {
  const { flags, dataBytes, payload } = segment;
  const isUp = segment.from === flow.clientKey;
  const direction: 'up' | 'down' = isUp ? 'up' : 'down';
  const [own, other] = isUp ? [flow.up, flow.down] : [flow.down, flow.up];
  const has = (bit: number) => (flags & bit) !== 0;
  const [isSyn, isFin, isReset] = [has(flag.syn), has(flag.fin), has(flag.reset)];
  const [isPush, hasAck] = [has(flag.push), has(flag.ack)];
  if (isSyn) own.scale = segment.windowScale;
  const seq = own.relative(segment.seq, isSyn || isReset);
  const ack = hasAck ? other.relative(segment.ack) : 0;
  other.acknowledged = Math.max(other.acknowledged, ack);
  if (isUp && isSyn) flow.synAtMs ??= atMs;
  else if (isUp && hasAck && flow.synAtMs !== null) {
    flow.reorderMs = Math.max(leastReorderMs, atMs - flow.synAtMs);
    flow.synAtMs = null;
  }
  const end = isReset ? seq : seq + dataBytes + Number(isSyn) + Number(isFin);
  const order = end === seq ? null : own.orderOf({ seq, end, dataBytes, atMs }, flow.reorderMs);
  // Either both sides scale their windows or none does, and the window of a SYN is never scaled (RFC 7323 2.2).
  const isScaled = !isSyn && typeof other.scale === 'number';
  const window = segment.window * 2 ** (isScaled ? (own.scale ?? 0) : 0);
  if (segment.window > 0 && !isReset) {
    const isUnscaled = !isSyn && (own.scale === undefined || other.scale === undefined);
    if (isUnscaled) flow.connection.windows = 'unscaled';
    else if (flow.connection.windows === 'unknown') flow.connection.windows = 'known';
  }
  const sacks = segment.sacks.map((edges) => edges.map((edge) => other.relative(edge)));
  return {
    atMs,
    /** The direction of the packet: `down` is from the server, `up` from the client. */
    direction,
    seq,
    ack,
    /** Length of TCP's payload, bytes. */
    dataBytes,
    isSyn,
    isFin,
    isReset,
    isPush,
    /** false: the packet acknowledges nothing, and `ack` is 0. */
    hasAck,
    /** The window that the sender announces, in bytes, with the window scale applied. */
    window,
    order,
    /** The HTTP message or the kind of TLS record with which the payload begins, as text; null: it is neither. */
    carries: contentOf(payload, direction),
    sacks: sacks.length === 0 ? null : sacks,
    /** The TCP options of a SYN, as text; null: the packet is no SYN, or has none of those that are read. */
    options: isSyn ? synOptions(segment) : null,
  };
}

/** The sequence numbers of one side of a connection, the client or the server, counted from 0 on. */
class TcpSide {
  /** The sequence number that counts as 0, modulo 2^32; null: this side has sent none so far. */
  first: number | null = null;
  /** The next sequence number after everything that the other side has acknowledged. */
  acknowledged = 0;
  /** Shift count of this side's window scale option; null: its SYN had none; undefined: its SYN was not seen. */
  scale: number | null | undefined;
  /** The next sequence number after everything that this side has sent. */
  #highest = 0;
  #hasSent = false;
  /** Ranges of sequence numbers that have not been seen, although later ones have. */
  readonly #holes: { from: number; to: number; atMs: number }[] = [];

  /** Makes a sequence number relative: this side's first one counts as 0 (`isFirst`) or 1, later ones go on from it. */
  relative(number: number, isFirst = false): number {
    if (this.first === null) {
      this.#highest = isFirst ? 0 : 1;
      this.first = (number - this.#highest) >>> 0;
    }
    return this.#highest + ((number - this.first - this.#highest) | 0);
  }

  /** Notes a packet's sequence numbers as sent, and tells how the packet follows earlier ones. again: its numbers
   *  were sent before, perhaps in a packet that the capture lacks; out of order: it only arrived late; keep-alive: it
   *  sends the last byte again, although that was acknowledged (RFC 9293 3.8.4); null: it is new and in order. */
  orderOf(
    { seq, end, dataBytes, atMs }: Record<'seq' | 'end' | 'dataBytes' | 'atMs', number>,
    reorderMs: number,
  ): 'again' | 'out of order' | 'keep-alive' | null {
    const [highest, holes, hadSent] = [this.#highest, this.#holes, this.#hasSent];
    this.#hasSent = true;
    this.#highest = Math.max(highest, end);
    if (!hadSent) return null;
    if (seq >= highest) {
      if (seq > highest) holes.push({ from: highest, to: seq, atMs });
      if (holes.length > mostHoles) holes.shift();
      return null;
    }
    const place = holes.findIndex(({ from, to }) => seq < to && end > from);
    const hole = holes[place];
    if (hole === undefined) {
      const isLastByte = dataBytes === 1 && end - seq === 1 && end === highest;
      return isLastByte && end === this.acknowledged ? 'keep-alive' : 'again';
    }
    const left = [
      { ...hole, to: seq },
      { ...hole, from: end },
    ].filter(({ from, to }) => from < to);
    holes.splice(place, 1, ...left);
    return atMs - hole.atMs > reorderMs ? 'again' : 'out of order';
  }
}

function synOptions({ maxSegmentBytes, windowScale }: Segment): string | null {
  const parts = Object.entries({ mss: maxSegmentBytes, wscale: windowScale });
  return (
    parts.flatMap(([name, value]) => (value === null ? [] : `${name} ${value}`)).join() || null
  );
}

/** Returns the address and port in `Segment.from` as text: `192.0.2.1:80`, `[2001:db8::1]:80`. */
function addressOf(endpoint: string): string {
  const bytes = Buffer.from(endpoint.slice(0, -1), 'latin1');
  const groups = bytes.toString('hex').match(/.{4}/g) ?? [];
  const host = bytes.length === 4 ? bytes.join('.') : `[${groups.join(':')}]`;
  const { hostname } = new URL(`http://${host}`);
  return `${hostname}:${endpoint.charCodeAt(endpoint.length - 1)}`;
}

const mostLineBytes = 400;
const mostCharacters = 60;
// A long path may exceed the bytes that are looked at, so the end of the request line is not required after it.
const request = /^([A-Z]{3,16} \S{1,400})(?: HTTP\/\d(?:\.\d)?\r?\n|(?<=\S{300})$)/;
const furtherRequest = /\n\r?\n(?=[A-Z]{3,16} \S{1,2000} HTTP\/\d)/g;
const response = /^HTTP\/\d(?:\.\d)? (\d{3}(?: [^\r\n]{0,100})?)\r?\n/;
const records = new Map([
  [20, 'TLS change of cipher'],
  [21, 'TLS alert'],
  [22, 'TLS handshake'],
  [23, 'TLS data'],
]);

/** Returns what a payload begins with, as short, printable text, because it comes from strangers: the first line of an
 *  HTTP message (`GET /a.gif`, `GET /a.gif and 3 more`, `200 OK`), or the kind of a TLS record; null: it is neither. */
function contentOf(payload: Buffer, direction: 'up' | 'down'): string | null {
  if (payload.length < 3) return null;
  if (payload.readUInt8(1) === 3) return records.get(payload.readUInt8(0)) ?? null;
  const pattern = direction === 'up' ? request : response;
  const [, line] = pattern.exec(payload.toString('latin1', 0, mostLineBytes)) ?? [];
  if (line === undefined) return null;
  // The text is copied, because a slice of a string keeps the whole string in memory.
  const text = Buffer.from(clipMiddle(printableText(line), mostCharacters)).toString();
  if (direction === 'down') return text;
  const more = payload.toString('latin1', 0, 65_536).match(furtherRequest)?.length ?? 0;
  return more > 0 ? `${text} and ${more} more` : text;
}
