// Streams a large file from disk to the client. The header promised a length and an entity tag, so the last chunk is
// sent only after fstat confirms that the file is still that version; otherwise the response is cut off, and the
// client notices that it is incomplete.

import { type FileHandle, open } from 'node:fs/promises';
import parseRange from 'range-parser';
import { ServerError } from '../errors.ts';
import { cutOff, isGone, type Request, type Response, roomToWrite } from '../listen/handler.ts';
import { identityOf, type StoredFile } from './stored-file.ts';

const chunkBytes = 64 * 1024;

/**
 * Sends the bytes of `range` of a file; all header fields must be set before.
 * @throws ServerError 'file-unstable' if the file on disk is no longer the version `file`; then nothing was sent
 */
export async function streamFile(
  req: Request,
  res: Response,
  file: StoredFile,
  range: ByteRange,
): Promise<void> {
  const handle = await open(file.realPath, 'r').catch(() => null);
  try {
    if (handle === null || !(await isSameVersion(handle, file))) {
      throw new ServerError('file-unstable', `${file.realPath} has changed`);
    }
    await send(req, res, handle, file, range).catch(() => cutOff(req, res));
  } finally {
    await handle?.close();
  }
}

async function send(
  req: Request,
  res: Response,
  handle: FileHandle,
  file: StoredFile,
  { firstByte, lastByte }: ByteRange,
): Promise<void> {
  for (let position = firstByte; !isGone(req); ) {
    const wanted = Math.min(chunkBytes, lastByte + 1 - position);
    // Each read gets a new buffer, because the socket still uses the previous one.
    const chunk = Buffer.allocUnsafeSlow(wanted);
    const { bytesRead } = await handle.read(chunk, 0, wanted, position);
    const bytes = chunk.subarray(0, bytesRead);
    position += bytesRead;
    const isLast = position > lastByte;
    if (bytesRead === 0 || (isLast && !(await isSameVersion(handle, file)))) {
      throw new Error('the file has changed');
    }
    if (isLast) {
      res.end(bytes);
      return;
    }
    if (!res.write(bytes) && !isGone(req)) await roomToWrite(res);
  }
}

async function isSameVersion(handle: FileHandle, file: StoredFile): Promise<boolean> {
  return identityOf(await handle.stat({ bigint: true })) === file.identity;
}

export interface ByteRange {
  readonly firstByte: number;
  /** Position of the last byte, which is included. */
  readonly lastByte: number;
}

/**
 * Evaluates a Range field for a representation (RFC 9110 14). A request for several ranges gets the whole
 * representation, as 14.2 permits: any client can use it, while multipart/byteranges costs a boundary and a header per
 * part and lets many small or overlapping parts multiply the work (14.2, 17.15). Adjacent or overlapping ranges are
 * merged into one.
 */
export function byteRange(
  field: string | undefined,
  sizeBytes: number,
): ByteRange | 'whole' | 'unsatisfiable' {
  // An empty representation has no byte to select; a server may ignore Range (RFC 9110 14.2).
  if (field === undefined || sizeBytes === 0) return 'whole';
  if (!/^bytes=/i.test(field)) return 'whole';
  // A suffix longer than the representation selects all of it (RFC 9110 14.1.2); range-parser would skip such a range.
  const clamped = field.replace(/([=,]\s*)-(\d+)/g, (_, before: string, digits: string) => {
    return `${before}-${Math.min(Number(digits), sizeBytes)}`;
  });
  const ranges = parseRange(sizeBytes, clamped, { combine: true });
  if (ranges === -2) return 'whole';
  if (ranges === -1) return 'unsatisfiable';
  const [range] = ranges;
  if (range === undefined || ranges.length !== 1) return 'whole';
  return { firstByte: range.start, lastByte: range.end };
}
