// A capture, read: its connections, and what of it is none.

import { type CaptureEnd, readCapture } from './capture-reader.ts';
import { type TcpConnection, TcpConnections } from './connections.ts';
import { type SkippedFrame, segmentOf } from './segment.ts';

export interface Capture extends CaptureEnd {
  /** In the order of their first packet. */
  connections: readonly TcpConnection[];
  frames: number;
  /** Frames that are no segment, by reason. */
  skipped: Record<SkippedFrame, number>;
  /** Reading ended at the limit. */
  isLimited: boolean;
}

export const mostPackets = 1_000_000;

/** @param most Packets */
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
