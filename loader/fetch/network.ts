// The network of one `fetch` function: its transport, its cookies, and the calls in flight. A complete response is
// proven to belong to its request, unless others were due on its connection (pipelining): then it is not stored.

import { fieldLines, type HeaderPair } from '../../http/header-pairs.ts';
import type { CacheResponse } from '../cache/entry.ts';
import { LoaderError } from '../errors.ts';
import type { Limits, ResolvedOptions } from '../options.ts';
import { Cookies } from '../request/cookies.ts';
import { type PageTransport, Transport } from '../transport/transport.ts';
import { Call, type NetworkAnswer } from './call.ts';
import type { FetchRequest } from './fetch-request.ts';

/** What the cache observes of a response. */
export interface Observer {
  /** Called after the header section. @returns whether to buffer the body */
  gathers(response: CacheResponse): boolean;
  /**
   * Called when the response is complete and is known to belong to this request.
   * @param body The body as received, with content coding; null if it was not buffered, or if its length is unknown,
   * so that it may be truncated.
   */
  onProven(response: CacheResponse, body: Buffer | null): void;
  /** Called when the response may belong to another request after all. */
  onDoubt(): void;
}

export class Network {
  readonly #limits: Limits;
  readonly #transport: Transport;
  readonly #share: PageTransport;
  readonly #cookies: Cookies;
  readonly #underWay = new Set<Call>();
  #whenIdle: (() => void)[] = [];

  constructor(options: ResolvedOptions) {
    this.#limits = options.limits;
    this.#transport = new Transport(options);
    this.#share = this.#transport.beginPage();
    this.#cookies = new Cookies(options.cookies);
  }

  /** Value of the Cookie field for a request; '' for none. */
  cookie({ url, credentials, sameSite }: FetchRequest): string {
    return credentials ? this.#cookies.header(url, sameSite) : '';
  }

  /**
   * @param observer null if there is no cache.
   * @returns The answer, once its header section has arrived.
   * @throws LoaderError; the signal's reason.
   */
  async send(
    request: FetchRequest,
    fields: HeaderPair[],
    observer: Observer | null,
  ): Promise<NetworkAnswer> {
    request.signal?.throwIfAborted(); // a signal that has already fired does not notify new listeners
    const call = new Call(request, fields, this.#limits, {
      onResponse: (response) => {
        if (request.credentials) this.#keepCookies(response, request);
        return observer?.gathers(response) ?? false;
      },
      onWhole: (response, body) => {
        const { attempt } = call.exchange;
        if (attempt.inStep) observer?.onProven(response, attempt.framed ? body : null);
      },
      onDoubt: () => observer?.onDoubt(),
      cancel: (error) => this.#share.cancel([call.exchange], error),
      onOver: () => this.#over(call),
    });
    this.#underWay.add(call);
    this.#share.submit(call.exchange);
    return call.answer;
  }

  /** Cancels bodies that nobody reads; resolves when no other body is in flight. */
  async idle(): Promise<void> {
    const error = new LoaderError('loader-closed', 'fetch was closed before its body was read');
    for (const call of [...this.#underWay]) if (!call.isWanted) call.cancel(error);
    if (this.#underWay.size > 0) {
      await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    }
  }

  close(): void {
    this.#transport.close();
  }

  #over(call: Call): void {
    this.#underWay.delete(call);
    if (this.#underWay.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    // This is deferred until the events of the current turn have been handled.
    queueMicrotask(() => void this.#share.rest(call.exchange.url.origin));
  }

  #keepCookies({ headers }: CacheResponse, { url, sameSite }: FetchRequest): void {
    for (const cookie of fieldLines(headers, 'set-cookie')) {
      this.#cookies.store(cookie, url, sameSite);
    }
  }
}
