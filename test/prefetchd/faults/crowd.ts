// A crowd: so many clients, each with a connection of its own that stays open until everybody is answered, twice.
// Sockets and a few lines that read answers, so that ten thousand of them fit beside what is tested.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** How many got what: a status, or what became of the connection (`ECONNRESET`, `closed`). */
export type Tally = Record<string, number>;

export interface CrowdOptions {
  port: number;
  clients: number;
  /** The request of the n-th client, with its blank line. */
  requestOf: (n: number) => string;
  /** Where the n-th client comes from; undefined: as the system likes. */
  addressOf?: (n: number) => string | undefined;
}

/**
 * Everybody connects and asks; when all are answered, all ask again at once over their open connections.
 * @returns what came, of both rounds
 */
export async function crowd(options: CrowdOptions): Promise<[first: Tally, second: Tally]> {
  const clients = Array.from({ length: options.clients }, (_, n) => new Client(n, options));
  try {
    const rounds: Tally[] = [];
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(clients.map((client) => client.ask()));
      const tally: Tally = {};
      for (const answer of answers) tally[answer] = (tally[answer] ?? 0) + 1;
      rounds.push(tally);
    }
    return rounds as [Tally, Tally];
  } finally {
    for (const { socket } of clients) socket.destroy();
  }
}

class Client {
  readonly socket: Socket;
  readonly #request: string;
  #received = '';
  #answered: (answer: string) => void = () => {};
  #end = '';

  constructor(n: number, { port, requestOf, addressOf }: CrowdOptions) {
    const localAddress = addressOf?.(n);
    this.#request = requestOf(n);
    this.socket = connect({ port, host: '127.0.0.1', ...(localAddress && { localAddress }) });
    this.socket.setEncoding('latin1').on('data', (text: string) => this.#receive(text));
    this.socket.on('error', ({ code }: NodeJS.ErrnoException) => this.#over(code ?? 'error'));
    this.socket.on('close', () => this.#over('closed'));
  }

  ask(): Promise<string> {
    return new Promise((resolve) => {
      this.#answered = resolve;
      if (this.#end !== '') resolve(this.#end);
      else this.socket.write(this.#request);
    });
  }

  #over(what: string): void {
    this.#end ||= what;
    this.#answered(this.#end);
  }

  #receive(text: string): void {
    this.#received += text;
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#received)?.[1] ?? Number.NaN);
    if (!(this.#received.length >= headEnd + 4 + length)) return;
    const status = this.#received.slice(9, 12);
    this.#received = '';
    this.#answered(status);
  }
}

/** A site as a process of its own, which answers each page after `delayMs`; it ends with the test. */
export async function startCrowdSite(
  kind: 'plain' | 'hints',
  delayMs: number,
): Promise<{ port: number; pid: number }> {
  const script = fileURLToPath(new URL('crowd-site.ts', import.meta.url));
  const child = spawn(process.execPath, [script, kind, String(delayMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const [port] = await once(child.stdout, 'data');
  return { port: Number(port), pid: child.pid as number };
}

/** The most memory that a process had so far, bytes; null where /proc does not say. */
export function peakMemory(pid: number): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
  } catch {
    return null;
  }
}
