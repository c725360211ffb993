// Finds what a connection's packets tell: counts for each direction, and stalls, that is times when nothing was sent.
// Among them are those that Heidemann described (1996, sections 2.2 and 2.3): the server has more to send, but waits
// for an acknowledgment that the client is delaying.
//
// Time that packets need for the round trip is no stall. Its two parts, from the place of the capture to the server and
// to the client, are measured in the handshake or, without it, as the shortest times from data to the next packet back.

import { formatMs } from '../report/units.ts';
import type { SequencePacket, TcpConnection, TcpPacket } from './connections.ts';

export interface Wait {
  /** When the wait began, ms since the connection's first packet; `toMs`: when it ended. */
  fromMs: number;
  toMs: number;
}

export interface Stall extends Wait {
  /** `acknowledgment`: the client delayed one for which the server waited; `answer`: a request waited for its
   *  response; `again`: a lost packet was not sent again yet; `window`: the client's was 0; `idle`: nobody waited. */
  kind: 'acknowledgment' | 'answer' | 'again' | 'window' | 'idle';
  /** The side that stalls: with `again` the sender, with `window` the client, with `idle` neither, else the server. */
  by: 'client' | 'server' | null;
}

/** Least duration of a stall: shorter ones are hardly seen. Timers of delayed acknowledgments start at 40 ms. */
const leastStallMs = 30;
/** A sender that goes on within this time, ms, after an acknowledgment has come is taken to have waited for it. */
const atOnceMs = 5;

export type Facts = ReturnType<typeof factsOf>;

/** Returns what each side of a connection sent (`up`: the client), its stalls, and times in ms since its first packet. */
export function factsOf(connection: TcpConnection) {
  const { packets, windows } = connection;
  const traffic = (direction: TcpPacket['direction']) => {
    const own = packets.filter((packet) => packet.direction === direction);
    const count = (isCounted: (packet: TcpPacket) => boolean) => own.filter(isCounted).length;
    return {
      packets: own.length,
      again: count(({ order }) => order === 'again'),
      outOfOrder: count(({ order }) => order === 'out of order'),
      /** Number of windows of 0 that this side announced; null: windows are not known. */
      zeroWindows: windows === 'unknown' ? null : count(isZeroWindow),
      syn: count(({ isSyn }) => isSyn),
      fin: count(({ isFin }) => isFin),
      reset: count(({ isReset }) => isReset),
      /** Length of the payload of all packets, including what was sent again, bytes. */
      bytes: own.reduce((sum, { dataBytes }) => sum + dataBytes, 0),
    };
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
    /** Time of the last packet, ms since the first one. */
    lastMs: packets.reduce((last, { atMs }) => Math.max(last, atMs), 0),
    handshakeMs: trips.handshakeMs,
    /** Duration of all stalls of the kind `idle`, ms; `stalledMs`: of all other stalls. */
    idleMs: timeOf(stalls.filter(({ kind }) => kind === 'idle')),
    stalledMs: timeOf(stalls.filter(({ kind }) => kind !== 'idle')),
    ended: up.reset + down.reset > 0 ? 'RST' : up.fin + down.fin > 0 ? 'FIN' : null,
  };
}

export const isZeroWindow = ({ window, isSyn, isReset }: TcpPacket): boolean =>
  window === 0 && !isSyn && !isReset;

/** Returns the round-trip times from the place of the capture to the server (`serverMs`) and to the client
 *  (`clientMs`), and the time of the handshake (`handshakeMs`; null: one of its packets was not captured). */
function tripsOf(packets: readonly TcpPacket[]) {
  const syns = packets.filter(({ direction, isSyn }) => direction === 'up' && isSyn);
  const [syn] = syns;
  const answer = packets.find(({ direction, isSyn }) => direction === 'down' && isSyn);
  const third = packets.find((each) => each.direction === 'up' && !each.isSyn && each.ack > 0);
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
    return turns.reduce((least, ms) => Math.min(least, ms), turns[0] ?? 0);
  };
  return { handshakeMs: null, serverMs: leastTurnMs('up'), clientMs: leastTurnMs('down') };
}

