// Finds what a connection's packets tell: counts of each direction, and the stalls, times when nothing went on.
//
// The round trip is left out of stalls. Its two parts, from the place of the capture to the server and to the client,
// are measured in the handshake or, if it was not captured, as the shortest times from data to the next packet back.

import { formatMs } from '../report/units.ts';
import { type AcknowledgmentWait, acknowledgmentWaits } from './acknowledgment-waits.ts';
import type { TcpConnection, TcpPacket } from './connections.ts';

export interface Stall extends Omit<AcknowledgmentWait, 'waitingBytes'> {
  /**
   * Why nothing went on. acknowledgment: the client delayed one that the server waited for; answer: the server sent
   * nothing after a request; again: nothing was sent until a retransmission; window: the client's window was 0; idle:
   * neither side waited for an answer or an acknowledgment.
   */
  kind: 'acknowledgment' | 'answer' | 'again' | 'window' | 'idle';
  /** Who is said to stall: the server (acknowledgment, answer), the sender (again), the client (window); null: idle. */
  by: 'client' | 'server' | null;
}

interface Traffic {
  packets: number;
  /** Length of the payload of all packets, including what was sent again, bytes. */
  bytes: number;
  again: number;
  outOfOrder: number;
  /** Number of windows of 0 that this side announced; null: windows are not known. */
  zeroWindows: number | null;
  syn: number;
  fin: number;
  reset: number;
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
    const count = (is: (packet: TcpPacket) => boolean) =>
      own.reduce((sum, packet) => sum + Number(is(packet)), 0);
    return {
      packets: own.length,
      bytes: own.reduce((sum, { dataBytes }) => sum + dataBytes, 0),
      again: count(({ order }) => order === 'again'),
      outOfOrder: count(({ order }) => order === 'out of order'),
      zeroWindows: windows === 'unknown' ? null : count(isZeroWindow),
      syn: count(({ isSyn }) => isSyn),
      fin: count(({ isFin }) => isFin),
      reset: count(({ isReset }) => isReset),
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
  const syn = packets.find(({ direction, isSyn }) => direction === 'up' && isSyn);
  const answer = packets.find(({ direction, isSyn }) => direction === 'down' && isSyn);
  const isThird = ({ direction, isSyn, hasAck, ack }: TcpPacket) =>
    direction === 'up' && !isSyn && hasAck && ack > 0;
  const third = packets.find(isThird);
  if (syn && answer && third) {
    const isAnswered = ({ direction, isSyn, atMs }: TcpPacket) =>
      direction === 'up' && isSyn && atMs <= answer.atMs;
    return {
      handshakeMs: third.atMs - syn.atMs,
      serverMs: answer.atMs - (packets.findLast(isAnswered) ?? syn).atMs,
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
  const stalls: Stall[] = waits.map(({ fromMs, toMs }) => ({
    kind: 'acknowledgment',
    by: 'server',
    fromMs,
    toMs,
  }));
  const sides = {
    up: { sent: 0, acknowledged: 0, lastMs: 0 },
    down: { sent: 0, acknowledged: 0, lastMs: 0 },
  };
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
      if (atMs - own.lastMs >= leastStallMs) {
        stalls.push({ kind: 'again', by, fromMs: own.lastMs, toMs: atMs });
      }
    } else if (!isUp && dataBytes > 0 && requestMs !== null) {
      if (atMs - requestMs >= leastStallMs + serverMs) {
        stalls.push({ kind: 'answer', by: 'server', fromMs: requestMs, toMs: atMs });
      }
    } else if (!isOutstanding && requestMs === null) {
      if (atMs - previousMs >= leastStallMs + serverMs + clientMs) {
        const kind = isFull ? 'window' : 'idle';
        stalls.push({ kind, by: isFull ? 'client' : null, fromMs: previousMs, toMs: atMs });
      }
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
