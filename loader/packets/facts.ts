// Finds what a connection's packets tell: counts of each direction, and the stalls, times when nothing went on. Among
// them are those that Heidemann described (1996, sections 2.2 and 2.3): the server has more to send, but waits for an
// acknowledgment that the client is delaying.
//
// The round trip is left out of stalls. Its two parts, from the place of the capture to the server and to the client,
// are measured in the handshake or, if it was not captured, as the shortest times from data to the next packet back.

import { formatMs } from '../report/units.ts';
import type { SequencePacket, TcpConnection, TcpPacket } from './connections.ts';

export interface AcknowledgmentWait {
  /** When the server sent the last data before the wait. */
  fromMs: number;
  /** When the acknowledgment came that let the server send more. */
  toMs: number;
  /** Number of bytes that were sent but not acknowledged during the wait. */
  waitingBytes: number;
}

export interface Stall extends Omit<AcknowledgmentWait, 'waitingBytes'> {
  /**
   * Why nothing went on. acknowledgment: the client delayed one that the server waited for; answer: the server sent
   * nothing after a request; again: nothing was sent until a retransmission; window: the client's window was 0; idle:
   * neither side waited for an answer or an acknowledgment.
   */
  kind: 'acknowledgment' | 'answer' | 'again' | 'window' | 'idle';
  /** The side that stalls, by the kind: `acknowledgment` and `answer`: the server; `again`: the sender; `window`: the
   *  client; null: neither (`idle`). */
  by: 'client' | 'server' | null;
}

/** The counts of packets in each direction: for each count, whether a packet is one of those counted. */
const counted = {
  packets: () => true,
  again: ({ order }) => order === 'again',
  outOfOrder: ({ order }) => order === 'out of order',
  zeroWindows: isZeroWindow,
  syn: ({ isSyn }) => isSyn,
  fin: ({ isFin }) => isFin,
  reset: ({ isReset }) => isReset,
} satisfies Record<string, (packet: TcpPacket) => boolean>;

interface Traffic extends Record<Exclude<keyof typeof counted, 'zeroWindows'>, number> {
  /** Length of the payload of all packets, including what was sent again, bytes. */
  bytes: number;
  /** Number of windows of 0 that this side announced; null: windows are not known. */
  zeroWindows: number | null;
}

export interface Facts {
  up: Traffic;
  down: Traffic;
  /** Time of the last packet, since the first one, ms. */
  lastMs: number;
  /** Time from the client's SYN to its acknowledgment of the server's SYN, ms; null: not all three were captured. */
  handshakeMs: number | null;
  /** Duration of all stalls of the kind `idle`, and (`stalledMs`) of all others, ms. */
  idleMs: number;
  stalledMs: number;
  stalls: Stall[];
  ended: 'FIN' | 'RST' | null;
}

/** Least duration of a stall: shorter ones are hardly seen. Timers of delayed acknowledgments start at 40 ms. */
const leastStallMs = 30;
/** A sender that goes on within this time, ms, after an acknowledgment has come is taken to have waited for it. */
const atOnceMs = 5;

export function factsOf(connection: TcpConnection): Facts {
  const { packets, windows } = connection;
  const traffic = (direction: TcpPacket['direction']): Traffic => {
    const own = packets.filter((packet) => packet.direction === direction);
    const counts = Object.entries(counted).map(([name, is]) => [name, own.filter(is).length]);
    const bytes = own.reduce((sum, { dataBytes }) => sum + dataBytes, 0);
    const unknown = windows === 'unknown' ? { zeroWindows: null } : {};
    return { ...Object.fromEntries(counts), bytes, ...unknown };
  };
  const [up, down] = [traffic('up'), traffic('down')];
  const trips = tripsOf(packets);
  const stalls = stallsOf(connection, trips);
  const timeOf = (some: readonly Stall[]) =>
    some.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  return {
    up,
    down,
    stalls,
    lastMs: packets.reduce((last, { atMs }) => Math.max(last, atMs), 0),
    handshakeMs: trips.handshakeMs,
    idleMs: timeOf(stalls.filter(({ kind }) => kind === 'idle')),
    stalledMs: timeOf(stalls.filter(({ kind }) => kind !== 'idle')),
    ended: up.reset + down.reset > 0 ? 'RST' : up.fin + down.fin > 0 ? 'FIN' : null,
  };
}

export function isZeroWindow({ window, isSyn, isReset }: TcpPacket): boolean {
  return window === 0 && !isSyn && !isReset;
}

interface Trips {
  handshakeMs: number | null;
  /** Round trip from the place of the capture to the server and back, ms; `clientMs`: to the client and back. */
  serverMs: number;
  clientMs: number;
}

