// The socket of an HTTP/1 connection that answers pipelined requests: a Duplex around the real one. Its input can be
// held while enough requests are pending, and destroySoon() closes each half separately (#linger). Bytes keep their
// order; while the real socket is full, writes are acknowledged late, so writers notice a slow reader. A feature that
// changes connections is a layer around this class: it may replace `output`, `onRequestBytes` and methods.

import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { gatherPieces } from '../../process/gathered-pieces.ts';
import { limitConstants, type ServerLimits } from './limits.ts';
import { SocketFacade } from './socket-facade.ts';

type SocketLimits = Pick<ServerLimits, 'lingerTimeoutMs' | 'maxLingerBytes'>;

type Done = (error?: Error | null) => void;

/** How bytes get from the writer to the client. */
export interface Output {
  /**
   * Chunks that are given together, as header and body are, are sent together. `done` is called when there is room for
   * more.
   */
  write(chunks: readonly Buffer[], done: Done): void;
  /** Sends what was gathered but not sent yet, because the connection ends. */
  flush(): void;
}

/** What a layer (a feature that changes connections, ConnectionLayer) may see and change of an HTTP/1 connection. */
export interface LayeredSocket extends Duplex {
  /** The underlying socket. */
  readonly raw: Socket | TLSSocket;
  /** The output that passes each write to the real socket at once. */
  readonly direct: Output;
  /** Where writes go: `direct`, or an output that a ConnectionLayer puts in front of it. */
  output: Output;
  /** Number of writes to the underlying socket. */
  writes: number;
  /** Returns the bytes that the parser reads in place of the first ones of a request; null: no replacement. */
  onRequestBytes: ((bytes: Buffer) => Buffer) | null;
  /** Sends what is written and closes each half by itself, after the last response. */
  destroySoon(): void;
}

/** Changes the socket of each HTTP/1 connection before anything is read from it. */
export type ConnectionLayer = (socket: LayeredSocket) => void;

/** Size of the pieces that the parser gets, bytes: some seventy of the smallest requests, or five of a browser's. */
const passedOnBytes = 2 * 1024;

export class ConnectionSocket extends SocketFacade implements LayeredSocket {
  writes = 0;
  onRequestBytes: LayeredSocket['onRequestBytes'] = null;
  /** Returns whether the next bytes of the input begin a request. */
  isAtRequest: () => boolean = () => false;
  readonly direct: Output;
  output: Output;

  readonly #lingerTimeoutMs: number;
  readonly #maxLingerBytes: number;

  #isHolding = false;
  #isYielding = false;
  #releasing: NodeJS.Immediate | undefined;
  #isDiscarding = false;
  #discardedBytes = 0;
  #isLingering = false;
  #lingerTimer: NodeJS.Timeout | undefined;

