// Walks through pages one after another like a visitor, with a think time on each, during which the loader prefetches.
// When the think time ends, the next page begins, whether prefetching has finished or not. The cost is reported per
// page.

import { setTimeout as sleep } from 'node:timers/promises';
import { aFunction, milliseconds, wholeNumber } from '../../options/kinds.ts';
import {
  checked,
  type OptionsOf,
  objectOf,
  option,
  optionWithoutDefault,
  withoutDefault,
} from '../../options/options.ts';
import { refusal } from '../../options/refusal.ts';
import { createHttpCache } from '../cache/cache.ts';
import { createMemoryStore } from '../cache/memory-cache-store.ts';
import { invalidOption, LoaderError } from '../errors.ts';
import { createLoader, type Loader } from '../loader.ts';
import { loaderTable, loadTable, usualKind } from '../options.ts';
import type { PageLoad } from '../page-load.ts';
import type { PrefetchTotals } from '../prefetch/storage.ts';
import { WalkCosts, walkedLoad, walkTotals } from './walk-costs.ts';
import type { WalkedPage, WalkRecord } from './walk-record.ts';

export interface WalkPage {
  /** URL of the page, http or https. */
  url: string;
  /** Think time before the next page, ms. */
  thinkMs: number;
}

export interface WalkStep {
  doing: 'loading' | 'staying';
  /** Index of the page in the walk, from 0. */
  index: number;
  /** Think time, ms; 0 while loading. */
  thinkMs: number;
}

const walkTable = {
  /** Maximum number of pages. */
  maxPages: option(wholeNumber({ least: 1 }), 1_000),
  /** Options of the walk's loader. Without a `cache`, the walk uses a new one in memory. */
  loader: optionWithoutDefault(usualKind),
  /** Options of prefetching; null: no prefetching. */
  prefetch: withoutDefault(loaderTable.prefetch),
  /** Aborts the walk, which then rejects with the signal's reason. */
  signal: loadTable.signal,
  /** Called when the visitor leaves a page. The used and wasted bytes of its prefetches may still change. */
  onPage: optionWithoutDefault(aFunction<(page: WalkedPage, index: number) => void>()),
  /** Called when a page begins to load and when its think time begins. */
  onStep: optionWithoutDefault(aFunction<(step: WalkStep) => void>()),
};

export type WalkOptions = OptionsOf<typeof walkTable>;

const walkKind = objectOf(walkTable);

/**
 * Walks through the pages in order.
 * @throws LoaderError `invalid-option`, `invalid-url` before anything is sent; the signal's reason if aborted. A
 * page that does not load has `load.error`, and the walk continues.
 */
export async function walkPages(
  pages: readonly WalkPage[],
  options: WalkOptions = {},
): Promise<WalkRecord> {
  const { maxPages } = checkWalk(pages, options);
  const ownCache = options.loader?.cache ? null : createHttpCache(createMemoryStore());
  const prefetch = options.prefetch === undefined ? {} : options.prefetch;
  let loader: Loader | null = null;
  try {
    const costs = new WalkCosts();
    const given = options.loader?.cache ?? ownCache;
    const cache = prefetch === null || given === null ? given : costs.watched(given);
    loader = createLoader({ ...options.loader, cache, prefetch });
    return await new Walk(loader, options, costs).run(pages, maxPages);
  } finally {
    await loader?.close();
    ownCache?.close();
  }
}

class Walk {
  readonly #loader: Loader;
  readonly #options: WalkOptions;
  readonly #signal: AbortSignal;
  readonly #startedAt = performance.now();
  readonly #startedAtMs = Date.now();
  readonly #costs: WalkCosts;
  /** Ids of the connections that pages have used so far. */
  readonly #connections = new Set<number>();
  /** Totals of the loader's prefetches at the time when the visitor left the previous page. */
  #atBegin: PrefetchTotals;

  constructor(loader: Loader, options: WalkOptions, costs: WalkCosts) {
    this.#loader = loader;
    this.#options = options;
    this.#costs = costs;
    this.#signal = options.signal ?? new AbortController().signal;
    this.#atBegin = loader.stats().prefetch;
  }

