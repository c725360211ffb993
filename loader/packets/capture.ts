// Reads a capture: its TCP connections, and the number of frames that belong to none.

import { type CaptureEnd, readCapture } from './capture-reader.ts';
import { type TcpConnection, TcpConnections } from './connections.ts';
import { type SkippedFrame, segmentOf } from './segment.ts';

export interface Capture extends CaptureEnd {
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
  const skipped: Capture['skipped'] = { other: 0, fragment: 0, short: 0 };
  let frames = 0;
  let isLimited = false;
  const end = await readCapture(chunks, (frame) => {
    isLimited = frames === most;
    if (isLimited) return false;
    frames++;
    const segment = segmentOf(frame);
    if (typeof segment === 'string') skipped[segment]++;
    else connections.add(segment, frame.atMs);
    return true;
  });
  return { ...end, connections: connections.all, frames, skipped, isLimited };
}