  constructor(raw: Socket | TLSSocket, limits: SocketLimits = limitConstants) {
    super(raw);
    this.direct = { write: (chunks, done) => this.#writeNow(chunks, done), flush: () => {} };
    this.output = this.direct;
    this.#lingerTimeoutMs = limits.lingerTimeoutMs;
    this.#maxLingerBytes = limits.maxLingerBytes;
    raw.pause();
    gatherPieces(raw);
    gatherPieces(this);
    raw.on('data', (chunk: Buffer) => this.#receive(chunk));
    raw.on('end', () => this.#receiveEnd());
    raw.on('error', (error) => this.destroy(this.#isLingering ? undefined : error));
    raw.on('close', () => this.destroy());
    raw.on('timeout', () => this.emit('timeout'));
  }

  // The methods for settings follow, except setNoDelay(): a ConnectionLayer calls it on the real socket.

  override setTimeout(timeoutMs: number, listener?: () => void): this {
    this.raw.setTimeout(timeoutMs);
    if (listener && timeoutMs === 0) this.removeListener('timeout', listener);
    else if (listener) this.once('timeout', listener);
    return this;
  }

  override setKeepAlive(enable?: boolean, initialDelayMs?: number): this {
    this.raw.setKeepAlive(enable, initialDelayMs);
    return this;
  }

  override ref(): this {
    this.raw.ref();
    return this;
  }

  override unref(): this {
    this.raw.unref();
    return this;
  }

  /** Closes the connection with RST. */
  override resetAndDestroy(): this {
    this.raw.resetAndDestroy();
    return this.destroy();
  }

  // The methods for output follow.

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.output.write([chunk], done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: Done): void {
    this.output.write(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  #writeNow(chunks: readonly Buffer[], done: Done): void {
    const { raw } = this;
    const some = chunks.filter(({ length }) => length > 0);
    if (some.length === 0 || raw.destroyed) {
      done();
      return;
    }
    // While a ConnectionLayer keeps the real socket corked, these chunks become part of a later write, which it counts.
    if (raw.writableCorked === 0) this.writes++;
    raw.cork();
    let hasRoom = true;
    for (const chunk of some) hasRoom = raw.write(chunk);
    raw.uncork();
    if (hasRoom) done();
    else raw.once('drain', done);
  }

  override _final(done: Done): void {
    this.output.flush();
    this.raw.end(() => done(this.raw.errored));
  }

  /** Bytes accepted from the writer and not yet passed to the kernel. */
  get pendingBytes(): number {
    return this.writableLength + this.raw.writableLength;
  }

  // The methods for input follow.

  override _read(): void {
    if (!this.#isStopped) this.raw.resume();
  }

  /** Passes on a chunk in small pieces, so that holdInput() takes effect within the chunk that caused the call. */
  #receive(chunk: Buffer): void {
    let start = 0;
    while (start < chunk.length && !this.#isDiscarding) {
      const part = chunk.subarray(start, start + passedOnBytes);
      start += part.length;
      const isFirst = this.onRequestBytes !== null && this.isAtRequest();
      if (this.push(isFirst ? this.onRequestBytes?.(part) : part) && !this.#isStopped) continue;
      if (this.#isDiscarding) break;
      this.raw.pause();
      if (start < chunk.length) this.raw.unshift(chunk.subarray(start));
      return;
    }
    if (this.#isDiscarding) this.#discard(chunk.length - start);
  }

  #discard(bytes: number): void {
    this.#discardedBytes += bytes;
    if (this.#discardedBytes <= this.#maxLingerBytes) return;
    // After `maxLingerBytes`, a lingering connection is closed; one with responses still to write is not read further.
    if (this.#isLingering) this.destroy();
    else this.raw.pause();
  }

  #receiveEnd(): void {
    if (!this.#isDiscarding) this.push(null);
    else if (this.#isLingering) this.destroy();
  }

  /** Stops reading until releaseInputNextTurn(), because enough requests are pending. */
  holdInput(): void {
    this.#isHolding = true;
    clearImmediate(this.#releasing);
    this.#releasing = undefined;
  }

  /**
   * Continues reading in the next turn of the event loop, so that a client with endless quick requests cannot keep
   * others from being served.
   */
  releaseInputNextTurn(): void {
    if (!this.#isHolding || this.#releasing !== undefined) return;
    this.#releasing = setImmediate(() => {
      this.#releasing = undefined;
      this.#isHolding = false;
      this._read();
    });
  }

  /** Stops reading until goOn(), besides holdInput(): tinyPieces() does so where a client sends many tiny pieces. */
  stop(): void {
    this.#isYielding = true;
  }

  goOn(): void {
    this.#isYielding = false;
    this._read();
  }

  get #isStopped(): boolean {
    return this.#isHolding || this.#isYielding;
  }

  /** Reads and discards all further input, which was sent before the peer knew of the close. */
  discardInput(): void {
    if (this.#isDiscarding) return;
    this.#isDiscarding = true;
    this.raw.resume();
  }

  // The methods that close follow.

  /**
   * Sends what is gathered, closes the sending half and lingers. http.Server calls this after the last response of a
   * connection.
   */
  override destroySoon(): void {
    this.discardInput();
    if (this.#isLingering || this.destroyed) return;
    if (!this.writableEnded) this.end();
    if (this.writableFinished) this.#linger();
    else this.once('finish', () => this.#linger());
  }

  /**
   * Reads and discards what the client still sends until it closes its half, within limits of time and size: requests
   * that arrive on a closed socket cause an RST, which can make the client lose responses it has not read yet. 'Servers
   * must therefore close each half of the connection independently' (Nielsen, Gettys et al. 1997, Connection
   * Management; RFC 9112 9.6).
   */
  #linger(): void {
    if (this.#isLingering) return;
    this.#isLingering = true;
    if (this.raw.readableEnded || this.#discardedBytes > this.#maxLingerBytes) {
      this.destroy();
      return;
    }
    this.raw.setTimeout(0);
    this.#lingerTimer = setTimeout(() => this.destroy(), this.#lingerTimeoutMs).unref();
  }

  override _destroy(error: Error | null, done: Done): void {
    // Unless there was an error, earlier writes still go to the kernel if it has room, as with a bare socket.
    if (error === null) this.output.flush();
    clearImmediate(this.#releasing);
    clearTimeout(this.#lingerTimer);
    this.raw.destroy();
    done(error);
  }
}
