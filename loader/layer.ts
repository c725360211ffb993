// A layer is code around each request of a loader, as an undici interceptor is around a dispatcher: it gets a dispatch
// and returns one. It may change the request, answer it in another way, and look at the response through its handler.
// The features around the core are layers as well (`usualLayers` in loader.ts); the core imports none of them.

import type { HeaderPair } from '../http/header-pairs.ts';
import type { LoaderError } from './errors.ts';
import type { RequestPurpose, ResourceKind } from './page-load.ts';
import type { Batch, ExchangeHandler, ResponseHead } from './transport/exchange.ts';

/** A request as a layer gets it. To change it, pass on a copy: `dispatch({ ...request, headers }, handler)`. */
export interface LayerRequest {
  readonly url: URL;
  readonly kind: ResourceKind;
  /** Purpose of the request; `prefetch`: no page needs the response yet. */
  readonly purpose: RequestPurpose | 'prefetch';
  /** URL of the document, style sheet or module that names `url`; null: the page itself, or a prefetch. */
  readonly initiator: string | null;
  /** The header fields after Host and Connection. If a layer changes them, the cache still looks up the request with
   *  the page's own ones. */
  readonly headers: HeaderPair[];
  /** The header fields that follow `headers`: the conditions and the range that the cache asks for. */
  readonly conditions: HeaderPair[];
}

/** Sends a request; the response goes to the handler. */
export type Dispatch<Request extends LayerRequest = LayerRequest> = (
  request: Request,
  handler: ExchangeHandler,
) => void;

/**
 * A layer, which wraps `dispatch`. It is called once for each page, and once for all prefetches of a loader. An error
 * that it throws stops the load, which rejects with it; while prefetching, it only makes the prefetch fail.
 */
export type Layer = <Request extends LayerRequest>(
  dispatch: Dispatch<Request>,
) => Dispatch<Request>;

/**
 * Passes all that happens to a request on to `handler`. A layer that looks at responses extends it and overrides what
 * it needs. Behind a handler of another class, the loader does not notice two responses that a server swapped.
 */
export class LayerHandler implements ExchangeHandler {
  readonly handler: ExchangeHandler;

  constructor(handler: ExchangeHandler) {
    this.handler = handler;
  }

  onSent(batch: Batch): void {
    this.handler.onSent?.(batch);
  }

  onInterim(status: number, headers: HeaderPair[]): void {
    this.handler.onInterim?.(status, headers);
  }

  onHeaders(head: ResponseHead): void {
    this.handler.onHeaders(head);
  }

  onData(chunk: Buffer, receivedBytes?: number): void | Promise<void> {
    return this.handler.onData(chunk, receivedBytes);
  }

  onEnd(endedAt: number): void {
    this.handler.onEnd(endedAt);
  }

  onRestart(): void {
    this.handler.onRestart();
  }

  contradicts(others: () => readonly ExchangeHandler[]): boolean {
    return this.handler.contradicts?.(others) ?? false;
  }

  onError(error: LoaderError, atMs: number): void {
    this.handler.onError(error, atMs);
  }
}

/** Returns the innermost handler, to which the handlers of all layers pass everything on. */
export function innermost(handler: ExchangeHandler): ExchangeHandler {
  return handler instanceof LayerHandler ? innermost(handler.handler) : handler;
}
