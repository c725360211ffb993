// Reproduces faults of early HTTP servers, each switched on by name to show what it costs: a handler undoes on each
// connection what CoalescingSocket does against them. Heidemann 1996 found the first, second and fourth in Apache
// 1.1b4; Nielsen, Gettys et al. 1997 the third in Apache 1.2b2.

import type { ServerResponse } from 'node:http';
import { listOf, oneOf } from '../../options/kinds.ts';
import { checked, objectOf, required } from '../../options/options.ts';
import { invalidOption } from '../errors.ts';
import { CoalescingSocket } from '../listen/coalescing-socket.ts';
import { type Handler, isHttp1 } from '../listen/handler.ts';

const names = ['split-headers', 'nagle', 'close-both-halves', 'small-buffers'] as const;

/**
 * `split-headers`: the header section is sent in a write of its own, before the content (Heidemann 1996, 2.2).
 * `nagle`: TCP_NODELAY is off, so the kernel holds back a short segment while one is unacknowledged (2.3).
 * `close-both-halves`: both halves are closed after the last response, even if requests still arrive (Nielsen, Gettys
 * et al. 1997). `small-buffers`: responses are written in pieces of 4 KB, as from a standard I/O library's buffer
 * (Heidemann 1996, 2.3 and 2.5).
 */
export type StudyFault = (typeof names)[number];

const table = { study: required(listOf(oneOf(names), 'a list of faults')) };

type Done = (error?: Error | null) => void;

/** Buffer size of Apache 1.1, and a common size of socket buffers at that time (Heidemann 1996, 2.3, 2.5). */
const smallWriteBytes = 4 * 1024;

/**
 * A handler, the first of `createOrigin`, that makes HTTP/1 slow on purpose.
 * @throws ServerError 'invalid-option'
 */
export function studyFaults(study: readonly StudyFault[]): Handler {
  const faults = new Set(checked(objectOf(table), { study }, invalidOption).study);
  const faulty = new WeakSet<object>();
  return (req, res, next) => {
    // A part of a page that is sent in one response has no connection of its own.
    if (isHttp1(req) && (req.socket as unknown) instanceof CoalescingSocket) {
      const socket = req.socket as unknown as CoalescingSocket;
      if (!faulty.has(socket)) spoil(socket, faults);
      faulty.add(socket);
      if (faults.has('split-headers')) sendHeadersFirst(res as unknown as ServerResponse);
    }
    next();
  };
}

function spoil(socket: CoalescingSocket, faults: ReadonlySet<StudyFault>): void {
  const isSplit = faults.has('split-headers');
  const isSmall = faults.has('small-buffers');
  // Gathered responses would be sent in such large writes that none of these three faults shows.
  if (isSplit || isSmall || faults.has('nagle')) socket.maxGatheredBytes = 0;
  if (faults.has('nagle')) socket.raw.setNoDelay(false);
  const write = socket._write.bind(socket);
  socket._write = (chunk, encoding, done) => {
    if (!isSmall || chunk.length <= smallWriteBytes) {
      write(chunk, encoding, done);
      return;
    }
    write(chunk.subarray(0, smallWriteBytes), encoding, (error) => {
      if (error) done(error);
      // The rest waits a turn, because Node would join it to the write before it if the kernel is slow.
      else setImmediate(() => writeRest(chunk.subarray(smallWriteBytes), encoding, done));
    });
  };
  const writeRest: typeof socket._write = (chunk, encoding, done) => {
    if (!socket.destroyed) socket._write(chunk, encoding, done);
  };
  socket._writev = (chunks, done) => {
    const buffers = chunks.map(({ chunk }) => chunk);
    writeAll(isSplit ? buffers : [Buffer.concat(buffers)], done);
  };
  const writeAll = ([first, ...rest]: readonly Buffer[], done: Done): void => {
    if (first === undefined) {
      done();
      return;
    }
    socket._write(first, 'buffer' as BufferEncoding, (error) => {
      if (error) done(error);
      else writeAll(rest, done);
    });
  };
  if (!faults.has('close-both-halves')) return;
  socket.destroySoon = () => {
    if (socket.destroyed) return;
    if (!socket.writableEnded) socket.end();
    if (socket.writableFinished) socket.destroy();
    else socket.once('finish', () => socket.destroy());
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
