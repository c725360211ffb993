// Gathers content that arrives in small pieces. A chunk or DATA frame of one byte costs hundreds of bytes in objects,
// so a limit on buffered bytes does not bound memory. Nagle's rule does: a piece goes on at once if nothing waits
// before it; otherwise it is gathered with those that follow. Invariant: at most one in two of the pieces that a stream
// buffers is smaller than `leastBytes`.

import type { Readable, Writable } from 'node:stream';

export const leastBytes = 4 * 1024;
/** A piece with fewer bytes costs more to handle than to send. */
const tinyBytes = 64;

/**
 * Makes `readable`, which has no content yet, join the small pieces that it has to buffer because its reader is slow.
 * @param onTiny called for each piece of a few bytes
 */
export function gatherPieces(readable: Readable, onTiny?: () => void): void {
  const { push, read } = readable;
  let slab: Buffer | undefined;
  let bytes = 0;
  const pass = (): boolean => {
    const gathered = Buffer.from((slab as Buffer).subarray(0, bytes));
    bytes = 0;
    return push.call(readable, gathered);
  };
  // The methods are replaced on the object, because node:http and node:http2 choose its class.
  readable.push = (piece: Buffer | null) => {
    if (piece !== null && piece.length < tinyBytes) onTiny?.();
    const isLarge = piece === null || piece.length >= leastBytes;
    if (isLarge && bytes > 0) pass();
    if (isLarge || readable.readableLength === 0) return push.call(readable, piece);
    slab ??= Buffer.allocUnsafeSlow(2 * leastBytes);
    slab.set(piece, bytes);
    bytes += piece.length;
    if (bytes >= leastBytes) return pass();
    return readable.readableLength < readable.readableHighWaterMark;
  };
  readable.read = (count?: number) => {
    const piece = read.call(readable, count);
    if (bytes > 0 && readable.readableLength === 0 && !readable.destroyed) pass();
    return piece;
  };
}

type PausableReadable = Pick<Readable, 'pause' | 'resume'>;

/**
 * Writes a piece of `readable` to `writable`. `readable` pauses until `writable` has room, or, after a small piece,
 * until the piece is written and a turn of the event loop is over: what arrives meanwhile is gathered.
 */
export function passPiece(
  piece: Buffer,
  readable: PausableReadable,
  writable: Pick<Writable, 'write' | 'once'>,
): void {
  const goOn = () => void readable.resume();
  if (piece.length < leastBytes) {
    readable.pause();
    writable.write(piece, () => void setImmediate(goOn));
  } else if (!writable.write(piece)) {
    readable.pause();
    writable.once('drain', goOn);
  }
}

/** Passes on all of `readable` to `writable`, and its end. */
export function passOn(readable: Readable, writable: Writable): void {
  readable.on('data', (piece) => {
    if (writable.writable) passPiece(piece, readable, writable);
  });
  readable.once('end', () => writable.end());
}
