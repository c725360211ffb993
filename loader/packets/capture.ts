// Reads a capture: its TCP connections, and the number of frames that belong to none.

import { CaptureFault, CaptureReader } from './capture-reader.ts';
import { type TcpConnection, TcpConnections } from './connections.ts';
import { segmentOf } from './segment.ts';

export type Capture = Awaited<ReturnType<typeof captureOf>>;

export const mostPackets = 1_000_000;

/** Reads a capture from the chunks of its file. @param most Limit on the packets that are read */
export async function captureOf(chunks: AsyncIterable<Buffer>, most = mostPackets) {
  const connections = new TcpConnections();
  const capture = {
    /** Time of the first frame, ms since 1970; null: there is none. */
    startedAtMs: null as number | null,
    /** Says that the file ends within a packet, and where; null: it ends after a whole one. */
    cut: null as string | null,
    /** Why nothing after a certain place of the file was read; null: no such fault was found. */
    fault: null as string | null,
    /** The TCP connections, in the order of their first packets. */
    connections: connections.all as readonly TcpConnection[],
    frames: 0,
    /** Number of frames that are no TCP segment, by reason. */
    skipped: { other: 0, fragment: 0, short: 0 },
    /** Whether reading ended at the limit on packets, before the end of the file. */
    isLimited: false,
  };
  const reader = new CaptureReader();
  let firstNs: bigint | null = null;
  try {
    for await (const chunk of chunks) {
      for (const frame of reader.framesIn(chunk)) {
        capture.isLimited = capture.frames === most;
        if (capture.isLimited) return capture;
        capture.frames++;
        firstNs ??= frame.atNs;
        capture.startedAtMs ??= Number(firstNs / 1000n) / 1000;
        const segment = segmentOf(frame);
        if (typeof segment === 'string') capture.skipped[segment]++;
        else connections.add(segment, Number(frame.atNs - firstNs) / 1e6);
      }
    }
    capture.cut = reader.cut();
  } catch (error) {
    if (!(error instanceof CaptureFault)) throw error;
    capture.fault = error.message;
  }
  return capture;
}
