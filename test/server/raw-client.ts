// A client that hides nothing: bytes go out as they are, answers are parsed only as far as a test needs.

import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly headerBytes: number;
}

/** Cuts a stream of answers into answers; `methods` tells which of them have no body (HEAD). */
export function parseAnswers(bytes: Buffer, methods: readonly string[] = []): Answer[] {
  const answers: Answer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) break;
    const [statusLine = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const colon = line.indexOf(': ');
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 2);
    }
    const hasBody = status !== 304 && methods[answers.length] !== 'HEAD';
    const length = hasBody ? Number(headers['content-length'] ?? rest.length) : 0;
    const headerBytes = end + 4;
    const body = rest.subarray(headerBytes, headerBytes + length);
    answers.push({ status, headers, body, headerBytes });
    rest = rest.subarray(headerBytes + length);
  }
  return answers;
}

export class RawClient {
  readonly socket: Socket;
  readonly chunks: Buffer[] = [];
  /** Resolves with the error, if any, when both halves are closed. */
  readonly closed: Promise<Error | undefined>;
  /** Resolves when the server closed its half; false when the connection broke instead. */
  readonly ended: Promise<boolean>;

  constructor(port: number, { allowHalfOpen = false, isPaused = false } = {}) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen, noDelay: true });
    let error: Error | undefined;
    this.socket.on('error', (problem) => {
      error = problem;
    });
    this.closed = new Promise((resolve) => this.socket.on('close', () => resolve(error)));
    this.ended = new Promise((resolve) => {
      this.socket.on('end', () => resolve(true));
      this.socket.on('close', () => resolve(false));
    });
    if (!isPaused) this.read();
  }

  read(): void {
    this.socket.on('data', (chunk: Buffer) => this.chunks.push(chunk));
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }

  send(text: string): void {
    this.socket.write(text, 'latin1');
  }

  /** Resolves when as many whole answers came; rejects when the connection ends before. */
  answers(count: number, methods?: readonly string[]): Promise<Answer[]> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const answers = parseAnswers(this.bytes, methods);
        const last = answers[count - 1];
        if (last === undefined) return;
        const isHead = methods?.[count - 1] === 'HEAD' || last.status === 304;
        if (!isHead && last.body.length < Number(last.headers['content-length'])) return;
        this.socket.removeListener('data', look);
        this.socket.removeListener('close', fail);
        resolve(answers);
      };
      this.socket.on('data', look);
      const fail = () => reject(new Error(`closed after: ${this.bytes.toString()}`));
      this.socket.once('close', fail);
      look();
    });
  }
}

/** Sends text and reads until the server closes; the text should ask for that. */
export async function exchange(port: number, text: string, methods?: string[]): Promise<Answer[]> {
  const client = new RawClient(port);
  client.send(text);
  const error = await client.closed;
  if (error) throw error;
  return parseAnswers(client.bytes, methods);
}

/** One request on a connection of its own. */
export async function ask(
  port: number,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Answer> {
  const { Host: host = 'a', ...others } = headers;
  const lines = Object.entries(others).map(([name, value]) => `${name}: ${value}\r\n`);
  const text = `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${lines.join('')}\r\n`;
  const [answer] = await exchange(port, text, [method]);
  if (answer === undefined) throw new Error(`no answer to ${method} ${target}`);
  return answer;
}
