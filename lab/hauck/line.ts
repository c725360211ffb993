// A line as Hauck's client has it (1994, 2 and 3): one request at a time over HTTP/1.0, on a line that is held until the
// server closes it, or on a connection for each request.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Target {
  host: string;
  port: number;
  /** Seconds of Hold-Line that are asked for; null: the standard protocol. */
  holdLine: number | null;
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

  static async open({ host, port }: Target): Promise<Line> {
    const socket = connect({ host, port, noDelay: true });
    await once(socket, 'connect');
    return new Line(socket);
  }

  /** @returns null if the server closed the line before it answered: the request is to be sent on a new one */
  async get({ holdLine }: Target, path: string): Promise<Reply | null> {
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

/** Requests to one server, over the held line if there is one. */
export class HeldLine {
  connections = 0;
  requests = 0;
  readonly #target: Target;
  #held: Line | null = null;

  constructor(target: Target) {
    this.#target = target;
  }

  async load(path: string): Promise<Buffer> {
    for (let tries = 0; tries < 3; tries++) {
      if (this.#held?.isEnded) this.#held = null;
      if (this.#held === null) this.connections++;
      const line: Line = this.#held ?? (await Line.open(this.#target));
      this.requests++;
      const reply = await line.get(this.#target, path);
      this.#held = reply?.isHeld ? line : null;
      if (this.#held === null) line.close();
      // "A silent retry opening a new connection" (2.2).
      if (reply !== null) return reply.body;
    }
    throw new Error(`${path}: closed three times`);
  }

  close(): void {
    this.#held?.close();
    this.#held = null;
  }
}
