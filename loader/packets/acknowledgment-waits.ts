// Finds the stalls that Heidemann described (1996, sections 2.2 and 2.3): the server has more to send, but waits for an
// acknowledgment that the client is delaying.

/** A packet of a capture or of the lab's simulated link. Sequence numbers begin anywhere and are modulo 2^32. */
export interface SequencePacket {
  atMs: number;
  /** down: sent by the server; up: by the client. */
  direction: 'down' | 'up';
  seq: number;
  ack: number;
  /** Length of TCP's payload, bytes. */
  dataBytes: number;
  isSyn: boolean;
  isFin: boolean;
}

export interface AcknowledgmentWait {
  /** When the server sent the last data before the wait. */
  fromMs: number;
  /** When the acknowledgment came that let the server send more. */
  toMs: number;
  /** Number of bytes that were sent but not acknowledged during the wait. */
  waitingBytes: number;
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
      // A request, or the beginning or end of the connection: what the server sends next answers it, and ends no wait.
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
