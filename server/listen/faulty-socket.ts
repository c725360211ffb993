// A connection with the faults of early servers, for study only (study-faults.ts). It undoes what CoalescingSocket
// does against each fault: one write for header and content, TCP_NODELAY, large writes, closing one half at a time.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { CoalescingSocket } from './coalescing-socket.ts';
import type { Limits } from './limits.ts';
import type { StudyFaults } from './study-faults.ts';

type Done = (error?: Error | null) => void;

/** Buffer size of Apache 1.1, and a common size of socket buffers then (Heidemann 1996, 2.3, 2.5). */
const smallWriteBytes = 4 * 1024;

export class FaultySocket extends CoalescingSocket {
  readonly #faults: StudyFaults;

  constructor(raw: Socket | TLSSocket, limits: Limits, faults: StudyFaults) {
    const { splitHeaders, nagle, smallBuffers } = faults;
    // If responses were gathered, they would leave in writes so large that none of the three faults shows.
    const isGathering = !splitHeaders && !nagle && !smallBuffers;
    super(raw, isGathering ? limits : { ...limits, maxGatheredBytes: 0 });
    this.#faults = faults;
    if (nagle) raw.setNoDelay(false);
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: Done): void {
    if (!this.#faults.smallBuffers || chunk.length <= smallWriteBytes) {
      super._write(chunk, encoding, done);
      return;
    }
    super._write(chunk.subarray(0, smallWriteBytes), encoding, (error) => {
      if (error) done(error);
      // The rest waits a turn, because Node would join it to the write before it if the kernel is slow.
      else setImmediate(() => this.#writeRest(chunk.subarray(smallWriteBytes), encoding, done));
    });
  }

  #writeRest(chunk: Buffer, encoding: BufferEncoding, done: Done): void {
    if (!this.destroyed) this._write(chunk, encoding, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: Done): void {
    const buffers = chunks.map(({ chunk }) => chunk);
    this.#writeAll(this.#faults.splitHeaders ? buffers : [Buffer.concat(buffers)], done);
  }

  #writeAll([first, ...rest]: readonly Buffer[], done: Done): void {
    if (first === undefined) {
      done();
      return;
    }
    this._write(first, 'buffer' as BufferEncoding, (error) => {
      if (error) done(error);
      else this.#writeAll(rest, done);
    });
  }

  override destroySoon(): void {
    if (!this.#faults.closeBothHalves) {
      super.destroySoon();
      return;
    }
    if (this.destroyed) return;
    if (!this.writableEnded) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }
}

/** Sends the header section before the first byte of content, as Apache 1.1 did by an explicit flush. */
export function sendHeadersFirst(res: ServerResponse): void {
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
