// Drives Chromium visitors over a site that learns from them, and compares hints: how many clicks are instant, and what
// that costs the site.

import { hasChromium } from '../../test/support/chromium.ts';
import type { BenchResult } from '../result.ts';
import { bestListsTable } from './visitors/best-lists.ts';
import { holdbackTables } from './visitors/holdback-table.ts';
import { atOnce, link, measure } from './visitors/measure.ts';
import { siteOf } from './visitors/site.ts';
import { type Outcome, tablesOf, targetsOf } from './visitors/table.ts';
import { variants, withHoldback } from './visitors/variants.ts';
import { walksOf } from './visitors/walks.ts';

const lifetimes = ['max-age=300', null];
const clicks = 8;

export interface VisitorsSettings {
  visitors: number;
  seed: number;
  /** Names; absent: all. */
  variants: readonly string[] | undefined;
  say: (line: string) => void;
}

export async function visitorsBench(settings: VisitorsSettings): Promise<BenchResult> {
  const { visitors, seed, say } = settings;
  const about = { name: 'visitors', title: 'Visitors with Chromium' };
  if (!hasChromium || process.platform !== 'linux') {
    const skipped = 'it needs Chromium, and Linux (a loopback address for each visitor)';
    return { ...about, method: [], tables: [], targets: [], skipped };
  }
  const chosen = variants.filter(({ name }) => settings.variants?.includes(name) ?? true);
  const site = siteOf(seed);
  const compare = async (cacheControl: string | null): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (const variant of chosen) {
      const walks = walksOf(site, {
        visitors: visitors * (variant.visitorsTimes ?? 1),
        clicks,
        seed,
      });
      const name = `${variant.name}, ${cacheControl ?? 'no Cache-Control'}`;
      const measured = await measure(variant, { seed, cacheControl }, walks, (left) => {
        if (left % 10 === 0) say(`${name}: visitor ${left} of ${walks.length}`);
      });
      outcomes.push({ variant, cacheControl, measured });
      const { pages, prefetches, refused } = measured.site;
      say(`${name}: ${pages} requests for pages, ${prefetches} ahead, ${refused} refused`);
    }
    return outcomes;
  };
  // Visitors wait most of the time, so the two sites can be walked beside each other.
  const outcomes = (await Promise.all(lifetimes.map(compare))).flat();
  return {
    ...about,
    method: [methodOf(settings, site.pages.size)],
    tables: [
      ...tablesOf(
        outcomes.filter(({ variant }) => variant.name !== withHoldback),
        site,
      ),
      bestListsTable(site, walksOf(site, { visitors, clicks, seed }), lifetimes),
      ...holdbackTables(outcomes.filter(({ variant }) => variant.name === withHoldback)),
    ],
    targets: targetsOf(outcomes),
  };
}

function methodOf({ visitors, seed }: VisitorsSettings, pages: number): string {
  const { rttMs, downBitsPerSecond, upBitsPerSecond } = link;
  return `${visitors} visitors, each with a fresh profile of headless Chromium and an address of its own, walk over a site of ${pages} pages with 8 to 15 links each, ${clicks} clicks long; ${atOnce} walk at the same time, the next begins when one leaves, and pages with and without a lifetime are walked beside each other. Hub pages have a menu of all sections and a list, chains a next and a previous page, wiki pages links anywhere; which link is followed is drawn by Zipf's law (seed ${seed}), for all variants the same. Before each click the mouse rests 350 ms on two other links, drawn evenly, then 300 ms on the link, and presses it for 80 ms. The site takes 200 ms for a page of 20 kB, and has a style sheet with a lifetime. Each visitor has an emulated 4G link: ${rttMs} ms round trip, ${downBitsPerSecond / 1e6} Mbit/s down, ${upBitsPerSecond / 1e6} Mbit/s up, without loss and slow start. prefetchd begins with nothing learned.`;
}
