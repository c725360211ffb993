// Gives two kinds of advice on reuse. Responses without ETag and Last-Modified (RFC 9110 8.8) are sent again in full
// when they are stale, where a 304 would do: that would save their bodies. For responses without a cache lifetime (RFC
// 9111 4.2.1) browsers guess one, or ask again: a lifetime would save requests and header sections. Prefetched pages
// are used only while they are fresh, and a document with no-store is not kept for the back button.

import { cacheDirectives } from '../../http/cache-directives.ts';
import { explicitLifetimeMs } from '../cache/policy/freshness.ts';
import { formatBytes } from '../report/units.ts';
import { type Finding, type FindingItem, findingOn, nothing } from './finding.ts';
import { answered, type Loaded, type Subject } from './subject.ts';

/** Responses with at least this lifetime are validated so seldom that they get no advice. */
const longLifetimeMs = 24 * 60 * 60 * 1000;

export function missingValidators({ load, loaded }: Subject): Finding[] {
  const items = loaded
    .filter((each) => {
      const { lifetimeMs, hasValidator, isForbidden } = reuseOf(each, load.startedAtMs);
      const isShort = (lifetimeMs ?? 0) < longLifetimeMs;
      return !hasValidator && !isForbidden && isShort && each.row.encodedBytes > 0;
    })
    .map(({ row }) => ({
      url: row.url,
      note: `${row.kind}, ${formatBytes(row.encodedBytes)}`,
      saves: { ...nothing, bytes: row.encodedBytes },
    }));
  return findingOn(items, {
    kind: 'missing-validators',
    title: 'Responses cannot be validated',
    advice: 'Send an ETag or Last-Modified, and answer 304 when it is asked about.',
    how: 'no ETag and no Last-Modified; a 304 would save these bodies whenever they have not changed',
    sure: 'likely',
    visit: 'next',
  });
}

export function noLifetime({ load, loaded, document }: Subject): Finding[] {
  const items = loaded.flatMap((each) => itemOf(each, each === document, load.startedAtMs));
  const words = {
    kind: 'no-lifetime',
    title: 'Responses have no cache lifetime',
    advice:
      'Send Cache-Control: max-age. For files with a version in their name a year, for pages a few minutes, so that prefetched copies are used.',
    how: 'neither max-age nor Expires; counted are the requests and header sections of a returning visitor, whose browser may also guess a lifetime from Last-Modified',
    sure: 'likely',
    visit: 'next',
  } as const;
  // One round trip is saved, in which a browser would revalidate all the page's resources together.
  return findingOn(items, words, items.some(({ saves }) => saves.requests > 0) ? 1 : 0);
}

function itemOf(each: Loaded, isDocument: boolean, startedAtMs: number): FindingItem[] {
  const { url, kind, transferBytes, encodedBytes } = each.row;
  const reuse = reuseOf(each, startedAtMs);
  if (isDocument && reuse.isForbidden) {
    const note = 'document with no-store: fetched again for the back button';
    return [{ url, note, saves: nothing }];
  }
  if (reuse.lifetimeMs !== null || reuse.isForbidden || reuse.isAlwaysValidated) return [];
  if (isDocument) return [{ url, note: 'page: a prefetched copy may not be used', saves: nothing }];
  const saves = { bytes: transferBytes - encodedBytes, requests: 1, roundTrips: 0 };
  return [{ url, note: `${kind}, no max-age and no Expires`, saves }];
}

/**
 * Returns what a response says about its reuse (RFC 9111), for the advice on validators and on lifetimes: its explicit
 * lifetime (null: none), whether it can be validated, whether it must not be stored (no-store), and whether its author
 * wants it to be validated each time (no-cache).
 * @param startedAtMs Start of the load, wall clock, ms since the epoch
 */
function reuseOf({ row }: Loaded, startedAtMs: number) {
  const { responseHeaders: headers } = row;
  const directives = cacheDirectives(headers);
  const receivedAtMs = startedAtMs + (row.responseStartMs ?? 0);
  return {
    lifetimeMs: explicitLifetimeMs({ headers, receivedAtMs, requestedAtMs: receivedAtMs }),
    hasValidator: answered(row, 'etag') !== '' || answered(row, 'last-modified') !== '',
    isForbidden: directives.has('no-store'),
    isAlwaysValidated: directives.has('no-cache'),
  };
}
