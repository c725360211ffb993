// `fetch` over the loader's own transport and HTTP cache: the platform's Request and Response outside,
// connections kept and proven inside. The way of a call: fetch-request.ts (what is asked), request-fields.ts (what
// goes on the wire), caching.ts (is it stored?), collapsing.ts (is it coming?), sender.ts and network-fetch.ts (the
// network), redirected.ts (and on), to-response.ts.

import { LoaderError } from '../errors.ts';
import type { LoaderOptions, ResolvedOptions } from '../options.ts';
import { resolveOptions } from '../resolve-options.ts';
import { Caching } from './caching.ts';
import { fetchRequest } from './fetch-request.ts';
import { isRedirect, redirected } from './redirected.ts';
import { explain, Sender } from './sender.ts';
import { toResponse } from './to-response.ts';

/**
 * As for a loader, with other defaults: `protocol` is `persistent` (no response waits for another's
 * reader), `cookies` are off, `limits.maxRedirects` is 20 (Fetch Standard).
 */
export type FetchOptions = Pick<
  LoaderOptions,
  | 'cache'
  | 'protocol'
  | 'connections'
  | 'pipeline'
  | 'timeouts'
  | 'limits'
  | 'tls'
  | 'extraHeaders'
  | 'userAgent'
  | 'cookies'
  | 'refusePrivateAddresses'
  | 'dispatcher'
>;

export interface Fetch extends AsyncDisposable {
  /**
   * As the Fetch Standard has it, outside a browser: docs/fetch.md says where it differs.
   * @returns when the header section is there; the body comes as it is read.
   * @throws TypeError when there is no response, its `cause` a LoaderError; the signal's reason when
   * aborted.
   */
  (input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /**
   * Takes no more requests; resolves when those under way are done and all connections have ended. A body that is being
   * read is waited for, any other given up. The cache stays open: it is the caller's.
   */
  close(): Promise<void>;
  /** Ends all connections now, and what is under way with `loader-closed`. */
  destroy(): Promise<void>;
}

/** @throws LoaderError `invalid-option` */
export function createFetch(options: FetchOptions = {}): Fetch {
  const fetcher = new Fetcher(resolve(options));
  const close = (): Promise<void> => fetcher.close();
  const destroy = (): Promise<void> => fetcher.destroy();
  const call = (input: string | URL | Request, init?: RequestInit) =>
    fetcher.fetch(input, init ?? {});
  return Object.assign(call, { close, destroy, [Symbol.asyncDispose]: close });
}

/** How pages are loaded, and nothing that a single request has. */
const ofPages = ['batch', 'headers', 'images', 'imageFirstBytes'];

function resolve(options: FetchOptions): ResolvedOptions {
  const resolved = resolveOptions(options); // which says what is wrong with them
  for (const name of ofPages) {
    if (!Object.hasOwn(options, name)) continue;
    throw new LoaderError('invalid-option', `options.${name} is about pages, not for createFetch`);
  }
  const { maxRedirects = 20 } = options.limits ?? {};
  return {
    ...resolved,
    protocol: options.protocol ?? 'persistent',
    cookies: options.cookies ?? false,
    limits: { ...resolved.limits, maxRedirects },
  };
}

class Fetcher {
  readonly #options: ResolvedOptions;
  readonly #sender: Sender;
  readonly #caching: Caching;
  #closed = false;
  /** Under way, up to their header section. */
  readonly #calls = new Set<Promise<Response>>();

  constructor(options: ResolvedOptions) {
    this.#options = options;
    this.#sender = new Sender(options);
    this.#caching = new Caching(options, this.#sender);
  }

  async fetch(input: string | URL | Request, init: RequestInit): Promise<Response> {
    let signal = init.signal ?? null;
    try {
      if (this.#closed) throw new LoaderError('loader-closed', 'fetch after close');
      const request = await fetchRequest(input, init, this.#options.limits);
      signal = request.signal;
      const call = this.#follow(request);
      this.#calls.add(call);
      const response = await call.finally(() => this.#calls.delete(call));
      return response;
    } catch (error) {
      throw explain(error, 'fetch failed', signal);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#calls);
    await this.#sender.idle();
    await this.destroy();
  }

  async destroy(): Promise<void> {
    this.#closed = true;
    this.#caching.close();
    this.#sender.close();
  }

  async #follow(asked: Awaited<ReturnType<typeof fetchRequest>>): Promise<Response> {
    const { maxRedirects } = this.#options.limits;
    let request = asked;
    for (let hops = 0; ; hops++) {
      const answer = await this.#caching.answer(request);
      if (request.redirect === 'manual' || !isRedirect(answer)) {
        const labels = { url: request.url.href, redirected: hops > 0 };
        return toResponse(answer, request.method, labels);
      }
      answer.discard();
      if (request.redirect === 'error') {
        throw new LoaderError('invalid-redirect', `${answer.status}, and redirect is 'error'`);
      }
      if (hops >= maxRedirects) {
        throw new LoaderError('too-many-redirects', `more than ${maxRedirects} redirects`);
      }
      request = redirected(request, answer);
    }
  }
}
