// A decompressor of node:zlib, fed piece by piece. Piped streams lose what was decompressed already when
// the data breaks; here nothing is lost, and at most what one piece gives is held.

import type { Transform } from 'node:stream';
import type { FileStatistics } from './statistics.ts';

const pieceBytes = 32 * 1024;

/** What `chunks` hold, up to where they break; then `file.broken` says what is wrong. `onRead` hears of bytes of
 *  theirs when all that they gave was taken: a file is read long before, a percent of it is a thousand lines. */
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
  // Broken data closes the stream without calling back the write that brought it.
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
