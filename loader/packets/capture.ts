// Reads a capture: its TCP connections, and the number of frames that belong to none.

import { CaptureFault, CaptureReader } from './capture-reader.ts';
import { type TcpConnection, TcpConnections } from './connections.ts';
import { type SkippedFrame, segmentOf } from './segment.ts';

export interface Capture {
  /** Time of the first frame, ms since 1970; null: there is none. */
  startedAtMs: number | null;
  /** Says that the file ends within a packet, and where; null: it ends after a whole one. */
  cut: string | null;
  /** Why nothing after a certain place of the file was read; null: no such fault was found. */
  fault: string | null;
  /** The TCP connections, in the order of their first packets. */
  connections: readonly TcpConnection[];
  frames: number;
  /** Number of frames that are no TCP segment, by reason. */
  skipped: Record<SkippedFrame, number>;
  /** Whether reading ended at the limit on packets, before the end of the file. */
  isLimited: boolean;
}

export const mostPackets = 1_000_000;

/** Reads a capture from the chunks of its file. @param most Limit on the packets that are read */
export async function captureOf(
  chunks: AsyncIterable<Buffer>,
  most = mostPackets,
): Promise<Capture> {
  const connections = new TcpConnections();
  const capture: Capture = {
    ...{ startedAtMs: null, cut: null, fault: null, connections: connections.all, frames: 0 },
    ...{ skipped: { other: 0, fragment: 0, short: 0 }, isLimited: false },
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
