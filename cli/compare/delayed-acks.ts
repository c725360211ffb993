// Delays the acknowledgments of a client as BSD did: one leaves at once for every second full segment, for the end of a
// connection, and for data that came twice; any other leaves at the next tick of a timer, for all data that came until
// then (RFC 1122 4.2.3.2; Stevens, TCP/IP Illustrated 1, 19.3). Linux acknowledges sooner, so what it sends too early
// is held back here.

import { flag, type Segment } from '../../loader/packets/segment.ts';

/** @param beatMs Interval of the timer, ms @param segmentBytes Length of the data in a full segment, bytes */
export function delayedAcks(beatMs: number, segmentBytes: number) {
  /** By the client's port: the number last acknowledged, and that which acknowledges the FIN (null: no FIN came). */
  const connections = new Map<number, { passed: number; end: number | null }>();
  /** The acknowledgments that are held back, by the client's port: one for each connection at most. */
  const held = new Map<number, { ack: number; packet: Buffer; leavesAtMs: number }>();
  return {
    /** Notes the server's FIN, by whose acknowledgment the connection ends. */
    seeFromServer({ flags, toPort, seq, dataBytes }: Segment): void {
      const connection = connections.get(toPort);
      if (flags & flag.fin && connection) connection.end = (seq + dataBytes + 1) >>> 0;
    },

    /** Holds back an acknowledgment of the client that BSD would delay. @returns true if the packet leaves now */
    passes({ flags, fromPort, ack, dataBytes }: Segment, packet: Buffer, nowMs: number): boolean {
      const connection = connections.get(fromPort);
      const isPure = flags === flag.ack && dataBytes === 0;
      const news = connection === undefined ? 0 : (ack - connection.passed) >>> 0;
      const waits = isPure && news > 0 && news < 2 * segmentBytes && ack !== connection?.end;
      if (connection === undefined || !waits) {
        connections.set(fromPort, { passed: ack, end: connection?.end ?? null });
        held.delete(fromPort);
        return true;
      }
      held.set(fromPort, { ack, packet, leavesAtMs: nowMs - (nowMs % beatMs) + beatMs });
      return false;
    },

    /** Returns the time until the next held acknowledgment leaves, ms; Infinity if none is held. */
    waitMs: (nowMs: number) =>
      Math.min(...[...held.values()].map(({ leavesAtMs }) => leavesAtMs - nowMs)),

    /** Returns the held acknowledgments that are due at a tick of the timer; the caller sends them on now. */
    beatsAt(nowMs: number): Buffer[] {
      return [...held].flatMap(([port, { ack, packet, leavesAtMs }]) => {
        if (leavesAtMs > nowMs) return [];
        held.delete(port);
        connections.set(port, { passed: ack, end: connections.get(port)?.end ?? null });
        return packet;
      });
    },
  };
}
