// Sends the requests of one `fetch` function, with their transport, cookies and signals. A connection is checked for
// sync whenever it becomes idle; actions that need the check, such as storing a response, then run.

import { fieldLines } from '../../http/header-pairs.ts';
import type { CacheResponse } from '../cache/entry.ts';
import { LoaderError } from '../errors.ts';
import type { ResolvedOptions } from '../options.ts';
import { Cookies } from '../request/cookies.ts';
import { createTransport } from '../transport/create-transport.ts';
import { Exchange } from '../transport/exchange.ts';
import type { PageTransport, Transport } from '../transport/transport.ts';
import type { FetchRequest } from './fetch-request.ts';
import { type NetworkAnswer, NetworkFetch } from './network-fetch.ts';

/** What the cache observes of a response. */
export interface Observer {
  /** Whether to buffer the body; asked at the header section. */
  gathers(response: CacheResponse): boolean;
  /**
   * The response is complete and belongs to this request.
   * @param body As received, with content coding; null: not buffered, or of unknown length, so that it may be
   * truncated.
   */
  onProven(response: CacheResponse, body: Buffer | null): void;
  /** @param isBehind true: the reader has enough for now; false: it reads again. */
  onPace(isBehind: boolean): void;
  /** No further events: the response failed, was cancelled, or can never be verified. */
  onLost(): void;
  /** The response may belong to another request after all. */
  onDoubt(): void;
}

export class Sender {
  readonly #options: ResolvedOptions;
  readonly #transport: Transport;
  readonly #share: PageTransport;
  readonly #cookies: Cookies;
  readonly #unproven = new PendingCommits();
  /** Cancels each request in flight. */
  readonly #underWay = new Map<NetworkFetch, (error: LoaderError) => void>();
  #whenIdle: (() => void)[] = [];

  constructor(options: ResolvedOptions) {
    this.#options = options;
    this.#transport = createTransport(options);
    this.#share = this.#transport.beginPage();
    this.#cookies = new Cookies(options.cookies);
  }

  /** Value of the Cookie field for a request; '' for none. */
  cookie({ url, credentials, sameSite }: FetchRequest): string {
    return credentials ? this.#cookies.header(url, sameSite) : '';
  }

  /**
   * @param fields Name-value pairs to send, flattened.
   * @returns The answer, once its header section has arrived.
   * @throws LoaderError; the signal's reason.
   */
  async send(request: FetchRequest, fields: string[], observer: Observer): Promise<NetworkAnswer> {
    const { url, method, signal } = request;
    signal?.throwIfAborted(); // a signal that has already fired does not notify new listeners
    const cancel = (error: LoaderError): void => this.#share.cancel([exchange], error);
    const onAbort = (): void => {
      const error = new LoaderError('aborted', 'aborted by its signal');
      fetching.fail(error);
      cancel(error);
    };
    let isWhole = false;
    const fetching = new NetworkFetch({
      limits: this.#options.limits,
      explain: (error) => explain(error, 'terminated', signal),
      onResponse: (response) => {
        if (request.credentials) this.#keepCookies(response, request);
        return observer.gathers(response);
      },
      onWhole: (response, bytes) => {
        isWhole = true;
        const body = exchange.attempt.framed ? bytes : null;
        const prove = () => observer.onProven(response, body);
        this.#unproven.add(exchange, body?.length ?? 0, prove, () => observer.onLost());
      },
      onPace: (isBehind) => observer.onPace(isBehind),
      onDoubt: () => {
        this.#unproven.drop(exchange);
        observer.onDoubt();
      },
      cancel,
      onOver: () => {
        signal?.removeEventListener('abort', onAbort);
        this.#over(fetching);
        // A complete response is reported next, so this waits for it.
        queueMicrotask(() => isWhole || observer.onLost());
        this.#rest(url.origin);
      },
    });
    const exchange = new Exchange(
      url,
      fields,
      { urgent: true, priority: 0, method, body: request.body },
      fetching,
    );
    fetching.attach(exchange);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#underWay.set(fetching, cancel);
    this.#share.submit(exchange);
    return fetching.answer;
  }

  /** Cancels bodies that nobody reads; resolves when no other body is in flight. */
  async idle(): Promise<void> {
    const error = new LoaderError('loader-closed', 'fetch was closed before its body was read');
    for (const [fetching, cancel] of [...this.#underWay]) {
      if (fetching.isWanted) continue;
      fetching.fail(error);
      cancel(error);
    }
    if (this.#underWay.size > 0) {
      await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    }
  }

  #over(fetching: NetworkFetch): void {
    this.#underWay.delete(fetching);
    if (this.#underWay.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  close(): void {
    this.#transport.close();
  }

  /** Runs after the events of the current turn. */
  #rest(origin: string): void {
    queueMicrotask(() => {
      this.#share.rest(origin).then(() => this.#unproven.settle());
    });
  }

  #keepCookies({ headers }: CacheResponse, { url, sameSite }: FetchRequest): void {
    for (const cookie of fieldLines(headers, 'set-cookie')) {
      this.#cookies.store(cookie, url, sameSite);
    }
  }
}

/** The error for a caller of fetch: the signal's reason, or a TypeError with the cause. */
export function explain(error: unknown, message: string, signal: AbortSignal | null): unknown {
  if (signal?.aborted) return signal.reason;
  return error instanceof LoaderError ? new TypeError(message, { cause: error }) : error;
}

const mostWaiting = 1_000;
const mostWaitingBytes = 32 * 1024 * 1024;

interface Waiting {
  bytes: number;
  act: () => void;
  giveUp: () => void;
}

/**
 * Actions to run once a response is known to belong to its request: at once, or when its connection is known to be in
 * sync. They are bounded in number and bytes; beyond that, actions are given up.
 */
class PendingCommits {
  readonly #waiting = new Map<Exchange, Waiting>();
  #bytes = 0;

  /** @param bytes Memory that `act` retains. @param giveUp Called if `act` will never run. */
  add(exchange: Exchange, bytes: number, act: () => void, giveUp: () => void): void {
    if (exchange.attempt.inStep) {
      act();
      return;
    }
    this.#waiting.set(exchange, { bytes, act, giveUp });
    this.#bytes += bytes;
    for (const oldest of this.#waiting.keys()) {
      if (this.#waiting.size <= mostWaiting && this.#bytes <= mostWaitingBytes) return;
      this.drop(oldest);
    }
  }

  drop(exchange: Exchange): void {
    const waiting = this.#waiting.get(exchange);
    this.#remove(exchange);
    waiting?.giveUp();
  }

  /** Runs the actions that may run now and drops those that never will. */
  settle(): void {
    for (const [exchange, { act, giveUp }] of this.#waiting) {
      const ended =
        exchange.attempt.connection === null || exchange.attempt.connection.endedAt !== null;
      if (!exchange.attempt.inStep && !ended) continue;
      this.#remove(exchange);
      if (exchange.attempt.inStep) act();
      else giveUp();
    }
  }

  #remove(exchange: Exchange): void {
    this.#bytes -= this.#waiting.get(exchange)?.bytes ?? 0;
    this.#waiting.delete(exchange);
  }
}
