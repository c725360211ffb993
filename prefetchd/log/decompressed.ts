// Feeds a node:zlib decompressor piece by piece. Piped streams discard decompressed data when the input turns out to
// be damaged; here nothing is lost, and at most the output of one piece is held.

import type { Transform } from 'node:stream';
import type { FileStatistics } from './statistics.ts';

const pieceBytes = 32 * 1024;

/** Decompresses `chunks` up to the first damage, which `file.broken` then describes. `onRead` counts compressed
 *  bytes once all their output was consumed, because a file is read far ahead: one percent of it can be a thousand
 *  lines. */
export async function* decompressed(
  chunks: AsyncIterable<Uint8Array>,
  stream: Transform,
  file: FileStatistics,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  let failure: Error | undefined;
  stream.on('data', (data: Uint8Array) => ready.push(data));
  stream.on('error', (error) => {
    failure = error;
  });
  // Damaged data closes the stream without calling back the pending write.
  let wake = (): void => {};
  const closed = new Promise<void>((resolve) => {
    stream.on('close', () => {
      resolve();
      wake();
    });
  });
  try {
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length && failure === undefined; at += pieceBytes) {
        const piece = chunk.subarray(at, at + pieceBytes);
        await new Promise<void>((resolve) => {
          wake = resolve;
          stream.write(piece, () => resolve());
        });
        yield* ready;
        ready = [];
        onRead(piece.length);
      }
      if (failure !== undefined) break;
    }
    if (failure === undefined) stream.end();
    await closed;
    yield* ready;
    if (failure !== undefined) file.broken = `${file.compression} data: ${failure.message}`;
  } finally {
    stream.destroy();
  }
}
