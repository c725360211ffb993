// Walks the site of twelve pages over a T1 line, with and without prefetching; and measures what prefetching costs a
// page that starts meanwhile.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { twelvePagesDir } from '../../fixtures/index.ts';
import type { WalkOptions, WalkRecord } from '../../loader/walk/index.ts';
import { Link, linkUnavailable } from '../link/link.ts';
import { links } from '../page-loads/links.ts';
import { LineProcess } from '../processes.ts';
import type { BenchResult, Cell, Column } from '../result.ts';
import { ratios, type Spread, spreadOf } from '../spread.ts';
import type { WalkRequest } from './walk-worker.ts';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const title = 'Walks over a T1 line';
/** How long the visitor reads. */
const thinkMs = 2_000;
/** What is being prefetched when the page begins, and for how long it has been. */
const overtakings: Overtaking[] = [
  { bodies: 16, kind: 'html', bytes: 12_000, forMs: 400 },
  { bodies: 16, kind: 'html', bytes: 60_000, forMs: 400, isTarget: false },
  { bodies: 2, kind: 'html', bytes: 1_000_000, forMs: 400 },
  { bodies: 2, kind: 'html', bytes: 1_000_000, forMs: 1_500 },
  { bodies: 2, kind: 'jpg', bytes: 1_000_000, forMs: 1_500 },
];
/** What is under way changes by the moment, several times in a round trip: the page begins at some of them. */
const laterMs = [0, 30, 60, 90, 120];

interface Overtaking {
  bodies: number;
  /** Documents, or images. */
  kind: 'html' | 'jpg';
  bytes: number;
  forMs: number;
  /** false: it is there to be seen, and known to take longer. */
  isTarget?: boolean;
}

interface Place {
  walker: LineProcess;
  /** A script of this folder at the far end. */
  serve: (script: string) => LineProcess;
  say: (line: string) => void;
}

export async function siteWalk(settings: {
  rounds: number;
  say: (line: string) => void;
}): Promise<BenchResult> {
  const { rounds, say } = settings;
  const missing = linkUnavailable();
  if (missing !== null) {
    return { name: 'walk-site', title, method: [], tables: [], targets: [], skipped: missing };
  }
  await using link = await Link.open(links.t1);
  await using walker = new LineProcess(
    ...link.at('client', [process.execPath, file('walk-worker.ts')]),
  );
  const serve = (script: string) =>
    new LineProcess(...link.at('server', [process.execPath, file(script), link.serverAddress]));
  const place = { walker, serve, say };
  const walks = await walkSite(place, rounds);
  await using overtaken = serve('overtaken-worker.ts');
  const pages = await overtake(place, await overtaken.nextLine(), rounds);
  return report(walks, pages, rounds);
}

interface Walks {
  without: WalkRecord[];
  with: WalkRecord[];
}

type Prefetch = NonNullable<WalkOptions['prefetch']> | null;

const ways: Array<[name: keyof Walks, prefetch: Prefetch]> = [
  ['without', null],
  ['with', {}],
];

async function walkSite(place: Place, rounds: number): Promise<Walks> {
  const text = await readFile(join(twelvePagesDir, 'walk.json'), 'utf8');
  const paths = JSON.parse(text) as string[];
  const walks: Walks = { without: [], with: [] };
  for (let round = 0; round < rounds; round++) {
    for (const [name, prefetch] of ways) {
      // A site learns from whoever walks: each walk has one that was taught the same.
      await using site = place.serve('site-worker.ts');
      const origin = await site.nextLine();
      const pages = paths.map((path) => ({ url: new URL(path, origin).href, thinkMs }));
      walks[name].push(await ask(place, { pages, client: '10.1.1.1', options: { prefetch } }));
    }
    place.say(`walks: round ${round + 1} of ${rounds}`);
  }
  return walks;
}

/** Time of the page beside others that are prefetched, and the same alone. */
interface Overtaken extends Overtaking {
  alone: number[];
  beside: number[];
}

async function overtake(place: Place, origin: string, rounds: number): Promise<Overtaken[]> {
  const result = overtakings.map((each): Overtaken => ({ ...each, alone: [], beside: [] }));
  const timeOf = async (home: string, forMs: number) => {
    const pages = [
      { url: `${origin}${home}`, thinkMs: forMs },
      { url: `${origin}/page`, thinkMs: 0 },
    ];
    const record = await ask(place, { pages, client: '10.2.0.1', options: {} });
    return record.pages[1]?.load.timeMs ?? Number.NaN;
  };
  for (let round = 0; round <= rounds; round++) {
    for (const each of result) {
      const { bodies, bytes, kind, forMs } = each;
      // In the first round code is compiled.
      for (const later of round === 0 ? [0] : laterMs) {
        const alone = await timeOf(`/?0-0.${kind}`, forMs + later);
        const beside = await timeOf(`/?${bodies}-${bytes}.${kind}`, forMs + later);
        if (round === 0) continue;
        each.alone.push(alone);
        each.beside.push(beside);
      }
    }
  }
  return result;
}

async function ask({ walker }: Place, request: WalkRequest): Promise<WalkRecord> {
  walker.send(JSON.stringify(request));
  const record = JSON.parse(await walker.nextLine(180_000)) as WalkRecord;
  const failed = record.pages.find(({ load }) => load.error !== null);
  if (failed) throw new Error(`${failed.url}: ${failed.load.error?.message}`);
  return record;
}

