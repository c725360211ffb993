// A Chromium process, spoken to in the DevTools protocol itself: driven by playwright-core it prerenders nothing.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Scratch } from '../../lab/scratch.ts';
import { chromiumPath } from './chromium.ts';

export interface DevtoolsEvent {
  method: string;
  params: Record<string, unknown>;
  /** Of the target that it is from; absent: the browser. */
  sessionId?: string;
}

interface Answer {
  id: number;
  result?: Record<string, unknown>;
  error?: { message: string };
}

interface Asked {
  sessionId: string | undefined;
  resolve: (result: Record<string, unknown>) => void;
  reject: (error: Error) => void;
}

const patienceMs = 20_000;

export class Devtools implements AsyncDisposable {
  readonly #socket: WebSocket;
  readonly #end: () => Promise<void>;
  readonly #asked = new Map<number, Asked>();
  readonly #listeners = new Set<(event: DevtoolsEvent) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket, end: () => Promise<void>) {
    this.#socket = socket;
    this.#end = end;
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data))));
  }

  /** With these command-line switches, beside those that every process gets. */
  static async launch(
    switches: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Devtools> {
    if (chromiumPath === null) throw new Error('there is no Chromium');
    const profile = new Scratch();
    const isRoot = process.getuid?.() === 0;
    const child = spawn(
      chromiumPath,
      [
        ...(isRoot ? ['--no-sandbox'] : []),
        ...['--headless=new', '--remote-debugging-port=0', `--user-data-dir=${profile.path}`],
        ...['--no-first-run', '--disable-background-networking', '--mute-audio'],
        ...[...switches, 'about:blank'],
      ],
      { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...environment } },
    );
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    const end = async () => {
      const ended = once(child, 'close');
      kill();
      await ended;
      process.off('exit', kill);
      profile[Symbol.dispose]();
    };
    const socket = new WebSocket(await addressOf(child.stderr, kill));
    await once(socket, 'open');
    return new Devtools(socket, end);
  }

  /** @throws Error if it is refused, its target ends, or nothing is answered in time. */
  async send<Result = Record<string, unknown>>(
    method: string,
    params: object = {},
    sessionId?: string,
  ): Promise<Result> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
    this.#asked.set(id, { sessionId, resolve, reject });
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    const late = () => reject(new Error(`${method}: Chromium was silent for ${patienceMs} ms`));
    const patience = setTimeout(late, patienceMs);
    try {
      return (await promise) as Result;
    } catch (error) {
      throw new Error(`${method}: ${(error as Error).message}`, { cause: error });
    } finally {
      clearTimeout(patience);
      this.#asked.delete(id);
    }
  }

  listen(listener: (event: DevtoolsEvent) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #receive(message: Answer | DevtoolsEvent): void {
    if ('id' in message) {
      const { error, result = {} } = message;
      const asked = this.#asked.get(message.id);
      if (error === undefined) asked?.resolve(result);
      else asked?.reject(new Error(error.message));
      return;
    }
    if (message.method === 'Target.detachedFromTarget') {
      for (const { sessionId, reject } of this.#asked.values()) {
        if (sessionId === message.params.sessionId) reject(new Error('the page has gone'));
      }
    }
    for (const listener of this.#listeners) listener(message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    await this.#end();
  }
}

/** @throws Error when Chromium ends without telling one. */
async function addressOf(stderr: NodeJS.ReadableStream, kill: () => void): Promise<string> {
  const patience = setTimeout(kill, patienceMs);
  const said: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  createInterface({ input: stderr })
    .on('line', (line) => {
      said.push(line);
      const address = /^DevTools listening on (ws:\S+)/.exec(line)?.[1];
      if (address !== undefined) resolve(address);
    })
    .on('close', () => reject(new Error(`Chromium ended: ${said.slice(0, 20).join('\n')}`)));
  return promise.finally(() => clearTimeout(patience));
}
