// `prefetchd serve` as a process that is loaded, killed and started again; with what can be seen of it from
// outside: answers, metrics, health and its log.

import type { ChildProcess } from 'node:child_process';
import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { servingPrefetchd } from '../../support/prefetchd-command.ts';
import { ask, hintedUrls, type Said } from '../service/ask.ts';

export interface Served extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly url: string;
  readonly port: number;
  /** Of the monotonic clock, when the process was started, ms. */
  readonly startedMs: number;
  /** The log so far. */
  log(): string;
  /** Resolves with `code` or `signal`. */
  readonly ended: Promise<number | string>;
  post(path: string, body: unknown): Promise<Said>;
  /** URLs that are hinted after a page, to nobody in particular. */
  hints(url: string): Promise<string[]>;
  /** A value of /metrics by its name, labels included. */
  metric(name: string): Promise<number>;
  health(): Promise<string>;
  /** Resolves when what was learned before is in the store: a flush that ended may have begun before it,
   *  the next one has not. */
  flushed(): Promise<void>;
  kill(signal: NodeJS.Signals): Promise<number | string>;
}

/** @param folder where it works; what it is told by `args` it keeps or leaves there */
export async function serve(folder: string, store: string, args: string[] = []): Promise<Served> {
  const startedMs = performance.now();
  const usual = ['--min-clients', '1', '--half-life', 'inf', '--flush-interval', '20ms'];
  const given = ['serve', '--port', '0', '--store', store, ...usual, ...args];
  const service = await servingPrefetchd(folder, given);
  const { child, url, log } = service;
  // Also when the test is given up.
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const ended = service.ended.then(({ code }) => code ?? (child.signalCode as string));
  const metrics = async () => (await ask(url, '/metrics')).text;
  const metric = async (name: string) => {
    const line = (await metrics()).split('\n').find((each) => each.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1));
  };
  const health = async () => (await ask(url, '/healthz')).json.status;
  return {
    ...{ child, url, startedMs, ended, metric, health },
    port: Number(new URL(url).port),
    log: () => log.join('\n'),
    post: (path, body) => ask(url, path, { method: 'POST', body }),
    hints: (page) => hintedUrls(url, `${encodeURIComponent(page)}&threshold=0&limit=inf`),
    async flushed() {
      const flushes = async () => (await ask(url, '/healthz')).json.store.flushes;
      const before = await flushes();
      await until(async () => (await flushes()) >= before + 2);
    },
    async kill(signal) {
      child.kill('SIGCONT'); // it may have been stopped
      child.kill(signal);
      return ended;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Whoever asks without a pause keeps the service busy, and then it hints less (process/thread-load.ts). */
const betweenAsksMs = 10;

/** Asks until it is so: how long that may take is said by the test's own timeout. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await wait(betweenAsksMs);
}

export interface Answer {
  /** 0: nobody answered, not with a single byte. */
  status: number;
  body: string;
  /** It began and did not end. */
  isBroken: boolean;
  /** ms */
  took: number;
}

/** One request; never rejects. */
export function send(
  port: number,
  path: string,
  body?: unknown,
  agent: Agent | false = false,
): Promise<Answer> {
  const startMs = performance.now();
  return new Promise((resolve) => {
    let answer: Omit<Answer, 'took'> = { status: 0, body: '', isBroken: false };
    const settle = (change: Partial<Answer>) => {
      answer = { ...answer, ...change };
      resolve({ ...answer, took: performance.now() - startMs });
    };
    const sent = request({
      ...{ host: '127.0.0.1', port, path, agent },
      method: body === undefined ? 'GET' : 'POST',
      headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
    });
    sent.on('error', () => settle({}));
    sent.on('response', (response) => {
      answer.status = response.statusCode ?? 0;
      response.setEncoding('utf8').on('data', (text) => {
        answer.body += text;
      });
      response.on('error', () => {});
      response.on('close', () => settle({ isBroken: !response.complete }));
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Visitors that go from /page-n to /next-n, always so many at once, until it is stopped. */
export class Load {
  /** Visits that were sent, and those that were answered, each with two accesses learned. */
  sent = 0;
  learned = 0;
  readonly answers: Answer[] = [];
  readonly #pages: number;
  readonly #agent: Agent | false;
  readonly #port: number;
  readonly #workers: Promise<void>[];
  #isStopped = false;
  #waiting: Array<{ count: number; resolve: () => void }> = [];

  constructor(port: number, { pages = 200, workers = 8, keepAlive = true } = {}) {
    this.#port = port;
    this.#pages = pages;
    this.#agent = keepAlive && new Agent({ keepAlive: true, maxSockets: workers });
    this.#workers = Array.from({ length: workers }, () => this.#work());
  }

  /** @returns what was answered and how */
  async stop(): Promise<Answer[]> {
    this.#isStopped = true;
    await Promise.all(this.#workers);
    if (this.#agent !== false) this.#agent.destroy();
    return this.answers;
  }

  /** Resolves after so many more answers. */
  async answered(more: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ count: this.answers.length + more, resolve });
    this.#tell();
    await promise;
  }

  #tell(): void {
    const { length } = this.answers;
    for (const { resolve } of this.#waiting.filter(({ count }) => length >= count)) resolve();
    this.#waiting = this.#waiting.filter(({ count }) => length < count);
  }

  async #work(): Promise<void> {
    while (!this.#isStopped) {
      const visit = visits++;
      const n = visit % this.#pages;
      const client = `visitor-${visit} Browser`;
      this.sent++;
      const body = [`/page-${n}`, `/next-${n}`].map((url) => ({ client, url, kind: 'document' }));
      const answer = await send(this.#port, '/v1/accesses', body, this.#agent);
      this.answers.push(answer);
      this.#tell();
      if (answer.status === 0) return; // gone
      if (answer.status === 200 && !answer.isBroken && JSON.parse(answer.body).learned === 2) {
        this.learned++;
      }
    }
  }
}

/** Of this run, so that no two loads have one visitor. */
let visits = 0;

/** Time that nine of ten answers did not take longer than, ms: a busy machine holds up one or another. */
export function mostTook(answers: readonly Answer[]): number {
  const took = answers.map((answer) => answer.took).sort((one, other) => one - other);
  return took[Math.floor(0.9 * took.length)] ?? Number.POSITIVE_INFINITY;
}
