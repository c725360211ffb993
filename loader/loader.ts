// A loader loads pages and keeps connections, TLS sessions and cookies between them.

import { fieldValue } from '../http/header-pairs.ts';
import { checked, objectOf } from '../options/options.ts';
import { about } from '../options/refusal.ts';
import { LatestMap } from '../process/latest-map.ts';
import { threadLoad } from '../process/thread-load.ts';
import { dictionaries } from './dictionaries/dictionary-handler.ts';
import { invalidOption, LoaderError } from './errors.ts';
import { getAll } from './get-all/get-all.ts';
import { heldConnections } from './hold-line/held-line.ts';
import {
  checkLoadOptions,
  type LoaderOptions,
  type LoadOptions,
  loadPageTable,
  type ResolvedOptions,
  resolveOptions,
} from './options.ts';
import { type KnownPages, mostKnownPages } from './page/ahead.ts';
import { Page } from './page/page.ts';
import type { PageLoad } from './page-load.ts';
import { adoptedPrefetches } from './prefetch/adopted-prefetches.ts';
import type { Prefetcher } from './prefetch/prefetcher.ts';
import { noPrefetches, type PrefetchTotals } from './prefetch/storage.ts';
import { Cookies } from './request/cookies.ts';
import { sizesFirst } from './sizes-first.ts';
import { loadClient } from './transport/connection/http1-client.ts';
import { Transport } from './transport/transport.ts';

export interface LoaderStats {
  /** Totals of the prefetches so far; all 0 without the option `prefetch`. */
  prefetch: PrefetchTotals;
}

export interface Loader extends AsyncDisposable {
  /**
   * Loads a page with all its resources.
   * @returns The record of the load. A page or resource that failed has `error` in `resources`.
   * @throws LoaderError `invalid-url`, `loader-closed`; the signal's reason if aborted.
   */
  load(url: string | URL, options?: LoadOptions): Promise<PageLoad>;
  /** Resolves when no prefetch is in flight or queued; immediately without `prefetch`. */
  idle(): Promise<void>;
  stats(): LoaderStats;
  /** Refuses new loads; resolves once the running loads are done and all connections are closed. */
  close(): Promise<void>;
  /** Closes all connections now; resources still loading fail with `loader-closed`. */
  destroy(): Promise<void>;
}

/** Makes a loader, which keeps connections and cookies from page to page. @throws LoaderError `invalid-option` */
export function createLoader(options: LoaderOptions = {}): Loader {
  return new PageLoader(options);
}

const loadPageKind = objectOf(loadPageTable);

/**
 * Loads one page with a new loader, and closes the loader afterwards.
 * @throws LoaderError `invalid-option`, `invalid-url`; the signal's reason if aborted.
 */
export async function loadPage(
  url: string | URL,
  options: Omit<LoaderOptions, 'prefetch'> & LoadOptions = {},
): Promise<PageLoad> {
  if (Object.hasOwn(Object(options), 'prefetch')) {
    const why = 'must be given to createLoader: a single page has no next page to prefetch';
    invalidOption(...about('prefetch', why));
  }
  checked(loadPageKind, options, invalidOption);
  const { signal, onProgress, onBody, cacheMode, ...settings } = options;
  const loader = new PageLoader(settings);
  try {
    return await loader.loadLast(url, { signal, onProgress, onBody, cacheMode });
  } finally {
    await loader.destroy();
  }
}

/**
 * Returns the built-in layers that the options call for: around requests (interceptors), outermost first, and around
 * connections. Each works without the others.
 * @param prefetcher Returns the prefetcher of the loader; null while the loader prefetches nothing.
 */
export function usualLayers(options: ResolvedOptions, prefetcher: () => Prefetcher | null) {
  const { cache, images, imageFirstBytes, holdLine } = options;
  const prefetch = {
    ...(options.dictionaries && cache !== null && { dictionaries: dictionaries(cache) }),
  };
  const page = {
    ...(images === 'sizes-first' && { sizesFirst: sizesFirst(imageFirstBytes) }),
    ...(options.prefetch !== null && { adoptedPrefetches: adoptedPrefetches(prefetcher) }),
    ...(options.getAll !== false && { getAll: getAll() }),
    ...prefetch,
  };
  return { page, prefetch, connection: holdLine === false ? {} : heldConnections(holdLine) };
}

