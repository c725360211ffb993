// Requests of one `fetch` function on their way to the network: its share of the transport, cookies and
// signals. Connections are proven to be in step whenever they fall quiet; what must wait for that proof
// (storing a response) is done then.

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
import { PendingCommits } from './pending-commits.ts';

/** What the cache wants to know of a response. */
export interface Observer {
  /** Is its body to be gathered? Asked at its header section. */
  gathers(response: CacheResponse): boolean;
  /**
   * The response is whole, and it belongs to this request.
   * @param body as it came, content coding on; null: not gathered, or of unknown length, so that its end
   * cannot be told from a cut.
   */
  onProven(response: CacheResponse, body: Buffer | null): void;
  /** @param isBehind whoever reads the body has enough for now; false: reads again. */
  onPace(isBehind: boolean): void;
  /** Nothing of it will be told any more: it failed, was given up, or is never proven. */
  onLost(): void;
  /** What was told may have been another's answer after all. */
  onDoubt(): void;
}

export class Sender {
  readonly #options: ResolvedOptions;
  readonly #transport: Transport;
  readonly #share: PageTransport;
  readonly #cookies: Cookies;
  readonly #unproven = new PendingCommits();
  /** How to give up each that is under way. */
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
   * @param fields what goes on the wire.
   * @returns the answer when its header section is there.
   * @throws LoaderError; the signal's reason.
   */
  async send(request: FetchRequest, fields: string[], observer: Observer): Promise<NetworkAnswer> {
    const { url, method, signal } = request;
    signal?.throwIfAborted(); // a signal tells its listeners once
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
        // (Of one that came to its end the end is told next.)
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

  /** Gives up bodies that nobody reads; resolves when no other is on its way. */
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

  /** When this turn's events are told. */
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

/** What a caller of fetch gets to see: its signal's reason, or a TypeError with the cause. */
export function explain(error: unknown, message: string, signal: AbortSignal | null): unknown {
  if (signal?.aborted) return signal.reason;
  return error instanceof LoaderError ? new TypeError(message, { cause: error }) : error;
}
