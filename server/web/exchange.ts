// A request of the Fetch Standard, and the response to it, in the form of node:http, in which the middleware of hints()
// knows them. Only the members that hints() uses are there, so any runtime with `Request` and `Response` will do.

import { EventEmitter } from 'node:events';

type FieldLines = string | string[];

/**
 * Returns the request as the middleware reads it.
 * @param address Address of the connection's other end: of the visitor, or of a proxy in front; undefined: unknown
 * @param base Path below which the site is; a slash at its end does not count
 */
export function requestOf(request: Request, address: string | undefined, base: string) {
  const { pathname, search, host, protocol } = new URL(request.url);
  return {
    method: request.method,
    url: pathname + search,
    baseUrl: base.replace(/\/$/, ''),
    headers: { host, ...Object.fromEntries(request.headers) } as Record<string, FieldLines>,
    rawHeaders: [],
    httpVersion: '1.1',
    httpVersionMajor: 1,
    complete: true,
    socket: { remoteAddress: address, encrypted: protocol === 'https:', destroyed: false },
    /** Reads the body; called only for a beacon, which the site's function does not get, so nobody else reads it. */
    async *[Symbol.asyncIterator]() {
      if (request.body !== null) yield* request.body;
    },
  };
}

/** The response as the middleware writes it: nothing is sent, it collects the header fields and a body of its own. */
export class ResponseDraft extends EventEmitter {
  statusCode = 200;
  headersSent = false;
  writableEnded = false;
  readonly destroyed = false;
  /** Resolves when the middleware has answered by itself. */
  readonly answered: Promise<void>;
  readonly #fields = new Map<string, { name: string; value: FieldLines }>();
  /** The body that the middleware answers with. */
  body: string | Uint8Array<ArrayBuffer> | null = null;

  constructor() {
    super();
    this.answered = new Promise((resolve) => {
      this.once('finish', resolve);
    });
  }

  setHeader(name: string, value: FieldLines): this {
    this.#fields.set(name.toLowerCase(), { name, value });
    return this;
  }

  getHeader(name: string): FieldLines | undefined {
    return this.#fields.get(name.toLowerCase())?.value;
  }

  hasHeader(name: string): boolean {
    return this.#fields.has(name.toLowerCase());
  }

  removeHeader(name: string): void {
    this.#fields.delete(name.toLowerCase());
  }

  writeHead(status: number): this {
    this.statusCode = status;
    this.headersSent = true;
    return this;
  }

  /** Called with each chunk of the site's body only to count it: response-hooks.ts wraps this method. */
  write(_chunk: Uint8Array): boolean {
    return true;
  }

  end(body?: string | Uint8Array<ArrayBuffer>): this {
    if (!this.headersSent) this.writeHead(this.statusCode);
    this.body = body === undefined || body.length === 0 ? null : body;
    this.writableEnded = true;
    this.emit('finish');
    return this;
  }

  /** Takes over the fields of the site's response; the middleware adds its own. @param status The status to learn */
  begin({ headers }: Response, status: number): void {
    for (const [name, value] of headers) if (name !== 'set-cookie') this.setHeader(name, value);
    const cookies = headers.getSetCookie();
    if (cookies.length > 0) this.setHeader('set-cookie', cookies);
    this.writeHead(status);
  }

  get headers(): Headers {
    const headers = new Headers();
    for (const { name, value } of this.#fields.values())
      for (const each of [value].flat()) headers.append(name, each);
    return headers;
  }
}