  async run(pages: readonly WalkPage[], maxPages: number): Promise<WalkRecord> {
    for (const [index, page] of pages.slice(0, maxPages).entries()) {
      const isLast = index === Math.min(pages.length, maxPages) - 1;
      await this.#visit(page, index, isLast);
    }
    const { pages: walked } = this.#costs;
    this.#costs.settle(null, this.#loader.stats().prefetch);
    return {
      prefetched: this.#options.prefetch !== null,
      startedAtMs: this.#startedAtMs,
      pages: walked,
      totals: walkTotals(walked),
      endedBy: pages.length > maxPages ? 'maxPages' : null,
    };
  }

  async #visit({ url, thinkMs }: WalkPage, index: number, isLast: boolean): Promise<void> {
    const { onPage, onStep } = this.#options;
    onStep?.({ doing: 'loading', index, thinkMs: 0 });
    const startedAtMs = performance.now() - this.#startedAt;
    const load = await this.#loader.load(url, { signal: this.#signal });
    const used = this.#costs.settle(load, this.#loader.stats().prefetch);
    const page: WalkedPage = {
      url,
      startedAtMs,
      thinkMs: 0,
      load: walkedLoad(load, this.#firstUsed(load)),
      prefetch: { requests: 0, bytes: 0, wastedBytes: 0, connections: 0, timeMs: 0 },
      used,
      addedTraffic: null,
    };
    this.#costs.add(page);
    onStep?.({ doing: 'staying', index, thinkMs });
    await this.#stay(page, thinkMs, isLast);
    onPage?.(page, index);
  }

  async #stay(page: WalkedPage, thinkMs: number, isLast: boolean): Promise<void> {
    const startedAt = performance.now();
    const isLeft = new AbortController();
    const idle = this.#loader.idle().then(() => {
      if (!isLeft.signal.aborted) page.prefetch.timeMs = performance.now() - startedAt;
      if (isLast) isLeft.abort();
    });
    try {
      const signal = AbortSignal.any([this.#signal, isLeft.signal]);
      await sleep(thinkMs, undefined, { signal });
      // If prefetching ends in the same turn of the event loop as the think time, it still ended in time.
      await Promise.race([idle, new Promise((resolve) => setImmediate(resolve))]);
    } catch {
      this.#signal.throwIfAborted();
    } finally {
      page.thinkMs = performance.now() - startedAt;
      if (page.prefetch.timeMs === 0) page.prefetch.timeMs = page.thinkMs;
      isLeft.abort();
      this.#leave(page);
    }
  }

  /** Counts the connections of a page that no earlier page used. */
  #firstUsed({ connections }: PageLoad): number {
    const before = this.#connections.size;
    for (const { id } of connections) this.#connections.add(id);
    return this.#connections.size - before;
  }

  /** Ends the stay on a page and counts its prefetch requests, which are sent only during the stay. */
  #leave(page: WalkedPage): void {
    const now = this.#loader.stats().prefetch;
    page.prefetch.requests = now.requests - this.#atBegin.requests;
    if (page.prefetch.requests === 0) page.prefetch.timeMs = 0;
    this.#atBegin = now;
  }
}

/** Validates the pages and the options. @throws LoaderError `invalid-option`, `invalid-url` */
function checkWalk(pages: readonly WalkPage[], options: WalkOptions): { maxPages: number } {
  if (!Array.isArray(pages))
    invalidOption(...refusal('pages', 'an array of { url, thinkMs }', pages));
  for (const [index, { url, thinkMs }] of (pages as WalkPage[]).entries()) {
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
      const shown = JSON.stringify(String(url).slice(0, 200));
      throw new LoaderError(
        'invalid-url',
        `page ${index + 1}: ${shown} is not an http or https URL`,
      );
    }
    checked(milliseconds({ least: 0 }), thinkMs, invalidOption, {
      name: `pages[${index}].thinkMs`,
    });
  }
  return checked(walkKind, options, invalidOption);
}