function stallsOf(
  { packets, windows }: TcpConnection,
  { serverMs, clientMs }: ReturnType<typeof tripsOf>,
): Stall[] {
  const limits = { leastMs: leastStallMs + clientMs, atOnceMs: atOnceMs + serverMs };
  const stalls = acknowledgmentWaits(packets, limits).map(
    (wait): Stall => ({ kind: 'acknowledgment', by: 'server', ...wait }),
  );
  const side = () => ({ sent: 0, acknowledged: 0, lastMs: 0 });
  const sides = { up: side(), down: side() };
  let previousMs = 0;
  let isFull = false;
  let requestMs: number | null = null;
  for (const packet of packets) {
    const { direction, atMs: toMs, seq, ack, dataBytes, isSyn, isFin, hasAck, order } = packet;
    const isUp = direction === 'up';
    const [own, other] = isUp ? [sides.up, sides.down] : [sides.down, sides.up];
    const isOutstanding = own.sent > own.acknowledged || other.sent > other.acknowledged;
    const stall = (kind: Stall['kind'], by: Stall['by'], fromMs: number, roundTripMs: number) => {
      if (toMs - fromMs >= leastStallMs + roundTripMs) stalls.push({ kind, by, fromMs, toMs });
    };
    if (order === 'again') stall('again', isUp ? 'client' : 'server', own.lastMs, 0);
    else if (!isUp && dataBytes > 0 && requestMs !== null) {
      stall('answer', 'server', requestMs, serverMs);
    } else if (!isOutstanding && requestMs === null) {
      if (isFull) stall('window', 'client', previousMs, serverMs + clientMs);
      else stall('idle', null, previousMs, serverMs + clientMs);
    }
    if (isUp) isFull = windows !== 'unknown' && isZeroWindow(packet);
    if (dataBytes > 0) requestMs = isUp ? toMs : null;
    const end = seq + dataBytes + Number(isSyn) + Number(isFin);
    if (end > seq) own.lastMs = toMs;
    own.sent = Math.max(own.sent, end);
    if (hasAck) other.acknowledged = Math.max(other.acknowledged, ack);
    previousMs = Math.max(previousMs, toMs);
  }
  return stalls.sort((one, next) => one.fromMs - next.fromMs);
}

/** Returns when the server of one connection waited for an acknowledgment, at least for `leastMs`: it had sent data,
 *  sent nothing until an acknowledgment of all of it came without a request, and then sent more within `atOnceMs`. */
export function acknowledgmentWaits(
  packets: readonly SequencePacket[],
  { leastMs, atOnceMs }: { leastMs: number; atOnceMs: number },
): Wait[] {
  const waits: Wait[] = [];
  let lastSent: SequencePacket | undefined;
  let lastAck: SequencePacket | undefined;
  for (const packet of packets) {
    if (packet.direction === 'up') {
      // What the server sends next answers this request, SYN or FIN, and does not end a wait for an acknowledgment.
      if (packet.dataBytes > 0 || packet.isSyn || packet.isFin) lastAck = undefined;
      // A packet that acknowledges the same number again only changes the window.
      else if (packet.ack !== lastAck?.ack) lastAck = packet;
      continue;
    }
    if (packet.dataBytes === 0) continue;
    if (lastSent && lastAck) {
      const [fromMs, toMs] = [lastSent.atMs, lastAck.atMs];
      const isOfAll = lastAck.ack >>> 0 === (lastSent.seq + lastSent.dataBytes) >>> 0;
      const isLong = toMs > fromMs && toMs - fromMs >= leastMs;
      if (isLong && isOfAll && packet.atMs - toMs < atOnceMs) waits.push({ fromMs, toMs });
    }
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

export const stallWords = ({ kind, by, fromMs, toMs }: Stall): string =>
  sentences[kind].replace('MS', formatMs(toMs - fromMs)).replace('BY', by ?? '');
