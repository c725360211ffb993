// Sends a request to the site from within, with the fields and the address of the client's request. The site answers it
// like any other, on a connection of its own: what the site does to this connection does not touch the client's. The
// response is read whole, so it is complete or there is none.

import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { fieldLines, type HeaderPair, hasField } from '../../http/header-pairs.ts';
import { markInner, type Request, type Site } from '../listen/handler.ts';
import { SocketFacade } from '../listen/socket-facade.ts';

export interface InnerHead {
  readonly status: number;
  readonly fields: HeaderPair[];
}

interface InnerAsked {
  readonly site: Site;
  /** The client's request for the page. */
  readonly req: Request;
  readonly target: string;
  readonly fields: readonly HeaderPair[];
  /** Longest response that is read, bytes. */
  readonly maxBytes: number;
}

/**
 * Asks the site for a resource of the page, and returns the socket that stands in for the connection of this request.
 * Its `destroy()` makes the site see that the client is gone.
 */
export function askSite({ site, req: client, target, fields, maxBytes }: InnerAsked): InnerSocket {
  const socket = new InnerSocket(client.socket as Socket, maxBytes);
  const req = new IncomingMessage(socket as unknown as Socket);
  Object.assign(req, { method: 'GET', url: target, complete: true, httpVersionMajor: 1 });
  req.headers = byName(fields);
  req.rawHeaders = fields.flat();
  req.push(null);
  // Node answers a request of HTTP/1.0 without chunked coding; the site still sees HTTP/1.1.
  req.httpVersionMinor = 0;
  const res = new ServerResponse(req);
  Object.assign(req, { httpVersion: '1.1', httpVersionMinor: 1 });
  // This keeps Node from writing chunks even if the site itself sets `Transfer-Encoding: chunked`.
  Object.defineProperty(res, 'chunkedEncoding', { get: () => false, set() {} });
  res.assignSocket(socket as unknown as Socket);
  // http.Server handles 'drain' and 'finish' for its own responses, but never sees this response.
  socket.on('drain', () => res.emit('drain'));
  res.once('finish', () => socket.finishResponse());
  socket.once('close', () => req.destroy());
  markInner(req, 'part');
  try {
    const result = site(req, res);
    if (result instanceof Promise) result.catch(() => socket.destroy());
  } catch {
    socket.destroy();
  }
  return socket;
}

/** Joins repeated fields as node:http does; fields that node:http does not join occur once in the client's request. */
function byName(fields: readonly HeaderPair[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of fields) {
    const key = name.toLowerCase();
    const before = headers[key];
    const separator = key === 'cookie' ? '; ' : ', ';
    headers[key] = before === undefined ? value : `${before}${separator}${value}`;
  }
  return headers;
}

/** Stands in for the connection to a client: splits what the site writes into head and body. */
export class InnerSocket extends SocketFacade {
  readonly #head = Promise.withResolvers<InnerHead>();
  readonly #body = Promise.withResolvers<Buffer>();
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Content-Length of the response; null: it has none, or several. */
  #length: number | null = null;
  #hasHead = false;

  constructor(client: Socket, maxBytes: number) {
    super(client);
    this.#maxBytes = maxBytes;
    this.#head.promise.catch(() => {});
    this.#body.promise.catch(() => {});
    this.on('error', () => {});
  }

  /** The head of the response; the promise rejects if the site gave up. */
  get head(): Promise<InnerHead> {
    return this.#head.promise;
  }

  /** The body of the response; the promise rejects if the site gave up, wrote too much, or broke its Content-Length. */
  get body(): Promise<Buffer> {
    return this.#body.promise;
  }

  /** Completes the body, if it has its announced length. Called when the site has written all of its response. */
  finishResponse(): void {
    const isWhole = this.#hasHead && (this.#length ?? this.#bytes) === this.#bytes;
    if (isWhole) this.#body.resolve(Buffer.concat(this.#chunks));
    this.#chunks = [];
    this.destroy();
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (!this.#hasHead) this.#readHead();
    if (this.#bytes > this.#maxBytes) this.destroy();
    done();
  }

  override _destroy(_error: Error | null, done: () => void): void {
    const error = new Error('the response ended too early');
    this.#head.reject(error);
    this.#body.reject(error);
    done();
  }

  #readHead(): void {
    let bytes = Buffer.concat(this.#chunks);
    for (let end = bytes.indexOf('\r\n\r\n'); end !== -1; end = bytes.indexOf('\r\n\r\n')) {
      const head = parseHead(bytes.toString('latin1', 0, end));
      bytes = bytes.subarray(end + 4);
      // Interim responses are dropped, because nobody waits for them; 101 is a final one.
      if (head.status < 200 && head.status !== 101) continue;
      this.#hasHead = true;
      this.#length = lengthOf(head.fields);
      this.#head.resolve(head);
      break;
    }
    this.#chunks = [bytes];
    this.#bytes = bytes.length;
  }
}

/** Parses the head of a response that Node wrote, which is well-formed. */
function parseHead(text: string): InnerHead {
  const [statusLine = '', ...lines] = text.split('\r\n');
  const fields = lines.map((line): HeaderPair => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return { status: Number(statusLine.slice(9, 12)), fields };
}

/** Returns the Content-Length of a response; null if it has no valid one, or several. */
function lengthOf(fields: readonly HeaderPair[]): number | null {
  const [line = '', ...others] = fieldLines(fields, 'content-length');
  return /^\d{1,15}$/.test(line) && others.length === 0 ? Number(line) : null;
}

/** Returns whether the response may be read: it has no Content-Length, or one of at most `maxBytes`. */
export function isReadable({ fields }: InnerHead, maxBytes: number): boolean {
  const length = lengthOf(fields);
  return length === null ? !hasField(fields, 'content-length') : length <= maxBytes;
}