export class PageLoader implements Loader {
  readonly #options: ResolvedOptions;
  readonly #transport: Transport;
  readonly #cookies: Cookies;
  /** The resources that each document named; null until a page is loaded that another may follow. */
  #known: KnownPages | null = null;
  /** The built-in layers around requests of pages and of prefetches, inside the caller's, and around connections. */
  readonly layers: ReturnType<typeof usualLayers>;
  /** Returns how busy this thread has been, 0..1, measured since the loader was made; a busy thread prefetches less. */
  readonly #busy: () => number;
  /** The prefetcher of this loader; null if prefetching is off or no page has been loaded yet. */
  #prefetcher: Prefetcher | null = null;
  #closed = false;
  #destroyed = false;
  readonly #loads = new Set<Promise<PageLoad>>();
  /** Resolves when the modules that a load needs are imported; null before the first load. */
  #parts: Promise<void> | null = null;

  constructor(options: LoaderOptions, compose = usualLayers) {
    const resolved = resolveOptions(options);
    this.layers = compose(resolved, () => this.#prefetcher);
    this.#options = { ...resolved, ...this.layers.connection };
    this.#busy = resolved.prefetch === null ? () => 0 : threadLoad();
    this.#transport = new Transport(this.#options);
    this.#cookies = new Cookies(this.#options.cookies);
  }

  async load(url: string | URL, options: LoadOptions = {}): Promise<PageLoad> {
    const loading = this.#load(url, options, { last: false });
    this.#loads.add(loading);
    try {
      return await loading;
    } finally {
      this.#loads.delete(loading);
    }
  }

  /** Loads a page like `load`, but closes the connections when the page is done. */
  loadLast(url: string | URL, options: LoadOptions): Promise<PageLoad> {
    return this.#load(url, options, { last: true });
  }

  async idle(): Promise<void> {
    await this.#prefetcher?.idle();
  }

  stats(): LoaderStats {
    return { prefetch: this.#prefetcher?.totals() ?? { ...noPrefetches } };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#loads);
    await this.destroy();
  }

  async destroy(): Promise<void> {
    this.#closed = this.#destroyed = true;
    this.#prefetcher?.close();
    this.#transport.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #load(
    given: string | URL,
    options: LoadOptions,
    { last }: { last: boolean },
  ): Promise<PageLoad> {
    checkLoadOptions(options);
    if (this.#closed) throw new LoaderError('loader-closed', 'load after close');
    options.signal?.throwIfAborted();
    const url = pageUrl(given);
    this.#parts ??= this.#loadParts();
    await this.#parts;
    if (this.#destroyed) throw new LoaderError('loader-closed', 'destroyed before the load began');
    options.signal?.throwIfAborted();
    const prefetcher = last ? null : this.#prefetcher;
    if (!last) this.#known ??= new LatestMap(mostKnownPages);
    const transport = this.#transport.beginPage();
    prefetcher?.pageBegins(url.href);
    let page: Page | null = null;
    let isThere = false;
    try {
      page = new Page(url, {
        options: this.#options,
        transport,
        cookies: this.#cookies,
        cacheMode: options.cacheMode ?? 'default',
        known: this.#known,
        layers: [...this.#options.layers, ...Object.values(this.layers.page)],
        last,
        onProgress: options.onProgress,
        onBody: options.onBody,
      });
      const load = await page.load(options.signal);
      isThere = true;
      return load;
    } finally {
      if (page === null) transport.leave();
      prefetcher?.pageEnds(isThere ? (page?.document.next ?? null) : null);
    }
  }

  /** Imports modules that take long to load, before the clock of the first page starts. */
  async #loadParts(): Promise<void> {
    const options = this.#options;
    const { cache, prefetch } = options;
    await loadClient();
    if (prefetch === null || cache === null || savesData(options)) return;
    const { Prefetcher } = await import('./prefetch/prefetcher.ts');
    if (this.#destroyed) return;
    this.#prefetcher ??= new Prefetcher({
      options,
      prefetch,
      cookies: this.#cookies,
      cache,
      layers: [...options.layers, ...Object.values(this.layers.prefetch)],
      load: this.#busy,
    });
  }
}

/** Whether the Save-Data field requests low data use, so that nothing is prefetched. */
function savesData({ extraHeaders }: ResolvedOptions): boolean {
  return /^on\b/i.test(fieldValue(extraHeaders, 'save-data'));
}

function pageUrl(given: string | URL): URL {
  const shown = JSON.stringify(String(given).slice(0, 200));
  if (!URL.canParse(String(given))) {
    throw new LoaderError('invalid-url', `${shown} is not an absolute URL; write http://host/path`);
  }
  const url = new URL(given);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new LoaderError('invalid-url', `${shown}: only http and https pages can be loaded`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new LoaderError(
      'invalid-url',
      'no credentials in URLs; send an Authorization header instead',
    );
  }
  url.hash = '';
  return url;
}
