// Decides whether a document and all that it names are requested in one response (Padmanabhan 1995, 5.1, GETALL) or
// one by one in a batch (5.2, GETLIST). As in the paper, GETALL is used on the first visit of a document, so that few
// cached responses are sent again. Cached responses are announced by their entity tags and come as a 304.

import { getAllField, heldTag, mostHeldTags, parseGetAll } from '../../http/get-all.ts';
import { fieldValue, hasField, soleValue } from '../../http/header-pairs.ts';
import type { CacheRequest } from '../cache/entry.ts';
import type { CacheMode, HttpCache } from '../cache/http-cache.ts';
import type { ResolvedOptions } from '../options.ts';
import { plainPlan, type RequestPlan } from '../request/request-plan.ts';
import type { KnownPages } from './known-pages.ts';

export interface GetAllContext {
  options: Pick<ResolvedOptions, 'cache' | 'getAll' | 'images' | 'protocol'>;
  cacheMode: CacheMode;
  known: KnownPages;
}

export interface GetAllPlan {
  /** Value of the Get-All field. */
  field: string;
  plan: RequestPlan;
  /** The origin has said that it supports the field, so parts are expected before the response begins. */
  isKnown: boolean;
}

/** Most entries that are searched for entity tags; some entries have none. */
const mostLookedAt = 2 * mostHeldTags;

/** Plans the Get-All request for a document; null: it is requested alone. @param plan The plan without Get-All. */
export function planGetAll(
  request: CacheRequest,
  plan: RequestPlan,
  { options, cacheMode, known }: GetAllContext,
): GetAllPlan | null {
  const { cache, getAll } = options;
  const { origin } = new URL(request.url);
  const said = known.getAllOf(origin);
  if (getAll === false || plan.hit !== null || said === 'refuses') return null;
  if (hasField(request.headers, 'get-all')) return null; // the caller set the field
  const isForced = getAll === true;
  if (!isForced && !mayChoose(request, plan, { options, cacheMode, known })) return null;
  const entries = cache?.recent(origin, mostLookedAt) ?? [];
  const isKnown =
    said === 'knows' || entries.some(({ headers }) => knowsGetAll(fieldValue(headers, 'get-all')));
  const isRevisit = plan.validation !== null;
  // A server that does not support the field would send the document again.
  if (!isKnown && (!isForced || isRevisit)) return null;
  const mayHold = cacheMode !== 'reload' && cacheMode !== 'no-store';
  const field = getAllField(mayHold ? tagsOf(entries) : []);
  // The request has no conditions, because a 304 to the document would bring no parts.
  const whole = { ...plainPlan, validation: plan.validation };
  return { field, plan: whole, isKnown };
}

/** Whether the field's value in a response says that its origin supports Get-All. */
export function knowsGetAll(value: string): boolean {
  return value !== '' && parseGetAll(value) !== null;
}

/** Whether this is a first visit: neither the document nor any resource that it named before is stored. */
function mayChoose(
  { url }: CacheRequest,
  { validation, prefix }: RequestPlan,
  { options, cacheMode, known }: GetAllContext,
): boolean {
  const { cache, images, protocol } = options;
  // HTTP/1.0 and ranges of images are loaded as measured in the papers.
  if (protocol === 'http1.0' || images === 'sizes-first' || cacheMode !== 'default') return false;
  if (validation !== null || prefix !== null) return false;
  const isStored = (one: string) => (cache?.stored(one).length ?? 0) > 0;
  return !isStored(url) && !known.referencesOf(url).some((reference) => isStored(reference.url));
}

function tagsOf(entries: ReturnType<HttpCache['recent']>): string[] {
  const tags = new Set<string>();
  for (const { url, headers, range, status } of entries) {
    const etag = soleValue(headers, 'etag') ?? '';
    if (tags.size >= mostHeldTags) break;
    if (etag === '' || range !== null || status !== 200) continue;
    const { pathname, search } = new URL(url);
    tags.add(heldTag(pathname + search, etag));
  }
  return [...tags];
}
