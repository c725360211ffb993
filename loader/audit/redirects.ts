// Finds redirects: each one costs a request and a round trip before the resource itself.

import type { ResourceRecord } from '../page-load.ts';
import { type Finding, findingOn } from './finding.ts';
import type { Subject } from './subject.ts';

export function redirects({ load }: Subject): Finding[] {
  const hops = load.resources.filter(
    ({ redirectUrl, fromCache, purpose }) =>
      redirectUrl !== null && !fromCache && purpose === 'use',
  );
  const items = hops.map((row) => ({
    url: row.url,
    note: `${row.status} to ${row.redirectUrl}`,
    saves: { bytes: row.transferBytes, requests: 1, roundTrips: 1 },
  }));
  const ofPage = hops.filter(({ initiator }) => initiator === null).length;
  const longest = longestChain(hops.filter(({ initiator }) => initiator !== null));
  const words = {
    kind: 'redirects',
    title: hops.length === 1 ? 'A redirect adds a round trip' : 'Redirects add round trips',
    advice: 'Link to the final URL. Where visitors type the old address, redirect once.',
    how: 'the redirects of this load; round trips are those of the page and of the longest chain of a resource',
    sure: 'measured',
    visit: 'first',
  } as const;
  return findingOn(items, words, ofPage + longest);
}

function longestChain(hops: readonly ResourceRecord[]): number {
  const next = new Map(hops.map(({ url, redirectUrl }) => [url, redirectUrl]));
  const lengths = hops.map(({ url }) => {
    const seen = new Set<string>();
    for (
      let at: string | null | undefined = url;
      at != null && next.has(at) && !seen.has(at);
      at = next.get(at)
    ) {
      seen.add(at);
    }
    return seen.size;
  });
  return Math.max(0, ...lengths);
}
