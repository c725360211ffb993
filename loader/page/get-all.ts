// Whether to ask for a document and all that it names in one response (Padmanabhan 1995, 5.1, GETALL), or for each by
// itself, in one batch (5.2, GETLIST). The paper's rule: GETALL on the first visit of a document, so what the cache may
// have of it is rarely sent again. What the cache does have is named by tags, and comes as a 304.

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
  /** The origin said that it knows the field, so parts are expected before the response begins. */
  isKnown: boolean;
}

/** Entries that are looked through for tags: some have none. */
const mostLookedAt = 2 * mostHeldTags;

/** How to ask for a document with all it names; null: it is asked for alone. @param plan How it would be. */
export function planGetAll(
  request: CacheRequest,
  plan: RequestPlan,
  { options, cacheMode, known }: GetAllContext,
): GetAllPlan | null {
  const { cache, getAll } = options;
  const { origin } = new URL(request.url);
  const said = known.getAllOf(origin);
  if (getAll === false || plan.hit !== null || said === 'refuses') return null;
  if (hasField(request.headers, 'get-all')) return null; // the user's own
  const isForced = getAll === true;
  if (!isForced && !mayChoose(request, plan, { options, cacheMode, known })) return null;
  const entries = cache?.recent(origin, mostLookedAt) ?? [];
  const isKnown =
    said === 'knows' || entries.some(({ headers }) => knowsGetAll(fieldValue(headers, 'get-all')));
  const isRevisit = plan.validation !== null;
  // A server that does not know the field would send the document again.
  if (!isKnown && (!isForced || isRevisit)) return null;
  const mayHold = cacheMode !== 'reload' && cacheMode !== 'no-store';
  const field = getAllField(mayHold ? tagsOf(entries) : []);
  // Without conditions: a 304 to the document would bring no parts.
  const whole = { ...plainPlan, validation: plan.validation };
  return { field, plan: whole, isKnown };
}

/** Whether a response says that its origin knows the field. */
export function knowsGetAll(value: string): boolean {
  return value !== '' && parseGetAll(value) !== null;
}

/** The first visit: nothing of the document is stored, and nothing that it named when it was here before. */
function mayChoose(
  { url }: CacheRequest,
  { validation, prefix }: RequestPlan,
  { options, cacheMode, known }: GetAllContext,
): boolean {
  const { cache, images, protocol } = options;
  // HTTP/1.0 and ranges of images are as measured in the papers.
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