const walkColumns: Column[] = [
  {
    name: 'walk',
    meaning: 'twelve pages with stays of 2 s',
    text: true,
  },
  { name: 'waited s', meaning: 'time of all pages together' },
  { name: 'ratio', meaning: 'waited s over that without prefetching in the same round' },
  { name: 'at once', meaning: 'pages for which nothing was waited for on the network', digits: 0 },
  { name: 'kB', meaning: '1,000 bytes of bodies, prefetched ones included', digits: 0 },
  {
    name: 'extra %',
    meaning: 'bytes of bodies more than without prefetching in the same round',
    digits: 1,
  },
  { name: 'prefetched kB', meaning: '1,000 bytes of bodies prefetched', digits: 0 },
  { name: 'in vain kB', meaning: 'of these, what no page of the walk used', digits: 0 },
];

const overtakenColumns: Column[] = [
  {
    name: 'prefetched',
    meaning: 'bodies hinted, and their size',
    text: true,
  },
  {
    name: 'for ms',
    meaning: `how long this had been going on when the page began, and up to ${laterMs.at(-1)} ms more`,
    digits: 0,
  },
  {
    name: 'page ms',
    meaning: 'time of a page with 12 images of 6 kB that was not prefetched',
    digits: 1,
  },
  { name: 'alone ms', meaning: 'the same with nothing under way', digits: 1 },
  { name: 'longer %', meaning: 'page ms over alone ms in the same round, less 1', digits: 1 },
];

const nameOf = ({ bodies, bytes, kind }: Overtaking) =>
  `${bodies} ${kind === 'jpg' ? 'images' : 'documents'} of ${bytes / 1000} kB`;

function report(walks: Walks, pages: Overtaken[], rounds: number): BenchResult {
  const longer = ({ beside, alone }: Overtaken) => spreadOf(ratios(beside, alone));
  return {
    name: 'walk-site',
    title,
    method: [
      `The twelve pages of fixtures/twelve-pages over an emulated T1 line (2 x 35 ms, 1.544 Mbit/s), server and walker at either end. The site is behind \`hints()\` with its predictor, \`double-graph\`, and its other defaults: in a plain graph the pictures of a page fill the window, and no page leads to a page. Four visitors walked before in the order of walk.json. In each of ${rounds} rounds every way has a visitor with an empty cache, a stay of ${thinkMs / 1000} s on every page, the last included, and a site of its own taught like this: what prefetching visitors take out of their caches a site does not see, and it learns from what it sees.`,
      `Below, a page is loaded while others are being prefetched: these are given up when it begins. What is on the line by then is not called back: it stands in the queue in front of what the page asks for, for as long as the line takes for it. Therefore bodies over \`maxResourceBytes\` (64 KiB) are given up at their header section. How much is on its way changes by the moment, so in each round the page begins at ${laterMs.length} moments, ${laterMs[1]} ms from one to the next. Documents of 60 kB come whole: what they cost is no target.`,
    ],
    tables: [
      { title: 'The walk', columns: walkColumns, rows: walkRows(walks) },
      {
        title: 'A page that begins while others are prefetched',
        columns: overtakenColumns,
        rows: pages.map((each) => [
          nameOf(each),
          each.forMs,
          spreadOf(each.beside),
          spreadOf(each.alone),
          percentMore(longer(each)),
        ]),
      },
    ],
    targets: [
      {
        what: 'time of a walk with prefetching over that without',
        limit: 1,
        unit: '',
        measured: spreadOf(ratios(walks.with.map(waitedMs), walks.without.map(waitedMs))),
        judgedBy: 'median',
      },
      ...pages
        .filter(({ isTarget = true }) => isTarget)
        .map((each) => ({
          what: `a page that begins after ${each.forMs} ms of prefetching ${nameOf(each)}, over the same alone`,
          limit: 1.02,
          unit: '',
          digits: 3,
          measured: longer(each),
          judgedBy: 'median' as const,
        })),
    ],
  };
}

const waitedMs = ({ totals }: WalkRecord) => totals.timeMs;
const traffic = ({ totals }: WalkRecord) => totals.trafficBytes;

function walkRows(walks: Walks): Cell[][] {
  const names = { without: 'without', with: 'with' };
  return (Object.keys(names) as Array<keyof Walks>).map((way) => {
    const records = walks[way];
    const over = (value: (record: WalkRecord) => number) =>
      spreadOf(ratios(records.map(value), walks.without.map(value)));
    const kB = (value: (record: WalkRecord) => number) =>
      spreadOf(records.map((record) => value(record) / 1000));
    return [
      names[way],
      kB(waitedMs),
      over(waitedMs),
      spreadOf(records.map(({ pages }) => pages.filter(({ load }) => load.networkMs === 0).length)),
      kB(traffic),
      percentMore(over(traffic)),
      kB(({ totals }) => totals.prefetchBytes),
      kB(({ totals }) => totals.wastedBytes),
    ];
  });
}

function percentMore({ median, min, max, runs }: Spread): Spread {
  const percent = (ratio: number) => 100 * (ratio - 1);
  return { median: percent(median), min: percent(min), max: percent(max), runs };
}
