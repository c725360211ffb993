// `fetch` over the loader's transport and HTTP cache: the platform's Request and Response outside, persistent and
// verified connections inside. A call passes through fetch-request.ts (input), request-fields.ts (fields to send),
// caching.ts (stored?), collapsing.ts (in flight?), sender.ts and network-fetch.ts (network), redirected.ts (next
// request) and to-response.ts.

import { LoaderError } from '../errors.ts';
import type { LoaderOptions, ResolvedOptions } from '../options.ts';
import { resolveOptions } from '../resolve-options.ts';
import { Caching } from './caching.ts';
import { fetchRequest } from './fetch-request.ts';
import { isRedirect, redirected } from './redirected.ts';
import { explain, Sender } from './sender.ts';
import { toResponse } from './to-response.ts';

/**
 * The options of a loader with other defaults: `protocol` is `persistent` (no response waits for the reader of
 * another), `cookies` and
 * `tolerant` are off, `limits.maxRedirects` is 20 (Fetch Standard).
 */
export type FetchOptions = Pick<
  LoaderOptions,
  | 'cache'
  | 'protocol'
  | 'connections'
  | 'pipeline'
  | 'holdLine'
  | 'timeouts'
  | 'limits'
  | 'tls'
  | 'tolerant'
  | 'extraHeaders'
  | 'userAgent'
  | 'cookies'
  | 'refusePrivateAddresses'
  | 'dispatcher'
>;

export interface Fetch extends AsyncDisposable {
  /**
   * Follows the Fetch Standard outside a browser; docs/fetch.md lists the differences.
   * @returns When the header section has arrived; the body streams as it is read.
   * @throws TypeError if there is no response, with a LoaderError as `cause`; the signal's reason if aborted.
   */
  (input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /**
   * Refuses new requests; resolves once the running ones are done and all connections are closed. It waits for
   * bodies that are being read and cancels the others. The caller closes the cache.
   */
  close(): Promise<void>;
  /** Closes all connections now; requests in flight fail with `loader-closed`. */
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

/** Options for loading pages, which a single request does not have. */
const ofPages = ['batch', 'dictionaries', 'headers', 'images', 'imageFirstBytes'];

function resolve(options: FetchOptions): ResolvedOptions {
  const resolved = resolveOptions(options); // throws if they are invalid
  for (const name of ofPages) {
    if (!Object.hasOwn(options, name)) continue;
    throw new LoaderError(
      'invalid-option',
      `options.${name} applies to pages and is not available in createFetch`,
    );
  }
  const { maxRedirects = 20 } = options.limits ?? {};
  return {
    ...resolved,
    protocol: options.protocol ?? 'persistent',
    cookies: options.cookies ?? false,
    tolerant: options.tolerant ?? false,
    limits: { ...resolved.limits, maxRedirects },
  };
}

class Fetcher {
  readonly #options: ResolvedOptions;
  readonly #sender: Sender;
  readonly #caching: Caching;
  #closed = false;
  /** Calls whose header section has not arrived yet. */
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
