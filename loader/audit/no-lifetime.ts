// Finds responses without a cache lifetime (RFC 9111 4.2.1): browsers guess, or ask again. Prefetched pages are used
// only while they are fresh, and a document with no-store is not kept for the back button.

import { type Finding, type FindingItem, findingOn, nothing } from './finding.ts';
import { type Loaded, reuseOf, type Subject } from './subject.ts';

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
  // Resources are validated together, after the document.
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
