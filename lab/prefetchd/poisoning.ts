// What it costs to plant a URL among everybody's hints, and to erase a good one: the fewest addresses that do it within
// so many days, by the engine of the service with its defaults. Who attacks forges everything that a browser sends, so
// all that counts is how many addresses there are, and how often each counts a day.

import { type Access, createPrefetchd } from '../../prefetchd/index.ts';
import { prefetchdDefaults, withConstants } from '../constants.ts';
import type { BenchResult, Cell, Column } from '../result.ts';
import { spreadOf } from '../spread.ts';
import { randomOf } from './random.ts';

const dayMs = 24 * 60 * 60_000;
const startMs = Date.UTC(2026, 0, 1);
/** Of honest visits, before the attack. */
const taughtDays = 60;
const withinDays = [1, 7, 30] as const;
/** More than any attack here needs. */
const mostAddresses = 65_536;
const { maxRepeatsPerDay } = prefetchdDefaults;

const sites = [10, 50, 300];
/** Which part of the visits sees the page, whose link four in ten follow. */
const pages = [
  { name: 'the front page', url: '/', share: 1 },
  { name: 'a page that one visit in ten sees', url: '/section', share: 0.1 },
];
const aims = ['plant', 'erase'] as const;

interface Attack {
  visitsPerDay: number;
  page: (typeof pages)[number];
  aim: (typeof aims)[number];
  addresses: number;
  days: number;
  seed: number;
}

/** No secret, so that the same seeds give the same figures. */
const newSalt = (madeMs: number) => ({
  bytes: new Uint8Array(16).fill(madeMs / 60_000),
  era: madeMs / dayMs,
  madeMs,
});

/** Whether the attack succeeds on one of its days. */
async function succeeds({
  visitsPerDay,
  page,
  aim,
  addresses,
  days,
  seed,
}: Attack): Promise<boolean> {
  const random = randomOf(seed);
  let nowMs = startMs;
  // Pseudonyms last, and few are kept, which changes no figure and saves nine tenths of the time.
  const options = withConstants({ newSalt, saltLifeMs: 31 * dayMs, maxClients: 5_000 });
  await using engine = createPrefetchd({ now: () => nowMs, load: () => 0, ...options });
  const opens = (client: string, url: string, entry: boolean) => {
    const rest = { kind: 'document', status: 200, bytes: 10_000, prefetch: false } as const;
    engine.observe({ client, url, timeMs: nowMs, entry, ...rest } satisfies Access);
  };
  const isHinted = (url: string) =>
    engine.hints({ url: page.url }).some((hint) => hint.url === url);
  for (let day = 0; day < taughtDays + days; day++) {
    for (let visit = 0; visit < visitsPerDay; visit++) {
      nowMs = startMs + day * dayMs + (visit / visitsPerDay) * (dayMs / 2);
      const client = `visitor-${day}-${visit} Browser`;
      if (random() < page.share) {
        opens(client, page.url, true);
        if (random() < 0.4) opens(client, '/good', false);
      }
    }
    nowMs = startMs + (day + 0.75) * dayMs;
    await engine.flush(); // does what timers do
    if (day < taughtDays) continue;
    for (let address = 0; address < addresses; address++) {
      for (let time = 0; time < maxRepeatsPerDay; time++) {
        opens(`attacker-${address} Browser`, page.url, true);
        if (aim === 'plant') opens(`attacker-${address} Browser`, '/planted', false);
      }
    }
    if (aim === 'plant' ? isHinted('/planted') : !isHinted('/good')) return true;
  }
  return false;
}

/** The fewest addresses, at most `most`, which are enough. */
async function fewest(attack: Omit<Attack, 'addresses'>, most: number): Promise<number> {
  let [low, high] = [0, 1];
  while (high < most && !(await succeeds({ ...attack, addresses: high }))) {
    [low, high] = [high, Math.min(most, 2 * high)];
  }
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (await succeeds({ ...attack, addresses: middle })) high = middle;
    else low = middle;
  }
  return high;
}

export async function poisoningBench({
  rounds,
  say,
}: {
  rounds: number;
  say: (line: string) => void;
}): Promise<BenchResult> {
  const seeds = Array.from({ length: rounds }, (_, at) => 1995 + at);
  const rows: Cell[][] = [];
  for (const visitsPerDay of sites) {
    for (const page of pages) {
      say(`${visitsPerDay} visitors a day, ${page.name}`);
      const row: Cell[] = [visitsPerDay, page.name];
      for (const aim of aims) {
        const found = withinDays.map(() => [] as number[]);
        for (const seed of seeds) {
          let most = mostAddresses;
          for (const [at, days] of withinDays.entries()) {
            most = await fewest({ visitsPerDay, page, aim, days, seed }, most);
            found[at]?.push(most);
          }
        }
        row.push(...found.map(spreadOf));
      }
      rows.push(row);
    }
  }
  const { minClients, minPageClients, threshold } = prefetchdDefaults;
  return {
    name: 'prefetchd-poisoning',
    title: 'The cost of poisoning hints',
    method: [
      `A site is visited for ${taughtDays} days by so many people a day, each from an address of their own; four in ten who see the page go on by its link. Then addresses attack, each day as often as an address counts (${maxRepeatsPerDay} times), while people go on visiting: they open the page and a planted URL, or the page alone. The fewest addresses are looked for that get the planted URL among the page's hints, or the good one out of them, within so many days. The engine of the service with its defaults (p ${threshold}, k ${minClients}, ${minPageClients} visitors of a page). Seeds ${seeds.join(', ')}.`,
    ],
    tables: [{ title: '', columns, rows }],
    targets: [],
  };
}

const columns: Column[] = [
  { name: 'visitors a day', meaning: 'of the site, honest ones', digits: 0 },
  { name: 'page', meaning: 'whose hints are attacked', text: true },
  ...aims.flatMap((aim) =>
    withinDays.map((days) => ({
      name: `${aim}: ${days} ${days === 1 ? 'day' : 'days'}`,
      meaning: `addresses that ${aim} a hint within ${days === 1 ? 'a day' : `${days} days`}`,
      digits: 0,
    })),
  ),
];
