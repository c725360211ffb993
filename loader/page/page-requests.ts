// Turns what a page needs into a row and, unless the cache answers, an exchange of the transport.

import type { CacheRequest } from '../cache/entry.ts';
import type { CacheMode } from '../cache/http-cache.ts';
import type { ResolvedOptions } from '../options.ts';
import type { RequestPurpose, ResourceKind } from '../page-load.ts';
import { type Cookies, isAnonymous, sameSiteContext } from '../request/cookies.ts';
import type { ReferrerPolicy } from '../request/referrer.ts';
import { requestHeaders } from '../request/request-headers.ts';
import { plainPlan, planRequest, type RequestPlan } from '../request/request-plan.ts';
import type { FetchSettings } from '../scan/reference.ts';
import { Exchange } from '../transport/exchange.ts';
import type { PageTransport } from '../transport/transport.ts';
import type { PageRecorder } from './page-recorder.ts';
import type { Resource, ResourceHost } from './resource.ts';

export interface Wanted {
  kind: ResourceKind;
  /** URL of the document that refers to it; null for the page itself. */
  initiator: string | null;
  purpose?: RequestPurpose;
  /** Number of redirects before this request, and the resource that redirected. */
  hops?: number;
  from?: Resource;
  /** Fetch settings of the reference. */
  how?: FetchSettings;
  /** The plan for the request; by default the cache decides. */
  plan?: RequestPlan;
}

export interface RequestsContext {
  options: ResolvedOptions;
  transport: PageTransport;
  cookies: Cookies;
  cacheMode: CacheMode;
  recorder: PageRecorder;
  /** Origin of the URL that the caller asked to load. */
  askedOrigin: string;
}

/** Lower values go first: render-blocking resources before others. */
const priorities: Record<ResourceKind, number> = {
  document: 0,
  stylesheet: 1,
  script: 2,
  font: 2,
  fetch: 3,
  image: 3,
  media: 4,
  track: 4,
  icon: 4,
  manifest: 4,
  other: 4,
};
/** Behind everything the page has no byte of yet: the rests of images, and refreshes. */
const lastPriority = 5;

export class PageRequests {
  readonly #context: RequestsContext;

  constructor(context: RequestsContext) {
    this.#context = context;
  }

  /** @param firstBytes Leading bytes of an image to request first; null: all. */
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
    // Later, because the caller has not recorded the resource yet.
    if (hit !== null) queueMicrotask(() => resource.serve(hit));
    else this.#send(resource);
  }

  /** The cache's view of the request. */
  request(
    url: URL,
    { kind, initiator, how = {} }: Wanted,
    pagePolicy: ReferrerPolicy,
  ): CacheRequest {
    const { options, cookies, askedOrigin } = this.#context;
    const page = initiator === null ? null : new URL(initiator);
    const { crossOrigin, referrerPolicy = pagePolicy } = how;
    const isBare = isAnonymous(page, url, crossOrigin);
    const cookie = isBare ? '' : cookies.header(url, sameSiteContext(page, url));
    const context = { url, kind, page, askedOrigin, referrerPolicy, crossOrigin, cookie };
    return { method: 'GET', url: url.href, headers: requestHeaders(context, options) };
  }

  #send(resource: Resource): void {
    const { request, plan, row, hops } = resource;
    const urgent = row.kind === 'document' || hops > 0;
    const isLast = row.purpose === 'rest' || row.purpose === 'refresh';
    const priority = isLast ? lastPriority : priorities[row.kind];
    const headers = [...request.headers, ...plan.fields].flat();
    const leads = row.kind === 'document' && row.purpose === 'use';
    const how = { urgent, priority, leads };
    resource.exchange = new Exchange(new URL(request.url), headers, how, resource);
    this.#context.transport.submit(resource.exchange);
  }
}

/** The plan that revalidates a stale response after its use. */
export function renewal(plan: RequestPlan): RequestPlan | null {
  const { refresh: validation } = plan;
  return validation && { ...plainPlan, validation, fields: validation.conditions };
}
