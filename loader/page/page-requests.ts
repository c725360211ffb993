// Turns a resource that the page needs into a row of the page's record and, unless the cache answers it, a request that
// the transport sends. Each row that redirects gets its target, or the reason why it is not followed. Each redirect is
// followed once, even if its response is received again. A URL that comes twice in a chain of redirects is a loop, but
// not if a cookie was set in between: a login may well return to the page where it began.

import type { CacheRequest } from '../cache/entry.ts';
import type { CacheMode } from '../cache/http-cache.ts';
import type { LoaderError } from '../errors.ts';
import type { ResolvedOptions } from '../options.ts';
import type { RequestPurpose, ResourceKind } from '../page-load.ts';
import { type Cookies, isAnonymous, sameSiteContext } from '../request/cookies.ts';
import type { ReferrerPolicy } from '../request/referrer.ts';
import { requestHeaders } from '../request/request-headers.ts';
import { plainPlan, planRequest, type RequestPlan } from '../request/request-plan.ts';
import { isRedirectStatus, locationOf, redirectTarget } from '../response/redirect.ts';
import type { Naming } from '../scan/reference.ts';
import { Exchange, type ExchangeHandler } from '../transport/exchange.ts';
import type { PageTransport } from '../transport/transport.ts';
import { rankOf } from './discovery.ts';
import type { PageRequest } from './page-layer.ts';
import type { PageRecorder } from './page-recorder.ts';
import { Resource, type ResourceHost } from './resource.ts';

export interface Wanted {
  kind: ResourceKind;
  /** URL of the document, style sheet or module that names the resource; null for the page itself. */
  initiator: string | null;
  purpose?: RequestPurpose;
  /** Number of redirects before this request; `from` is the resource that redirected here. */
  hops?: number;
  from?: Resource;
  /** The image that an earlier request did not get completely, and whose missing bytes are requested. */
  completes?: Resource;
  how?: Naming;
  /** How the request uses the cache, with what conditions and range; by default the cache decides. */
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
  /** URL of the document; null: nothing has been requested yet. */
  documentUrl: () => string | null;
}

/** Priority of background revalidations and of the rest of an image, after all that the page has no byte of yet. */
const lastPriority = 7;

const urgencies = { highest: 'u=0', high: 'u=1', medium: 'u=2', low: '', lowest: 'u=4' } as const;
/** Kinds of resources that cannot be used before they are complete. */
const wholes = new Set<ResourceKind>(['script', 'stylesheet', 'font']);

/** Returns the Priority field (RFC 9218 4) as Chromium 156 sends it; '' stands for the default, u=3. */
function urgencyOf(kind: ResourceKind, { priority = 'low' }: Naming): string {
  const parts = [urgencies[priority], wholes.has(kind) ? '' : 'i'];
  return parts.filter((part) => part !== '').join(', ');
}

export class PageRequests {
  readonly #context: RequestsContext;
  readonly #followed = new Map<Resource, string>();
  /** For each resource, the number of cookies received before its request: tells a redirect loop from a login. */
  readonly #learned = new Map<Resource, number>();

  constructor(context: RequestsContext) {
    this.#context = context;
  }

  plan(url: URL, wanted: Wanted, referrerPolicy: ReferrerPolicy): RequestPlan {
    return this.#planOf(this.request(url, wanted, referrerPolicy));
  }

  /** Adds a row for a resource to the page's record; its request is not sent yet. */
  add(host: ResourceHost, url: URL, wanted: Wanted, referrerPolicy: ReferrerPolicy): Resource {
    const { kind, initiator, purpose = 'use', from = null } = wanted;
    const { hops = 0, completes = null, how = {} } = wanted;
    const { recorder, cookies } = this.#context;
    const request = this.request(url, wanted, referrerPolicy);
    const plan = wanted.plan ?? this.#planOf(request);
    const row = recorder.row(request.url, kind, initiator, how);
    row.purpose = purpose;
    row.requestHeaders = [...request.headers, ...plan.fields];
    const resource = new Resource(host, row, request, plan, { hops, how, completes });
    recorder.add(resource, from);
    this.#learned.set(resource, cookies.learned);
    return resource;
  }

  #planOf(request: CacheRequest): RequestPlan {
    const { options, cacheMode: mode } = this.#context;
    const { cache, protocol } = options;
    return cache === null ? plainPlan : planRequest(request, { cache, mode, protocol });
  }

  /** Returns the request as the cache knows it, without conditions and ranges. */
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

  /** Returns the request of a resource as the outermost layer (wrapper around `send`) gets it. */
  of(owner: Resource): PageRequest {
    const { request, plan, row } = owner;
    const { kind, purpose, initiator } = row;
    return {
      owner,
      url: new URL(request.url),
      kind,
      purpose,
      initiator,
      headers: request.headers,
      conditions: plan.fields,
      leads: initiator === null && purpose === 'use',
    };
  }

  /** Sends a request as the innermost of the layers (wrappers around this function) has passed it on. */
  send({ owner, url, headers, conditions, leads }: PageRequest, handler: ExchangeHandler): void {
    const { row, hops, how: naming } = owner;
    const isPage = row.initiator === null;
    const urgent = isPage || hops > 0;
    const isLast = row.purpose === 'rest' || row.purpose === 'refresh';
    const priority = isLast ? lastPriority : isPage ? 0 : 1 + rankOf(naming);
    const urgency = urgencyOf(row.kind, isPage ? { priority: 'highest' } : naming);
    row.requestHeaders = [...headers, ...conditions];
    const how = { urgent, priority, leads, urgency };
    owner.exchange = new Exchange(url, row.requestHeaders.flat(), how, handler);
    this.#context.transport.submit(owner.exchange);
  }

  /**
   * Follows the response of a resource if it is a redirect.
   * @param stopped The error that stopped the load; null: the load continues.
   * @param ask Requests the target.
   * @returns Whether the redirect was followed, now or after an earlier response.
   */
  follow(resource: Resource, stopped: LoaderError | null, ask: (target: URL) => void): boolean {
    const { row } = resource;
    if (!isRedirectStatus(resource.status) || row.error !== null) return false;
    const { options, cookies, recorder } = this.#context;
    const { maxRedirects } = options.limits;
    const chain = recorder.chain(resource);
    const same = chain.filter((hop) => this.#learned.get(hop) === cookies.learned);
    const answered = same.map((hop) => hop.row.url);
    const limits = { hops: chain.length, maxRedirects, answered };
    try {
      const location = locationOf(resource.headers);
      if (location === '') return false;
      const target = redirectTarget(location, row, limits);
      row.redirectUrl = target.href;
      if (target.href === this.#followed.get(resource)) return true;
      if (stopped !== null) throw stopped;
      this.#followed.set(resource, target.href);
      ask(target);
      return true;
    } catch (error) {
      const { code, message } = error as LoaderError;
      row.error = { code, message };
      return false;
    }
  }
}

/** Returns the plan of a request that revalidates a stale response after its use; null if that is not to be done. */
export function renewal(plan: RequestPlan): RequestPlan | null {
  const { refresh: validation } = plan;
  return validation && { ...plainPlan, validation, fields: validation.conditions };
}
