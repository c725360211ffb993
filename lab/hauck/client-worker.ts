// Hauck's client (1994, 3): one request at a time over HTTP/1.0, for a document and then for the images that it names. It
// asks for Hold-Line and uses the line until it finds it closed, with no timer of its own; else it opens a connection for
// each request. One line of JSON in, one line out.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export interface Visit {
  host: string;
  port: number;
  /** The document. */
  path: string;
  /** Seconds of Hold-Line that are asked for; null: the standard protocol. */
  holdLine: number | null;
}

export interface VisitTimes {
  /** From the first open to the last close, as he measured. */
  ms: number;
  /** From the first open to the last byte. */
  lastByteMs: number;
  connections: number;
  requests: number;
  bytes: number;
}

interface Reply {
  /** Whether the server holds the line. */
  isHeld: boolean;
  body: Buffer;
}

/** A connection, which is asked for one document at a time. */
class Line {
  readonly #socket: Socket;
  #taken: Buffer[] = [];
  /** Called when more has come, and when the connection has ended. */
  #onMore: () => void = () => {};
  isEnded = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    const end = () => {
      this.isEnded = true;
      this.#onMore();
    };
    socket.on('data', (chunk) => {
      this.#taken.push(chunk);
      this.#onMore();
    });
    socket.on('end', end).on('error', end).on('close', end);
  }

  static async open({ host, port }: Visit): Promise<Line> {
    const socket = connect({ host, port, noDelay: true });
    await once(socket, 'connect');
    return new Line(socket);
  }

  /** @returns null if the server closed the line before it answered: the request is to be sent on a new one */
  async get({ holdLine }: Visit, path: string): Promise<Reply | null> {
    this.#taken = [];
    const field = holdLine === null ? '' : `Hold-Line: ${holdLine}\r\n`;
    this.#socket.write(`GET ${path} HTTP/1.0\r\n${field}\r\n`);
    for (;;) {
      const bytes = Buffer.concat(this.#taken);
      const end = bytes.indexOf('\r\n\r\n');
      const head = bytes.toString('latin1', 0, Math.max(0, end));
      const isHeld = holdLine !== null && /\r\nhold-line:/i.test(head);
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
      const body = bytes.subarray(end + 4);
      // A standard reply ends with its connection.
      const isWhole = isHeld ? body.length === Number(length) : this.isEnded;
      if (end >= 0 && isWhole) {
        if (!/^HTTP\/1\.[01] 200 /.test(head)) throw new Error(`${path}: ${head.split('\r\n')[0]}`);
        return { isHeld, body };
      }
      if (this.isEnded) return null;
      await new Promise<void>((resolve) => {
        this.#onMore = resolve;
      });
    }
  }

  close(): void {
    this.#socket.destroy();
  }
}

async function run(visit: Visit): Promise<VisitTimes> {
  const startedAt = performance.now();
  const counts = { connections: 0, requests: 0, bytes: 0 };
  let held: Line | null = null;
  const load = async (path: string): Promise<Buffer> => {
    for (let tries = 0; tries < 3; tries++) {
      if (held?.isEnded) held = null;
      if (held === null) counts.connections++;
      const line: Line = held ?? (await Line.open(visit));
      counts.requests++;
      const reply = await line.get(visit, path);
      held = reply?.isHeld ? line : null;
      if (held === null) line.close();
      // "A silent retry opening a new connection" (2.2).
      if (reply === null) continue;
      counts.bytes += reply.body.length;
      return reply.body;
    }
    throw new Error(`${path}: closed three times`);
  };
  const html = (await load(visit.path)).toString('latin1');
  const images = new Set([...html.matchAll(/<img src="?([^" >]+)/gi)].map(([, name]) => name));
  for (const name of images) await load(`${visit.path}${name}`);
  const lastByteMs = performance.now() - startedAt;
  (held as Line | null)?.close();
  return { ms: performance.now() - startedAt, lastByteMs, ...counts };
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await run(JSON.parse(line)))}\n`);
}
