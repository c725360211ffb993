// Finds resources that only a style sheet or a script names: each is requested only when that file has come.

import type { PageLoad, ResourceRecord } from '../page-load.ts';
import { shortName } from '../report/printable.ts';
import { drawnUrls } from './css-images.ts';
import { type Finding, type FindingItem, findingOn, nothing } from './finding.ts';
import type { Subject } from './subject.ts';

export function lateResources(subject: Subject): Finding[] {
  const { load, loaded, document } = subject;
  if (document === null) return [];
  const apart = drawnUrls(subject);
  const wayTo = ways(load, document.row.url);
  const items = loaded.flatMap(({ row }) => {
    const way = wayTo(row);
    return way.length < 2 || apart.has(row.url) ? [] : [itemOf(row, way, document.row.url)];
  });
  const words = {
    kind: 'late-resources',
    title: 'Resources are found late',
    advice:
      'Name in the document what the first view needs: <link rel=preload> (fonts need crossorigin), modulepreload for modules, <link rel=stylesheet> instead of @import.',
    how: 'what named each resource in this load; a round trip is counted for each step but the first, once for all of them',
    sure: 'likely',
    visit: 'first',
  } as const;
  return findingOn(items, words, Math.max(0, ...items.map(({ saves }) => saves.roundTrips)));
}

function itemOf(row: ResourceRecord, way: readonly string[], page: string): FindingItem {
  const names = way.slice(1).map((url) => shortName(url, page));
  const note = `${row.from ?? row.kind} in ${names.join(' > ')}`;
  return { url: row.url, note, saves: { ...nothing, roundTrips: way.length - 1 } };
}

/**
 * Returns a function that lists the URLs through which a resource was found, each of which names the next, beginning
 * with the document; [] if the first one is not the document.
 */
function ways(load: PageLoad, page: string): (row: ResourceRecord) => string[] {
  const initiators = new Map(
    load.resources
      .filter(({ purpose }) => purpose === 'use')
      .map(({ url, initiator }) => [url, initiator]),
  );
  return ({ initiator }) => {
    const way: string[] = [];
    for (let at = initiator; at !== null && !way.includes(at); at = initiators.get(at) ?? null) {
      way.unshift(at);
      if (at === page) return way;
    }
    return [];
  };
}
