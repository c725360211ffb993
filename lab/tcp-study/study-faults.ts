// Reproduces faults of early HTTP servers, each switched on by name to show what it costs: a layer undoes on each
// connection what the server does against them. Heidemann 1996 found those of headers, Nagle and buffers in Apache 1.1b4;
// Nielsen, Gettys et al. 1997 the other in Apache 1.2b2. `loadahead serve --study` imports this file by its path.

import type { ServerResponse } from 'node:http';
import type { Handler, LayeredSocket, Output } from '../../server/index.ts';
import { writeAsBsd } from './bsd-nagle.ts';

const names = [
  'split-headers',
  'nagle',
  'bsd-nagle',
  'close-both-halves',
  'small-buffers',
] as const;

/**
 * `split-headers`: the header section is sent in a write of its own, before the content (Heidemann 1996, 2.2).
 * `nagle`: TCP_NODELAY is off, so the kernel holds back a short segment while one is unacknowledged (2.3).
 * `bsd-nagle`: the same as BSD had it, behind any unacknowledged segment, which Linux's kernel no longer does.
 * `close-both-halves`: both halves are closed after the last response, even if requests still arrive (Nielsen, Gettys
 * et al. 1997). `small-buffers`: responses are written in pieces of 4 KB, as from a standard I/O library's buffer
 * (Heidemann 1996, 2.3 and 2.5).
 */
export type StudyFault = (typeof names)[number];

/** Buffer size of Apache 1.1, and a common size of socket buffers at that time (Heidemann 1996, 2.3, 2.5). */
const smallWriteBytes = 4 * 1024;

/** A handler, the first of `createOrigin`, that makes HTTP/1 slow on purpose. @throws RangeError for an unknown name */
export function studyFaults(study: readonly StudyFault[]): Handler {
  const unknown = study.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new RangeError(`${unknown} is no fault for study: there are ${names.join(', ')}`);
  }
  const faults = new Set(study);
  const handle: Handler = (req, res, next) => {
    const isSplit = faults.has('split-headers') && req.httpVersionMajor === 1;
    if (isSplit) sendHeadersFirst(res as unknown as ServerResponse);
    next();
  };
  return Object.assign(handle, {
    onConnection: (socket: LayeredSocket) => spoil(socket, faults),
  });
}

function spoil(socket: LayeredSocket, faults: ReadonlySet<StudyFault>): void {
  const isSplit = faults.has('split-headers');
  const isSmall = faults.has('small-buffers');
  if (faults.has('nagle')) socket.raw.setNoDelay(false);
  // Gathered responses would be sent in such large writes that none of these three faults shows.
  if (faults.has('bsd-nagle')) socket.output = separateAsBsd(socket, isSplit, isSmall);
  else if (isSplit || isSmall || faults.has('nagle')) {
    socket.output = separate(socket, isSplit, isSmall);
  }
  if (!faults.has('close-both-halves')) return;
  socket.destroySoon = () => {
    if (socket.destroyed) return;
    if (!socket.writableEnded) socket.end();
    if (socket.writableFinished) socket.destroy();
    else socket.once('finish', () => socket.destroy());
  };
}

/** Writes one piece after the other. */
function separate({ direct }: LayeredSocket, isSplit: boolean, isSmall: boolean): Output {
  const writeAll = (pieces: readonly Buffer[], done: () => void): void => {
    const [first, ...rest] = pieces;
    if (first === undefined) {
      done();
      return;
    }
    const isCut = isSmall && first.length > smallWriteBytes;
    const left = isCut ? [first.subarray(smallWriteBytes), ...rest] : rest;
    direct.write([isCut ? first.subarray(0, smallWriteBytes) : first], () => {
      // The rest waits a turn, because Node would join it to the write before it if the kernel is slow.
      if (isCut) setImmediate(() => writeAll(left, done));
      else writeAll(left, done);
    });
  };
  return {
    write: (chunks, done) => writeAll(isSplit ? chunks : [Buffer.concat(chunks)], done),
    flush: () => {},
  };
}

function separateAsBsd(socket: LayeredSocket, isSplit: boolean, isSmall: boolean): Output {
  const pieces = (chunk: Buffer): Buffer[] => {
    const starts = Array.from({ length: Math.ceil(chunk.length / smallWriteBytes) });
    return starts.map((_, i) => chunk.subarray(i * smallWriteBytes, (i + 1) * smallWriteBytes));
  };
  return {
    write: (chunks, done) => {
      const written = isSplit ? chunks : [Buffer.concat(chunks)];
      void writeAsBsd(socket, isSmall ? written.flatMap(pieces) : written).then(() => done());
    },
    flush: () => {},
  };
}

/** Sends the header section before the first byte of content, as Apache 1.1 did by an explicit flush. */
function sendHeadersFirst(res: ServerResponse): void {
  // The methods are replaced on the object, because Express replaces the prototype of the response.
  const { write, end } = res;
  const flush = (content: unknown) => {
    const isContent = content instanceof Uint8Array || typeof content === 'string';
    if (isContent && content.length > 0 && !res.headersSent) res.flushHeaders();
  };
  res.write = ((...args: Parameters<typeof write>) => {
    flush(args[0]);
    return write.apply(res, args);
  }) as typeof write;
  res.end = ((...args: Parameters<typeof end>) => {
    flush(args[0]);
    return end.apply(res, args);
  }) as typeof end;
}
