// Turns a resource that the page needs into a row and, unless the cache answers it, an exchange of the transport.

import type { HeaderPair } from '../../http/header-pairs.ts';
import type { CacheRequest } from '../cache/entry.ts';
import type { CacheMode } from '../cache/http-cache.ts';
import { DictionaryHandler } from '../dictionaries/dictionary-handler.ts';
import type { KnownDictionaries } from '../dictionaries/known-dictionaries.ts';
import type { ResolvedOptions } from '../options.ts';
import type { RequestPurpose, ResourceKind } from '../page-load.ts';
import { type Cookies, isAnonymous, sameSiteContext } from '../request/cookies.ts';
import type { ReferrerPolicy } from '../request/referrer.ts';
import { destination, requestHeaders } from '../request/request-headers.ts';
import { plainPlan, planRequest, type RequestPlan } from '../request/request-plan.ts';
import type { Naming } from '../scan/reference.ts';
import { Exchange, type ExchangeHandler } from '../transport/exchange.ts';
import type { PageTransport } from '../transport/transport.ts';
import { rankOf, urgencyOf } from './fetch-order.ts';
import type { PageRecorder } from './page-recorder.ts';
import type { Resource, ResourceHost } from './resource.ts';

export interface Wanted {
  kind: ResourceKind;
  /** URL of the document, style sheet or module that refers to it; null for the page itself. */
  initiator: string | null;
  purpose?: RequestPurpose;
  /** Number of redirects before this request, and the resource that redirected here. */
  hops?: number;
  from?: Resource;
  how?: Naming;
  /** The plan for the request; by default the cache decides. */
  plan?: RequestPlan;
}

export interface RequestsContext {
  options: ResolvedOptions;
  transport: PageTransport;
  cookies: Cookies;
  cacheMode: CacheMode;
  /** null: no dictionaries are offered. */
  dictionaries: KnownDictionaries | null;
  recorder: PageRecorder;
  /** Origin of the URL that the caller asked to load. */
  askedOrigin: string;
  /** URL of the document; null: nothing has been requested yet. */
  documentUrl: () => string | null;
}

export interface SendOptions {
  /** Fields added to the request without the cache seeing them. */
  fields?: HeaderPair[];
  /** Receives the response; default: the resource. */
  handler?: ExchangeHandler;
  /** Connections are opened ahead for the requests that will follow. Default true for the page's own request. */
  leads?: boolean;
}

/** Priority of the rests of images and of refreshes, behind everything of which the page has no byte yet. */
const lastPriority = 7;

export class PageRequests {
  readonly #context: RequestsContext;

  constructor(context: RequestsContext) {
    this.#context = context;
  }

  /** @param firstBytes Number of leading bytes of an image to request first; null: the whole image. */
  plan(
    url: URL,
    wanted: Wanted,
    referrerPolicy: ReferrerPolicy,
    firstBytes: number | null,
  ): RequestPlan {
    const { options, cacheMode: mode } = this.#context;
    const { cache, protocol } = options;
    const request = this.request(url, wanted, referrerPolicy);
    return planRequest(request, { cache, mode, protocol, firstBytes });
  }

  /** Adds a row; nothing is sent yet. */
  add(
    host: ResourceHost,
    url: URL,
    wanted: Wanted & { plan: RequestPlan },
    referrerPolicy: ReferrerPolicy,
  ): Resource {
    const { kind, initiator, plan, purpose = 'use', hops = 0, from = null, how = {} } = wanted;
    const request = this.request(url, wanted, referrerPolicy);
    return this.#context.recorder.add(host, {
      request,
      plan,
      kind,
      purpose,
      initiator,
      hops,
      from,
      how,
    });
  }

  /** Sends the request, or answers it from the cache. */
  start(resource: Resource): void {
    const { hit } = resource.plan;
    // This is deferred because the caller has not recorded the resource yet.
    if (hit !== null) queueMicrotask(() => resource.serve(hit));
    else this.send(resource, {});
  }

  /** The cache's view of the request. */
  request(
    url: URL,
    { kind, initiator, how = {} }: Wanted,
    pagePolicy: ReferrerPolicy,
  ): CacheRequest {
    const { options, cookies, askedOrigin } = this.#context;
    const page = initiator === null ? null : new URL(this.#context.documentUrl() ?? initiator);
    const referrer = initiator === null ? null : new URL(initiator);
    const { crossOrigin, referrerPolicy = pagePolicy } = how;
    const isBare = isAnonymous(page, url, crossOrigin);
    const cookie = isBare ? '' : cookies.header(url, sameSiteContext(page, url));
    const context = { url, kind, page, referrer, askedOrigin, referrerPolicy, crossOrigin, cookie };
    return { method: 'GET', url: url.href, headers: requestHeaders(context, options) };
  }

  /** Sends the request. */
  send(resource: Resource, { fields = [], handler = resource, leads = true }: SendOptions): void {
    const { request, plan, row, hops, how: naming } = resource;
    const isPage = row.initiator === null;
    const urgent = isPage || hops > 0;
    const isLast = row.purpose === 'rest' || row.purpose === 'refresh';
    const priority = isLast ? lastPriority : isPage ? 0 : 1 + rankOf(naming);
    const urgency = urgencyOf(row.kind, isPage ? { priority: 'highest' } : naming);
    const isLeading = leads && isPage && row.purpose === 'use';
    const how = { urgent, priority, leads: isLeading, urgency };
    const url = new URL(request.url);
    const submit = (headers: HeaderPair[], handler: ExchangeHandler): Exchange => {
      row.requestHeaders = headers;
      const exchange = new Exchange(url, headers.flat(), how, handler);
      resource.exchange = exchange;
      this.#context.transport.submit(exchange);
      return exchange;
    };
    const plain = [...request.headers, ...plan.fields, ...fields];
    // A response that is an envelope has its own handler, so no dictionary is offered for it.
    const isWhole =
      plan.range === null && fields.length === 0 && this.#context.cacheMode !== 'no-store';
    const offer = isWhole
      ? (this.#context.dictionaries?.offer(request, destination[row.kind]) ?? null)
      : null;
    if (offer === null) {
      submit(plain, handler);
      return;
    }
    const { maxResourceBytes } = this.#context.options.limits;
    const askAgain = () => submit(plain, handler);
    const differences = new DictionaryHandler({ offer, handler, maxResourceBytes, askAgain });
    differences.exchange = submit([...offer.headers, ...plan.fields], differences);
  }
}

/** The plan for revalidating a stale response after its use. */
export function renewal(plan: RequestPlan): RequestPlan | null {
  const { refresh: validation } = plan;
  return validation && { ...plainPlan, validation, fields: validation.conditions };
}
