// Nagle's algorithm as BSD had it in 1996: the end of what was written, shorter than a segment, is held while anything is
// unacknowledged. Linux has it as Minshall changed it, and holds a short segment only behind another short one. This one
// asks the kernel what is unacknowledged, hands it whole segments, and the short end when it may leave. Linux only.

import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LayeredSocket } from '../../server/index.ts';

/** On an Ethernet, with TCP's timestamps. */
const segmentBytes = 1448;
const sizeOfQueue = 0x5411; // SIOCOUTQ: bytes that are not yet acknowledged
const pollMs = 1;

/** Writes the pieces one after the other, each as by a call of its own. */
export async function writeAsBsd(
  { raw, direct }: LayeredSocket,
  pieces: readonly Buffer[],
): Promise<void> {
  const { ioctl } = await import('./libc.ts');
  const queued = Buffer.alloc(4);
  const isIdle = (): boolean => {
    const fd = (raw as Socket & { _handle: { fd: number } | null })._handle?.fd ?? -1;
    return ioctl(fd, sizeOfQueue, queued) < 0 || queued.readInt32LE() === 0;
  };
  const write = (bytes: Buffer) =>
    new Promise<void>((resolve) => direct.write([bytes], () => resolve()));
  let held = Buffer.alloc(0);
  for (const piece of pieces) {
    held = Buffer.concat([held, piece]);
    const whole = held.length - (held.length % segmentBytes);
    if (whole > 0) await write(held.subarray(0, whole));
    held = held.subarray(whole);
    if (held.length === 0 || !isIdle()) continue;
    await write(held);
    held = Buffer.alloc(0);
  }
  if (held.length === 0) return;
  while (!isIdle()) await sleep(pollMs);
  await write(held);
}
