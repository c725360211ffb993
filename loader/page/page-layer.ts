// What the layers of this loader use of a page, besides what any layer gets (loader/layer.ts).

import type { HeaderPair } from '../../http/header-pairs.ts';
import type { CacheRequest } from '../cache/entry.ts';
import type { CacheMode } from '../cache/http-cache.ts';
import type { LoaderError } from '../errors.ts';
import type { Dispatch, LayerRequest } from '../layer.ts';
import type { ResolvedOptions } from '../options.ts';
import type { RequestPlan } from '../request/request-plan.ts';
import type { PageTransport } from '../transport/transport.ts';
import type { KnownPages } from './ahead.ts';
import type { Resource } from './resource.ts';

/** A request and its response. */
export interface Answered {
  readonly request: CacheRequest;
  /** null: no response has arrived. */
  readonly status: number | null;
  readonly headers: readonly HeaderPair[];
}

/** What sends requests through the loader's own layers: a page, or the prefetches. */
export interface Sender {
  readonly options: ResolvedOptions;
  readonly cacheMode: CacheMode;
  /** @param watcher `over` is called when the page, or a prefetch, has ended, whether it failed or not. */
  watch(watcher: { over(answers: readonly Answered[]): void }): void;
}

/** A request of a page. */
export interface PageRequest extends LayerRequest {
  /** The row that gets the response. */
  readonly owner: Resource;
  /** Connections are opened ahead for the requests that will follow. */
  readonly leads: boolean;
}

/** Called once for each page. */
export type PageLayer = (dispatch: Dispatch<PageRequest>, page: LayerPage) => Dispatch<PageRequest>;

export interface LayerPage extends Sender {
  /** What the loader learned from earlier pages. */
  readonly known: KnownPages;
  readonly transport: Pick<PageTransport, 'batch' | 'cancel' | 'hasWayAround'>;
  /** The rows of the page, in their order. */
  readonly resources: readonly Resource[];
  readonly isDocumentDone: boolean;
  /** The error that stopped the load; null: it continues. */
  readonly stopped: LoaderError | null;
  /** Requests the bytes that a resource lacks by this plan. */
  again(resource: Resource, plan: RequestPlan): void;
  /** Sends the requests made inside `work` in one batch. */
  batch(work: () => void): void;
  /** The page starts to wait for something besides its requests (1), or stops waiting for it (-1). */
  waits(difference: number): void;
  /** Counts bytes that were received, then discarded and fetched again. */
  discarded(bytes: number): void;
  /** Counts bytes that were received, and for which the page has no use. */
  unused(bytes: number): void;
  /** Calls the watcher from now on. */
  watch(watcher: PageWatcher): void;
}

export interface PageWatcher {
  /** Whether the response to this request will come without it, so that it is not sent before the page names it. */
  comes?(url: URL, plan: RequestPlan): boolean;
  /** Called when a resource that the page uses has ended, unless it leads to another request for it. */
  ended?(resource: Resource): void;
  /** Called when the load is stopped, or its time is over. */
  stopped?(error: LoaderError): void;
  /** Called when nothing is outstanding. Resolves when all responses so far are known to belong to their requests. */
  settled?(): Promise<void>;
  /** Called when the page is over, however it ended. */
  over?(resources: readonly Resource[]): void;
}
