// The EPA's site of 1995 reconstructed from its log: the size of each URL, the objects embedded in each page, the
// visitors before a point in time (for learning), and the visits of a hundred clients after it (for walking).

import type { Access } from '../../prefetchd/index.ts';
import { readLog } from '../../prefetchd/log/index.ts';
import { simulateDefaults } from '../../prefetchd/simulate/index.ts';
import { epaLog } from '../paths.ts';

export interface EpaPath {
  client: string;
  /** Documents, in order, with the time to the next. */
  pages: Array<{ path: string; thinkMs: number }>;
}

export interface EpaSite {
  /** Bytes of each URL; what is seen whole counts. */
  bytes: Map<string, number>;
  /** Of each document, most often first. */
  embedded: Map<string, string[]>;
  before: Access[];
  /** Of the clients that are walked, up to the last page that is. */
  after: Access[];
  paths: EpaPath[];
}

export interface EpaChoice {
  clients: number;
  /** Documents of one client, at most. */
  maxPages: number;
}

/** An object that comes so soon after a document of the same client is embedded in it. */
const embeddedWithinMs = 5_000;
/** After so many of a document's views at least, as a share. */
const embeddedShare = 0.2;
const mostEmbedded = 20;

export async function epaSite({ clients, maxPages }: EpaChoice): Promise<EpaSite> {
  const accesses: Access[] = [];
  for await (const batch of readLog([epaLog])) accesses.push(...batch);
  accesses.sort((a, b) => a.timeMs - b.timeMs);
  const from = Math.round(accesses.length * simulateDefaults.train);
  const [before, rest] = [accesses.slice(0, from), accesses.slice(from)];
  const walked = chosen(rest, clients, maxPages);
  return {
    bytes: sizes(accesses),
    embedded: embeddedIn(accesses),
    before,
    after: rest.filter(({ client, timeMs }) => timeMs <= (walked.get(client)?.untilMs ?? 0)),
    paths: [...walked].map(([client, { pages }]) => ({ client, pages })),
  };
}

/** Of every client a number from 0, as an address of 10.0.0.0/8: in the log they have names. */
export function addressOf(client: string, addresses: Map<string, string>): string {
  const known = addresses.get(client);
  if (known !== undefined) return known;
  const number = addresses.size + 1;
  const address = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
  addresses.set(client, address);
  return address;
}

interface Walked {
  pages: EpaPath['pages'];
  untilMs: number;
}

/** The first clients with three pages or more. */
function chosen(accesses: Access[], clients: number, maxPages: number): Map<string, Walked> {
  const documents = Map.groupBy(
    accesses.filter(({ kind }) => kind === 'document'),
    ({ client }) => client,
  );
  const walkers = [...documents].filter(([, views]) => views.length >= 3).slice(0, clients);
  return new Map(
    walkers.map(([client, views]) => {
      const taken = views.slice(0, maxPages);
      const pages = taken.map(({ url, timeMs }, index) => ({
        path: url,
        thinkMs: (views[index + 1]?.timeMs ?? timeMs) - timeMs,
      }));
      // What is embedded in the last page is still its.
      const untilMs = (taken.at(-1)?.timeMs ?? 0) + embeddedWithinMs;
      return [client, { pages, untilMs }];
    }),
  );
}

function sizes(accesses: Access[]): Map<string, number> {
  const bytes = new Map<string, number>();
  for (const { url, status, bytes: sent } of accesses) {
    if (status === 200 && sent > 0) bytes.set(url, sent);
    else if (!bytes.has(url)) bytes.set(url, 0);
  }
  return bytes;
}

function embeddedIn(accesses: Access[]): Map<string, string[]> {
  const views = new Map<string, number>();
  const follows = new Map<string, Map<string, number>>();
  const latest = new Map<string, { url: string; timeMs: number; seen: Set<string> }>();
  for (const { client, url, timeMs, kind } of accesses) {
    if (kind === 'document') {
      latest.set(client, { url, timeMs, seen: new Set() });
      views.set(url, (views.get(url) ?? 0) + 1);
      continue;
    }
    const page = latest.get(client);
    if (page === undefined || timeMs - page.timeMs > embeddedWithinMs || page.seen.has(url))
      continue;
    page.seen.add(url);
    const counts = follows.get(page.url) ?? new Map<string, number>();
    follows.set(page.url, counts);
    counts.set(url, (counts.get(url) ?? 0) + 1);
  }
  return new Map(
    [...follows].map(([page, counts]) => {
      const least = (views.get(page) ?? 0) * embeddedShare;
      const often = [...counts]
        .filter(([, count]) => count >= least)
        .toSorted((a, b) => b[1] - a[1]);
      return [page, often.slice(0, mostEmbedded).map(([url]) => url)];
    }),
  );
}
