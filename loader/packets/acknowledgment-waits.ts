// The stalls that Heidemann found (1996, sections 2.2 and 2.3): the server has more to send, and waits for an
// acknowledgment that the client is delaying.

/** Of captures and of the lab's link; sequence numbers count from anywhere, modulo 2^32. */
export interface SequencePacket {
  atMs: number;
  /** down: sent by the server; up: by the client. */
  direction: 'down' | 'up';
  seq: number;
  ack: number;
  /** Of TCP's payload. */
  dataBytes: number;
  isSyn: boolean;
  isFin: boolean;
}

export interface AcknowledgmentWait {
  /** When the server sent the last data before it. */
  fromMs: number;
  /** When the acknowledgment let the server go on. */
  toMs: number;
  /** Sent and unacknowledged meanwhile. */
  waitingBytes: number;
}

/**
 * The waits of one connection that lasted `leastMs`: the server sent data, then nothing until an acknowledgment of all
 * of it came without a request, and then more at once, which is within `atOnceMs`.
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
      // A request: whatever the server sends next answers it.
      if (packet.dataBytes > 0 || packet.isSyn || packet.isFin) lastAck = undefined;
      // The same number again changes the window alone.
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