function tripsOf(packets: readonly TcpPacket[]): Trips {
  const syns = packets.filter(({ direction, isSyn }) => direction === 'up' && isSyn);
  const [syn] = syns;
  const answer = packets.find(({ direction, isSyn }) => direction === 'down' && isSyn);
  const isThird = ({ direction, isSyn, ack }: TcpPacket) => direction === 'up' && !isSyn && ack > 0;
  const third = packets.find(isThird);
  if (syn && answer && third) {
    const answered = syns.findLast(({ atMs }) => atMs <= answer.atMs) ?? syn;
    return {
      handshakeMs: third.atMs - syn.atMs,
      serverMs: answer.atMs - answered.atMs,
      clientMs: third.atMs - answer.atMs,
    };
  }
  const leastTurnMs = (from: TcpPacket['direction']) => {
    const turns = packets.flatMap(({ direction, atMs }, i) => {
      const before = packets[i - 1];
      const isTurn = before?.direction === from && before.dataBytes > 0 && direction !== from;
      return isTurn ? [atMs - before.atMs] : [];
    });
    return turns.length === 0 ? 0 : turns.reduce((least, ms) => Math.min(least, ms));
  };
  return { handshakeMs: null, serverMs: leastTurnMs('up'), clientMs: leastTurnMs('down') };
}

function stallsOf({ packets, windows }: TcpConnection, { serverMs, clientMs }: Trips): Stall[] {
  const hasWindows = windows !== 'unknown';
  const waits = acknowledgmentWaits(packets, {
    leastMs: leastStallMs + clientMs,
    atOnceMs: atOnceMs + serverMs,
  });
  const stalls: Stall[] = [];
  const stall = (kind: Stall['kind'], by: Stall['by'], fromMs: number, toMs: number) =>
    stalls.push({ kind, by, fromMs, toMs });
  for (const { fromMs, toMs } of waits) stall('acknowledgment', 'server', fromMs, toMs);
  const side = () => ({ sent: 0, acknowledged: 0, lastMs: 0 });
  const sides = { up: side(), down: side() };
  let previousMs = 0;
  let isFull = false;
  let requestMs: number | null = null;
  for (const packet of packets) {
    const { direction, atMs, seq, ack, dataBytes, isSyn, isFin, hasAck, order } = packet;
    const isUp = direction === 'up';
    const [own, other] = isUp ? [sides.up, sides.down] : [sides.down, sides.up];
    const by = isUp ? 'client' : 'server';
    const isOutstanding = own.sent > own.acknowledged || other.sent > other.acknowledged;
    if (order === 'again') {
      if (atMs - own.lastMs >= leastStallMs) stall('again', by, own.lastMs, atMs);
    } else if (!isUp && dataBytes > 0 && requestMs !== null) {
      if (atMs - requestMs >= leastStallMs + serverMs) stall('answer', 'server', requestMs, atMs);
    } else if (!isOutstanding && requestMs === null) {
      const isStall = atMs - previousMs >= leastStallMs + serverMs + clientMs;
      if (isStall && isFull) stall('window', 'client', previousMs, atMs);
      else if (isStall) stall('idle', null, previousMs, atMs);
    }
    if (isUp) isFull = hasWindows && isZeroWindow(packet);
    if (dataBytes > 0) requestMs = isUp ? atMs : null;
    const end = seq + dataBytes + Number(isSyn) + Number(isFin);
    if (end > seq) own.lastMs = atMs;
    own.sent = Math.max(own.sent, end);
    if (hasAck) other.acknowledged = Math.max(other.acknowledged, ack);
    previousMs = Math.max(previousMs, atMs);
  }
  return stalls.sort((one, next) => one.fromMs - next.fromMs);
}

/**
 * Returns the waits of one connection that lasted at least `leastMs`: the server sent data, then nothing until an
 * acknowledgment of all that data came without a request, and then it sent more within `atOnceMs`.
 */
export function acknowledgmentWaits(
  packets: readonly SequencePacket[],
  { leastMs, atOnceMs }: { leastMs: number; atOnceMs: number },
): AcknowledgmentWait[] {
  const waits: AcknowledgmentWait[] = [];
  let lastSent: SequencePacket | undefined;
  let lastAck: SequencePacket | undefined;
  let acknowledged: number | undefined;
  for (const packet of packets) {
    if (packet.direction === 'up') {
      // What the server sends next answers this request, SYN or FIN, and does not end a wait for an acknowledgment.
      if (packet.dataBytes > 0 || packet.isSyn || packet.isFin) lastAck = undefined;
      // A packet that acknowledges the same number again only changes the window.
      else if (packet.ack !== lastAck?.ack) lastAck = packet;
      continue;
    }
    if (packet.dataBytes === 0) continue;
    if (lastSent && lastAck && lastAck.atMs > lastSent.atMs) {
      const ended = (lastSent.seq + lastSent.dataBytes) >>> 0;
      const isAtOnce = packet.atMs - lastAck.atMs < atOnceMs;
      const waitedMs = lastAck.atMs - lastSent.atMs;
      if (lastAck.ack >>> 0 === ended && isAtOnce && waitedMs >= leastMs) {
        const waitingBytes = (ended - (acknowledged ?? ended)) >>> 0;
        waits.push({ fromMs: lastSent.atMs, toMs: lastAck.atMs, waitingBytes });
      }
    }
    acknowledged = lastAck?.ack ?? acknowledged ?? packet.seq;
    lastSent = packet;
  }
  return waits;
}

const sentences = {
  acknowledgment: 'the server waited MS for an acknowledgment that the client delayed',
  answer: 'the server answered after MS',
  again: 'retransmission after MS, by the BY',
  window: 'the client took nothing for MS: its window was 0',
  idle: 'idle MS',
} as const;

export function stallWords({ kind, by, fromMs, toMs }: Stall): string {
  return sentences[kind].replace('MS', formatMs(toMs - fromMs)).replace('BY', by ?? '');
}
