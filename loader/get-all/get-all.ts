// A layer (code around each request): one request asks for a document and all that it names (Padmanabhan 1995, 5.1,
// GETALL). As in the paper, this is done on the first visit of a document, so that few cached responses are sent
// again. Cached responses are announced by their entity tags and come as a 304.

import { getAllField, heldTag, mostHeldTags, parseGetAll } from '../../http/get-all.ts';
import { fieldValue, type HeaderPair, hasField, soleValue } from '../../http/header-pairs.ts';
import { LatestMap } from '../../process/latest-map.ts';
import type { HttpCache } from '../cache/http-cache.ts';
import type { LayerPage, PageLayer } from '../page/page-layer.ts';
import type { Resource } from '../page/resource.ts';
import { plainPlan } from '../request/request-plan.ts';
import { Envelope } from './envelope.ts';

/** Origins that said to the loader that they support Get-All; the map is made for the first of them. */
type Origins = LatestMap<string, true>;

const mostOrigins = 1_000;

/** Limit on the cache entries that are searched for those to list in the request as stored; some have no ETag. */
const mostLookedAt = 2 * mostHeldTags;

export function getAll(): PageLayer {
  let origins: Origins | null = null;
  return (dispatch, page) => {
    /** The response with the document and its resources; null: the document is requested without Get-All. */
    let envelope: Envelope | null = null;
    page.watch({
      comes: () => envelope !== null,
      stopped: (error) => envelope?.giveUp(error),
      over: (resources) => {
        envelope?.count();
        for (const { row, headers } of resources) {
          if (row.initiator === null && isKnownBy(headers)) {
            origins ??= new LatestMap(mostOrigins);
            origins.set(new URL(row.url).origin, true);
          }
        }
      },
    });
    return (request, handler) => {
      const { owner, purpose, initiator, headers, leads } = request;
      if (purpose === 'use' && initiator !== null && envelope?.claim({ request, handler })) return;
      // A document that was requested before, and is requested again, is requested without Get-All.
      const mayAsk = purpose === 'use' && initiator === null && owner.exchange === null;
      const plan = mayAsk ? planGetAll(owner, page, origins) : null;
      if (plan === null) {
        dispatch(request, handler);
        return;
      }
      const { field, isKnown } = plan;
      // The request has no conditions, because a 304 to the document would not bring its resources.
      owner.replan({ ...plainPlan, validation: owner.plan.validation });
      const alone = { ...request, conditions: [] };
      envelope = new Envelope(handler, { page, dispatch, request: alone, isKnown });
      const fields: HeaderPair[] = [...headers, ['get-all', field]];
      // The resources come on the document's own connection, so no connections are opened ahead for them.
      dispatch({ ...alone, headers: fields, leads: leads && !isKnown }, envelope);
    };
  };
}

/**
 * Decides whether a document is requested with Get-All.
 * @returns The value of the field, and whether the origin is known to support it; null: it is requested without.
 */
function planGetAll({ request, plan }: Resource, page: LayerPage, origins: Origins | null) {
  const { options, cacheMode } = page.context;
  const { cache, getAll } = options;
  const { origin } = new URL(request.url);
  const isForced = getAll === true;
  if (!isForced && !mayChoose({ request, plan }, page)) return null;
  const entries = cache?.recent(origin, mostLookedAt) ?? [];
  // If the origin is known to support the field, resources wait for the combined response even before it begins.
  const isKnown =
    origins?.peek(origin) === true || entries.some(({ headers }) => isKnownBy(headers));
  // The request has no conditions: a server without Get-All would send a stored document again instead of a 304.
  if (!isKnown && (!isForced || plan.validation !== null)) return null;
  if (hasField(request.headers, 'get-all')) return null; // the caller asks for certain parts by a field of its own
  const mayHold = cacheMode !== 'reload' && cacheMode !== 'no-store';
  return { field: getAllField(mayHold ? tagsOf(entries) : []), isKnown };
}

/** Whether the origin of a response says that it supports Get-All. */
function isKnownBy(headers: readonly HeaderPair[]): boolean {
  return parseGetAll(fieldValue(headers, 'get-all')) !== null;
}

/** Whether the loader itself may choose Get-All, which the option does not force: only on a first visit, when neither
 *  the document nor any resource that it named before is stored. */
function mayChoose(
  { request: { url }, plan: { validation, prefix } }: Pick<Resource, 'request' | 'plan'>,
  { context: { options, cacheMode, known } }: LayerPage,
): boolean {
  const { cache, images, protocol } = options;
  // `http1.0` and `sizes-first` are there to repeat measurements of papers of the 1990s, which Get-All would change.
  if (protocol === 'http1.0' || images === 'sizes-first' || cacheMode !== 'default') return false;
  if (validation !== null || prefix !== null) return false;
  const isStored = (one: string) => (cache?.stored(one).length ?? 0) > 0;
  return !isStored(url) && !(known?.get(url) ?? []).some((reference) => isStored(reference.url));
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
