// A page's use of Get-All: whether it requests everything at once, the envelope that it receives, and what the loader
// learns for later pages.

import { fieldValue } from '../../http/header-pairs.ts';
import type { CacheRequest } from '../cache/entry.ts';
import { LoaderError } from '../errors.ts';
import type { ResolvedOptions } from '../options.ts';
import type { RequestPlan } from '../request/request-plan.ts';
import type { Exchange, ExchangeHandler } from '../transport/exchange.ts';
import type { PageTransport } from '../transport/transport.ts';
import { Envelope, type EnvelopeHost } from './envelope.ts';
import { type GetAllContext, type GetAllPlan, knowsGetAll, planGetAll } from './get-all.ts';
import type { PageDocument } from './page-document.ts';
import type { PageRecorder } from './page-recorder.ts';
import type { PageRequests } from './page-requests.ts';
import type { Resource } from './resource.ts';

export interface PageEnvelopeContext extends GetAllContext {
  options: ResolvedOptions;
  transport: PageTransport;
  requests: PageRequests;
  recorder: PageRecorder;
  document: PageDocument;
  /** The error that stopped the load; null: the load continues. */
  stopped: () => LoaderError | null;
  /** Sends the requests made inside `work` in one batch. */
  batch: (work: () => void) => void;
  /** The page starts to wait for an envelope (1), or stops waiting (-1). */
  waits: (difference: 1 | -1) => void;
}

export class PageEnvelope implements EnvelopeHost {
  readonly #context: PageEnvelopeContext;
  /** null: the document is requested alone. */
  #envelope: Envelope | null = null;

  constructor(context: PageEnvelopeContext) {
    this.#context = context;
  }

  /** Whether the document was requested together with all that it names. */
  get isAsked(): boolean {
    return this.#envelope !== null;
  }

  /** Plans the document's Get-All request; null: it is requested alone. @param plan The plan without Get-All. */
  plan(request: CacheRequest, plan: RequestPlan): GetAllPlan | null {
    return planGetAll(request, plan, this.#context);
  }

  /** Sends the Get-All request for the document. */
  ask(document: Resource, { field, isKnown }: GetAllPlan): void {
    this.#envelope = new Envelope(this, document, isKnown);
    const handler = this.#envelope;
    // The resources that the document names are expected on its own connection.
    this.#context.requests.send(document, {
      handler,
      fields: [['get-all', field]],
      leads: !isKnown,
    });
  }

  /** Sends the request, unless a part answers it. */
  start(resource: Resource): void {
    const { purpose, initiator } = resource.row;
    const mayBePart = purpose === 'use' && initiator !== null;
    if (mayBePart && this.#envelope?.take(resource)) return;
    this.#context.requests.start(resource);
  }

  /** Stops the load. */
  giveUp(error: LoaderError): void {
    this.#envelope?.giveUp(error);
  }

  /** Called at the end of the page: counts the unused bytes, and records what later pages can use. */
  finish(): void {
    const { recorder, known, document } = this.#context;
    recorder.unused(this.#envelope?.unusedBytes ?? 0);
    recorder.discarded(this.#envelope?.otherBytes ?? 0);
    for (const { row, headers } of recorder.resources) {
      if (row.initiator !== null || !knowsGetAll(fieldValue(headers, 'get-all'))) continue;
      known.learnGetAll(new URL(row.url).origin, 'knows');
    }
    if (document.url !== null) known.learnReferences(document.url, recorder.references);
  }

  get limits(): ResolvedOptions['limits'] {
    return this.#context.options.limits;
  }

  get stallMs(): number {
    return this.#context.options.pipeline.stallMs;
  }

  began(): void {
    this.#context.waits(1);
  }

  ended(): void {
    this.#context.waits(-1);
  }

  hasWayAround(exchange: Exchange): boolean {
    return this.#context.transport.hasWayAround(exchange);
  }

  stalled(exchange: Exchange | null): void {
    const error = new LoaderError('response-timeout', 'no part of the page comes (Get-All)');
    if (exchange !== null) this.#context.transport.cancel([exchange], error);
  }

  refused(): void {
    const { known, document } = this.#context;
    if (document.url !== null) known.learnGetAll(new URL(document.url).origin, 'refuses');
  }

  askDocument(document: Resource, handler: ExchangeHandler): void {
    const stopped = this.#context.stopped();
    if (stopped === null) this.#context.requests.send(document, { handler });
    else handler.onError(stopped, performance.now());
  }

  askAlone(resources: Resource[]): void {
    const stopped = this.#context.stopped();
    this.#context.batch(() => {
      for (const resource of resources) {
        if (stopped === null) this.#context.requests.start(resource);
        else resource.onError(stopped, performance.now());
      }
    });
  }

  discarded(bytes: number): void {
    this.#context.recorder.discarded(bytes);
  }
}
