// A TCP server that says exactly what a test tells it to, well-formed or not. It reads requests as
// they arrive, records them with the connection and the segment they came in, and hands each to the
// test's handler, which writes raw bytes, ends, resets or stays silent. Real sockets on a free port
// of 127.0.0.1; `await using` ends it and all its connections.

import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

export interface SeenRequest {
  method: string;
  /** The request target as sent. */
  path: string;
  version: string;
  /** Names in lower case; the last of several wins. */
  headers: Record<string, string>;
  /** Bytes of the whole head. */
  bytes: number;
  /** `RawConnection.id` */
  connection: number;
  /** Place among the requests of its connection, from 0. */
  index: number;
  /** Place in `RawConnection.segments` of the `data` event that completed its head. */
  segment: number;
}

export interface RawHandler {
  onConnection?(connection: RawConnection): void;
  onRequest?(request: SeenRequest, connection: RawConnection): void;
  /** The client has sent its FIN. By default the server answers with its own. */
  onEnd?(connection: RawConnection): void;
}

export class RawConnection {
  /** From 1, in the order of acceptance. */
  readonly id: number;
  readonly socket: Socket;
  readonly requests: SeenRequest[] = [];
  /** What each `data` event brought. */
  readonly segments: Buffer[] = [];
  /** Resolves when the connection is gone, from whichever side. */
  readonly closed: Promise<void>;
  #rest = '';

  constructor(id: number, socket: Socket) {
    this.id = id;
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  /** One write. Nothing happens when the connection is gone. */
  write(bytes: string | Uint8Array): boolean {
    if (this.socket.destroyed || this.socket.writableEnded) return false;
    return this.socket.write(bytes);
  }

  /** FIN after what was written. */
  end(bytes?: string | Uint8Array): void {
    if (bytes !== undefined) this.write(bytes);
    if (!this.socket.destroyed) this.socket.end();
  }

  /** RST, once the kernel has taken what was written. */
  reset(): void {
    // Of a TLS socket only the one below it can be reset.
    const tcp = (this.socket as Socket & { _parent: Socket | null })._parent ?? this.socket;
    if (this.socket.writableLength === 0) tcp.resetAndDestroy();
    else this.socket.write('', () => tcp.resetAndDestroy());
  }

  /** Write `bytes` again and again, as fast as the client reads, until it hangs up or `times` is over. */
  pour(bytes: Uint8Array, times = Number.POSITIVE_INFINITY, then?: () => void): void {
    let left = times;
    const more = (): void => {
      while (left > 0 && !this.socket.destroyed) {
        left--;
        if (!this.socket.write(bytes)) {
          this.socket.once('drain', more);
          return;
        }
      }
      if (left <= 0) then?.();
    };
    more();
  }

  /** One piece every `everyMs`, until they are over or the client hangs up: a slow server. */
  drip(pieces: Iterable<string | Uint8Array>, everyMs: number): void {
    const iterator = pieces[Symbol.iterator]();
    const timer = setInterval(() => {
      const next = iterator.next();
      if (next.done || this.socket.destroyed) clearInterval(timer);
      else this.write(next.value);
    }, everyMs);
    this.socket.once('close', () => clearInterval(timer));
  }

  /** @returns the requests that this segment completed. */
  receive(segment: Buffer): SeenRequest[] {
    this.segments.push(segment);
    this.#rest += segment.toString('latin1');
    const complete: SeenRequest[] = [];
    for (;;) {
      const end = this.#rest.indexOf('\r\n\r\n');
      if (end === -1) return complete;
      const head = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end + 4);
      const request = parseHead(head, this.id, this.requests.length, this.segments.length - 1);
      this.requests.push(request);
      complete.push(request);
    }
  }
}

export class RawServer implements AsyncDisposable {
  /** Without a slash at the end. */
  readonly origin: string;
  readonly port: number;
  readonly connections: RawConnection[];
  /** All requests of all connections, in the order they arrived. */
  readonly requests: SeenRequest[];
  readonly #server: Server;
  /** Those in a TLS handshake too. */
  readonly #sockets = new Set<Socket>();

  constructor(
    server: Server,
    scheme: string,
    connections: RawConnection[],
    requests: SeenRequest[],
  ) {
    const address = server.address();
    this.port = typeof address === 'object' && address !== null ? address.port : 0;
    this.origin = `${scheme}://127.0.0.1:${this.port}`;
    this.connections = connections;
    this.requests = requests;
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** Of each connection, how many requests it carried. */
  get perConnection(): number[] {
    return this.connections.map(({ requests }) => requests.length);
  }

  /** Writes in which requests arrived: segments that completed at least one. */
  get writes(): number {
    return new Set(this.requests.map(({ connection, segment }) => `${connection}:${segment}`)).size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const { socket } of this.connections) socket.destroy();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

/** @param tls with a key and certificate: over TLS. */
export async function startRawServer(handler: RawHandler, tls?: TlsOptions): Promise<RawServer> {
  const connections: RawConnection[] = [];
  const requests: SeenRequest[] = [];
  const accept = (socket: Socket): void => {
    const connection = new RawConnection(connections.length + 1, socket);
    connections.push(connection);
    socket.setNoDelay(true);
    socket.on('error', () => {}); // the client may reset
    socket.on('data', (segment) => {
      const complete = connection.receive(segment as Buffer);
      requests.push(...complete);
      for (const request of complete) handler.onRequest?.(request, connection);
    });
    socket.once('end', () => {
      if (handler.onEnd === undefined) connection.end();
      else handler.onEnd(connection);
    });
    handler.onConnection?.(connection);
  };
  const server =
    tls === undefined
      ? createServer({ allowHalfOpen: true }, accept)
      : createTlsServer({ ...tls, allowHalfOpen: true } as TlsOptions, accept);
  // A handshake that failed never becomes a connection of ours.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return new RawServer(server, tls === undefined ? 'http' : 'https', connections, requests);
}

/** A server that answers each request so, and does nothing else of its own. */
export function answering(
  onRequest: NonNullable<RawHandler['onRequest']>,
  tls?: TlsOptions,
): Promise<RawServer> {
  return startRawServer({ onRequest }, tls);
}

/** A port of 127.0.0.1 on which nothing listens: it was free a moment ago. */
export async function closedPort(): Promise<number> {
  const server = await startRawServer({});
  const { port } = server;
  await server[Symbol.asyncDispose]();
  return port;
}

/** A whole response with Content-Length, unless `headers` frames it in another way. */
export function response(
  body: string | Uint8Array,
  headers: Record<string, string> = {},
  status = '200 OK',
  version = 'HTTP/1.1',
): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const framed = names.includes('content-length') || names.includes('transfer-encoding');
  const lines = [
    `${version} ${status}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(framed ? [] : [`Content-Length: ${bytes.length}`]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}

function parseHead(head: string, connection: number, index: number, segment: number): SeenRequest {
  const [requestLine = '', ...lines] = head.split('\r\n');
  const [method = '', path = '', version = ''] = requestLine.split(' ');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { method, path, version, headers, bytes: head.length + 4, connection, index, segment };
}
