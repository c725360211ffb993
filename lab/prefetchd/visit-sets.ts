// Visits as sequences of pages: of people in access logs, and generated ones of the shape of the sets that papers on
// next-page prediction use. The same seed gives the same visits.

import { basename } from 'node:path';
import { readLog } from '../../prefetchd/log/index.ts';
import { TraceBuilder } from '../../prefetchd/simulate/index.ts';
import type { Visit } from './next-page-predictors.ts';
import { randomOf } from './random.ts';

export interface VisitSet {
  name: string;
  pages: number;
  visits: Visit[];
}

const gapMs = 30 * 60_000;

/** Of those who fetch what pages embed. A page that is loaded again is there once. */
export async function visitsOfLog(path: string): Promise<VisitSet> {
  const builder = new TraceBuilder();
  for await (const batch of readLog([path])) for (const access of batch) builder.add(access);
  const open = new Map<object, { lastMs: number; pages: number[] }>();
  const visits: number[][] = [];
  const numbers = new Map<object, number>();
  for (const { client, file, timeMs } of builder.build().accesses) {
    if (!file.isDocument || !client.isPerson) continue;
    let visit = open.get(client);
    if (visit === undefined || timeMs - visit.lastMs > gapMs) {
      visit = { lastMs: timeMs, pages: [] };
      open.set(client, visit);
      visits.push(visit.pages);
    }
    visit.lastMs = timeMs;
    const page = numbers.get(file) ?? numbers.size;
    numbers.set(file, page);
    if (visit.pages.at(-1) !== page) visit.pages.push(page);
  }
  return { name: basename(path).replace(/\..*/, ''), pages: numbers.size, visits };
}

interface SiteShape {
  name: string;
  visits: number;
  pages: number;
  meanLength: number;
  /** Share of steps back to a page of the visit. */
  back: number;
}

/** As the sets that SPMF publishes: of the World Cup of 1998, and of a shop. */
const shapes: readonly SiteShape[] = [
  { name: 'like FIFA (generated)', visits: 20_450, pages: 2990, meanLength: 34, back: 0.25 },
  { name: 'like BMS2 (generated)', visits: 77_512, pages: 3340, meanLength: 4.6, back: 0.1 },
];

const links = 12;
const topics = 40;

export function generatedVisits(): VisitSet[] {
  return shapes.map(({ name, visits, pages, meanLength, back }, index) => {
    const random = randomOf(1998 + index);
    /** The first are asked for most (Zipf's law). */
    const popular = (count: number) => Math.min(count - 1, Math.floor(count ** random()) - 1);
    const topicOf = Array.from({ length: pages }, () => Math.floor(random() * topics));
    const linksOf = Array.from({ length: pages }, () =>
      Array.from({ length: links }, () => popular(pages)),
    );
    const visit = (): Visit => {
      const topic = Math.floor(random() * topics);
      const path = [popular(pages)];
      while (random() > 1 / meanLength) {
        const page = path.at(-1) as number;
        const of = linksOf[page] as number[];
        const liked = of.filter((link) => topicOf[link] === topic);
        const from = liked.length > 0 && random() < 0.7 ? liked : of;
        const goesBack = path.length > 1 && random() < back;
        path.push(goesBack ? (path.at(-2) as number) : (from[popular(from.length)] as number));
      }
      return path;
    };
    return { name, pages, visits: Array.from({ length: visits }, visit) };
  });
}
