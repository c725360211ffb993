// How much a list of links can reach that browsers prefetch when the mouse rests on one of them: computed, not measured.
// The list of each page has its most followed links, in their true order, which nobody can learn better. Prefetches
// are there in time, and are kept until the next page opens, or for their lifetime.

import type { Table } from '../../result.ts';
import type { SitePage, VisitorsSite } from './site.ts';
import type { Walk } from './walks.ts';

const lengths = [1, 2, 3, 4, 5, 6, 8, 15];

export function bestListsTable(
  site: VisitorsSite,
  walks: readonly Walk[],
  lifetimes: ReadonlyArray<string | null>,
): Table {
  const kinds = lifetimes.map((lifetime) => lifetime ?? 'no Cache-Control');
  return {
    title: 'What the best list of each page could reach',
    columns: [
      { name: 'links', meaning: 'on the list of each page: those followed most often', digits: 0 },
      ...kinds.flatMap((kind) => [
        { name: `instant %, ${kind}`, meaning: 'clicks on a page that is there', digits: 0 },
        { name: `extra requests %, ${kind}`, meaning: 'as above', digits: 0 },
      ]),
    ],
    rows: lengths.map((length) => [
      length,
      ...lifetimes.flatMap((lifetime) => {
        const { instant, requests } = reachedBy(site, walks, length, lifetime !== null);
        const without = reachedBy(site, walks, 0, lifetime !== null).requests;
        return [100 * instant, 100 * (requests / without - 1)];
      }),
    ]),
  };
}

/** @param isKept pages have a lifetime, and visits are shorter */
export function reachedBy(
  site: VisitorsSite,
  walks: readonly Walk[],
  length: number,
  isKept: boolean,
): { instant: number; requests: number } {
  let [requests, instant, clicks] = [0, 0, 0];
  for (const { entry, steps } of walks) {
    const cached = new Set<string>();
    const fetch = (path: string) => {
      requests++;
      if (isKept) cached.add(path);
    };
    fetch(entry);
    let path = entry;
    for (const { strays, click } of steps) {
      const list = (site.pages.get(path) as SitePage).links.slice(0, length);
      const ahead = new Set([...strays, click].filter((link) => list.includes(link)));
      for (const link of ahead) if (!cached.has(link)) fetch(link);
      clicks++;
      if (ahead.has(click) || cached.has(click)) instant++;
      else fetch(click);
      path = click;
    }
  }
  return { instant: instant / clicks, requests };
}
