// Declares what of a page only the built-in layers may use; a layer is code around each request. What every layer gets,
// those of users included, is in loader/layer.ts.

import type { HeaderPair } from '../../http/header-pairs.ts';
import type { CacheRequest } from '../cache/entry.ts';
import type { CacheMode } from '../cache/http-cache.ts';
import type { LoaderError } from '../errors.ts';
import type { Dispatch, LayerRequest } from '../layer.ts';
import type { ResolvedOptions } from '../options.ts';
import type { RequestPlan } from '../request/request-plan.ts';
import type { PageTransport } from '../transport/transport.ts';
import type { KnownPages } from './ahead.ts';
import type { PageRecorder } from './page-recorder.ts';
import type { Resource } from './resource.ts';

/** A request and its response. */
export interface AnsweredRequest {
  readonly request: CacheRequest;
  /** Status of the response; null: none has arrived. */
  readonly status: number | null;
  readonly headers: readonly HeaderPair[];
}

/** The sender of requests as the built-in layers see it: either a page or the loader's prefetches. */
export interface Sender {
  readonly context: { readonly options: ResolvedOptions; readonly cacheMode: CacheMode };
  /** Registers an object whose functions are called at later events of the page or the prefetches. */
  watch(watcher: Watcher): void;
}

export interface Watcher {
  /** Called when the page, or a prefetch, is over, however it ended. */
  over(answers: readonly AnsweredRequest[]): void;
}

/** A request that a page sends, not a prefetch. */
export interface PageRequest extends LayerRequest {
  /** The resource that gets the response. */
  readonly owner: Resource;
  /** Whether further connections are opened now for the requests that will follow this one, as after a document. */
  readonly leads: boolean;
}

/** A built-in layer (interceptor of requests), which is called once for each page or once for all prefetches. */
export type LayerOf<Asked extends LayerRequest, From> = (
  dispatch: Dispatch<Asked>,
  from: From,
) => Dispatch<Asked>;

export type PageLayer = LayerOf<PageRequest, LayerPage>;

export interface LayerPage extends Sender {
  readonly context: Sender['context'] & {
    /** The resources that each document named when this loader last loaded it; null: the loader loads one page. */
    readonly known: KnownPages | null;
    readonly transport: Pick<PageTransport, 'batch' | 'cancel'>;
  };
  readonly recorder: Pick<PageRecorder, 'resources' | 'discarded' | 'unused'>;
  readonly isDocumentDone: boolean;
  /** The error that stopped the load; null: it continues. */
  readonly stopped: LoaderError | null;
  /** Requests a resource again, or only the bytes that it lacks; `plan` has the conditions and the range to ask for. */
  again(resource: Resource, plan: RequestPlan): void;
  /** Sends the requests made inside `work` in one batch. */
  batch(work: () => void): void;
  /** Adds to the number of things, besides requests in flight, for which the page waits before it ends. */
  waits(difference: number): void;
  watch(watcher: PageWatcher): void;
}

export interface PageWatcher {
  /** Whether a URL will come as a part of the document's response (Get-All), so that it is not requested ahead. */
  comes?(url: URL, plan: RequestPlan): boolean;
  /** Called when a resource that the page uses has ended, unless it redirects or has to be requested again. */
  ended?(resource: Resource): void;
  /** Called when the load is stopped, or its time is over. */
  stopped?(error: LoaderError): void;
  /** Called when no request is in flight. Resolves when all responses so far are known to belong to their requests. */
  settled?(): Promise<void>;
  /** Called when the page is over, however it ended. */
  over?(resources: readonly Resource[]): void;
}
