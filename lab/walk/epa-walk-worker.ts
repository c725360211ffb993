// Walks clients of the EPA's log, several at a time: node epa-walk-worker.ts ORIGIN PREFETCH, where PREFETCH is JSON
// of prefetch options or null; prints the totals.

import type { PrefetchOptions } from '../../loader/index.ts';
import { type WalkTotals, walkPages } from '../../loader/walk/index.ts';
import { withConstants } from '../constants.ts';
import { choice, longestThinkMs, speed, userAgent } from './epa-settings.ts';
import { addressOf, type EpaPath, epaSite } from './epa-site.ts';

export interface EpaWalked {
  /** One a client. */
  totals: WalkTotals[];
  /** Pages for which nothing was waited for on the network. */
  pagesAtOnce: number;
  /** Prefetches that a page used. */
  used: number;
}

const atATime = 25;
const [origin = '', given = 'null'] = process.argv.slice(2);
const prefetch = JSON.parse(given) as PrefetchOptions | null;
const { paths, before } = await epaSite(choice);
const addresses = new Map<string, string>();
for (const { client } of before) addressOf(client, addresses);
for (const { client } of paths) addressOf(client, addresses);

const walked: EpaWalked = { totals: [], pagesAtOnce: 0, used: 0 };
const left = [...paths];
await Promise.all(
  Array.from({ length: atATime }, async () => {
    for (let path = left.shift(); path !== undefined; path = left.shift()) await walk(path);
  }),
);
process.stdout.write(`${JSON.stringify(walked)}\n`);

async function walk({ client, pages }: EpaPath): Promise<void> {
  const record = await walkPages(
    pages.map(({ path, thinkMs }, index) => ({
      url: `${origin}${path}`,
      // The last stay is not told: long enough for what was hinted.
      thinkMs:
        index === pages.length - 1 ? longestThinkMs : Math.min(longestThinkMs, thinkMs / speed),
    })),
    {
      prefetch,
      loader: {
        extraHeaders: {
          'User-Agent': userAgent,
          'X-Forwarded-For': addressOf(client, addresses),
        },
        ...withConstants({ prefetchMaxLoad: 1 }),
      },
    },
  );
  walked.totals.push(record.totals);
  walked.used += record.pages.reduce((sum, { used }) => sum + used.resources, 0);
  walked.pagesAtOnce += record.pages.filter(
    ({ load }) => load.error === null && load.networkMs === 0,
  ).length;
}
