// The connection of a request that the site gets from within: what the site writes is cut into head and body. Its
// address and certificate are those of the client's connection, so that the site treats both requests alike. Nothing
// that the site does to this connection touches the client's.

import type { Socket } from 'node:net';
import { Duplex, Readable } from 'node:stream';
import type { HeaderPair } from '../../http/header-pairs.ts';

export interface InnerHead {
  readonly status: number;
  readonly reason: string;
  readonly fields: HeaderPair[];
}

/** Properties that are read from the client's connection. */
const delegated = `remoteAddress remoteFamily remotePort localAddress localFamily localPort
    address encrypted authorized authorizationError alpnProtocol servername
    getPeerCertificate getPeerX509Certificate getCipher getProtocol getSession`.split(/\s+/);

const bodyBytes = 64 * 1024;
const nothing: Buffer = Buffer.alloc(0);

export class InnerSocket extends Duplex {
  /** Rejects if the response ends before its head. */
  readonly head: Promise<InnerHead>;
  /** Fails with an error if the site gave up. Destroying it ends the response. */
  readonly body: Readable;
  readonly client: Socket;
  #onHead: (head: InnerHead) => void = () => {};
  #onNoHead: (error: Error) => void = () => {};
  /** Bytes of the head while it is incomplete; null once it was read. */
  #headBytes: Buffer | null = nothing;
  #resume: (() => void) | null = null;
  #isFinished = false;

  constructor(client: Socket) {
    super({ emitClose: true });
    this.client = client;
    this.head = new Promise((resolve, reject) => {
      this.#onHead = resolve;
      this.#onNoHead = reject;
    });
    this.head.catch(() => {});
    this.body = new Readable({
      highWaterMark: bodyBytes,
      read: () => {
        const resume = this.#resume;
        this.#resume = null;
        resume?.();
      },
      destroy: (error, done) => {
        this.destroy();
        done(error);
      },
    });
    this.body.on('error', () => {});
    this.on('error', () => {});
  }

  /** The site has written all of its response. */
  finishResponse(): void {
    this.#isFinished = true;
    this.body.push(null);
    this.destroy();
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: string, done: () => void): void {
    const rest = this.#headBytes === null ? chunk : this.#readHead(this.#headBytes, chunk);
    if (rest.length === 0 || this.body.push(rest)) done();
    else this.#resume = done;
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const cut = error ?? new Error('the response ended too early');
    this.#onNoHead(cut);
    if (!this.#isFinished) this.body.destroy(cut);
    done(null);
  }

  destroySoon(): void {
    this.end(() => this.destroy());
  }

  resetAndDestroy(): this {
    return this.destroy();
  }

  setTimeout(): this {
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }

  /** @returns What follows the head */
  #readHead(before: Buffer, chunk: Buffer): Buffer {
    let bytes = Buffer.concat([before, chunk]);
    for (;;) {
      const end = bytes.indexOf('\r\n\r\n');
      this.#headBytes = bytes;
      if (end === -1) return nothing;
      const head = parseHead(bytes.toString('latin1', 0, end));
      bytes = bytes.subarray(end + 4);
      // Interim responses (1xx) are dropped, because nobody waits for them.
      if (head.status < 200 && head.status !== 101) continue;
      this.#headBytes = null;
      this.#onHead(head);
      return bytes;
    }
  }
}

for (const name of delegated) {
  Object.defineProperty(InnerSocket.prototype, name, {
    get(this: InnerSocket) {
      try {
        const value = (this.client as unknown as Record<string, unknown>)[name];
        return typeof value === 'function' ? value.bind(this.client) : value;
      } catch {
        // A socket of HTTP/2 throws once its session is gone.
        return undefined;
      }
    },
  });
}

/** Parses a head that Node wrote, which is well-formed. */
function parseHead(text: string): InnerHead {
  const [statusLine = '', ...lines] = text.split('\r\n');
  const fields = lines.map((line): HeaderPair => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return { status: Number(statusLine.slice(9, 12)), reason: statusLine.slice(13), fields };
}
