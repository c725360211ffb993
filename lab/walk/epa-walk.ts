// Walks a hundred clients of the EPA's log through loader and middleware over real sockets, and compares with the
// simulation of the same accesses: what remains of a prediction when pages are really loaded.

import { fileURLToPath } from 'node:url';
import {
  type BaselineFigures,
  type Figures,
  type Simulation,
  simulate,
  traceOf,
} from '../../prefetchd/simulate/index.ts';
import { LineProcess, run } from '../processes.ts';
import type { BenchResult, Cell, Column, Target } from '../result.ts';
import { choice, longestThinkMs, speed, tuning } from './epa-settings.ts';
import { type EpaSite, epaSite } from './epa-site.ts';
import type { EpaWalked } from './epa-walk-worker.ts';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const ways: Array<[name: string, prefetch: object]> = [
  ['walked', { threshold: 0 }],
  ['walked, with what pages need', { threshold: 0, subresources: true }],
];

const columns: Column[] = [
  {
    name: 'what',
    meaning:
      'walked: loaded over sockets, with or without the objects that prefetched pages name (`subresources`). simulated: the same accesses in `prefetchd simulate`, timed model, with hints of arcs that so many distinct clients walked; pages alone: its figures of documents',
    text: true,
  },
  {
    name: 'waited s',
    meaning: 'time of all pages (simulated: of all accesses), without prefetching, s of 1995',
    digits: 0,
  },
  { name: 'saved %', meaning: 'share of it that prefetching saved', digits: 1 },
  {
    name: 'prefetches',
    meaning: 'requests that nobody had made yet',
    digits: 0,
  },
  {
    name: 'used %',
    meaning: 'of these, how many a page used later',
    digits: 0,
  },
  { name: 'added %', meaning: 'bytes of bodies more than without prefetching', digits: 1 },
  {
    name: 'at once %',
    meaning:
      'pages for which nothing was waited for on the network, without prefetching and with it (simulated: not to be told)',
    text: true,
  },
];

export async function epaWalk({ say }: { say: (line: string) => void }): Promise<BenchResult> {
  const site = await epaSite(choice);
  const pages = site.paths.reduce((sum, path) => sum + path.pages.length, 0);
  say(`${site.paths.length} clients, ${pages} pages, ${ways.length + 1} walks beside each other`);
  // Beside each other: what the machine does, it does to all.
  const [without, ...walks] = await Promise.all([
    walkAll(null),
    ...ways.map(([, prefetch]) => walkAll(prefetch)),
  ]);
  const rows = ways.map(([name], index) =>
    walkedRow(name, without as EpaWalked, walks[index] as EpaWalked, pages),
  );
  for (const minClients of [3, 1]) {
    const k = minClients === 1 ? 'one client' : `${minClients} clients`;
    const { baseline, points } = simulated(site, minClients);
    const [point] = points;
    if (point === undefined) throw new Error('a point was asked for');
    rows.push(
      simulatedRow(`simulated, ${k}`, baseline, point),
      simulatedRow(`simulated, ${k}, pages alone`, baseline.documents, point.documents),
    );
  }
  return {
    name: 'walk-epa',
    title: 'Clients of a real log, walked and simulated',
    method: method(site, pages),
    tables: [{ title: '', columns, rows }],
    targets: targets(without as EpaWalked, walks as EpaWalked[]),
  };
}

async function walkAll(prefetch: object | null): Promise<EpaWalked> {
  // Each has a server of its own, which learns while it is walked.
  await using origin = new LineProcess(process.execPath, [file('epa-origin-worker.ts')]);
  const address = `http://127.0.0.1:${await origin.nextLine()}`;
  const args = [file('epa-walk-worker.ts'), address, JSON.stringify(prefetch)];
  const { stdout } = await run(process.execPath, args);
  return JSON.parse(stdout) as EpaWalked;
}

type Field = 'timeMs' | 'trafficBytes' | 'prefetchRequests';

const sumOf = ({ totals }: EpaWalked, field: Field): number =>
  totals.reduce((sum, each) => sum + each[field], 0);

function walkedRow(name: string, without: EpaWalked, walk: EpaWalked, pages: number): Cell[] {
  const over = (field: Field) => sumOf(walk, field) / sumOf(without, field);
  const percent = ({ pagesAtOnce }: EpaWalked) => ((100 * pagesAtOnce) / pages).toFixed(0);
  return [
    name,
    (sumOf(without, 'timeMs') * speed) / 1000,
    100 * (1 - over('timeMs')),
    sumOf(walk, 'prefetchRequests'),
    (100 * walk.used) / sumOf(walk, 'prefetchRequests'),
    100 * (over('trafficBytes') - 1),
    `${percent(without)}, ${percent(walk)}`,
  ];
}

function simulated({ before, after }: EpaSite, minClients: number): Simulation {
  return simulate(traceOf([...before, ...after]), {
    predictor: 'dependency-graph',
    window: tuning.window,
    points: [{ model: 'timed', threshold: tuning.threshold, limit: tuning.limit }],
    train: before.length,
    predictorOptions: { minClients },
  });
}

function simulatedRow(name: string, baseline: BaselineFigures, figures: Figures): Cell[] {
  return [
    name,
    (baseline.averageAccessTimeMs * baseline.accesses) / 1000,
    100 * (1 - figures.averageAccessTimeMs / baseline.averageAccessTimeMs),
    figures.prefetches,
    100 * (figures.precision ?? 0),
    100 * figures.trafficIncrease,
    '-',
  ];
}

/** No figure was asked for: that it wins at all. */
function targets(without: EpaWalked, walks: EpaWalked[]): Target[] {
  return ways.map(([name], index) => {
    const ratio = sumOf(walks[index] as EpaWalked, 'timeMs') / sumOf(without, 'timeMs');
    return {
      what: `${name}: time of all pages over that without prefetching`,
      limit: 1,
      unit: '',
      measured: { median: ratio, min: ratio, max: ratio, runs: 1 },
      judgedBy: 'median',
    };
  });
}

function method({ paths, before, after }: EpaSite, pages: number): string[] {
  return [
    `The log of the EPA's server of 1995 (fixtures/logs). Its first ${before.length} accesses, the share that the paper learned from, teach; of the rest, the first ${paths.length} clients with three documents or more are walked, ${pages} documents in their order, ${choice.maxPages} of one client at most. A server in another process answers each URL with as many bytes as the log says, fresh for a day; a document names as images what the log shows within 5 s behind it in a fifth of its views. In front of it stands \`hints()\`: dependency graph, p ${tuning.threshold}, w ${tuning.window}, i ${tuning.limit}, three distinct clients for a hint, else the defaults. Who asks says X-Forwarded-For. All clients of a walk begin with empty caches, 25 walk at a time, and each way has a server of its own; the ways run beside each other.`,
    `Everything runs ${speed} times as fast as then: a response is held back for the time that the paper's regression gives a fetch of its size (1.13 s and 53.6 us a byte), divided by ${speed}; stays are divided as well, and cut at ${longestThinkMs / 1000} s (${(longestThinkMs * speed) / 1000} s of then). After the last document a visitor stays as long.`,
    'Why the two differ. A page is loaded with its images at once, on one connection; the simulation adds up a fetch for each of them. The simulation sees every access; the server sees none that a cache answers, so it learns less, and thinks less of a page that its visitors take out of their caches. The simulation prefetches objects, for which it gets most; here hints for objects of a page are preloads, which are followed while it loads and count as its own, so what is prefetched is to be held against the pages alone. Of what is hinted, the loader never prefetches URLs with a query and those on the deny list, and the middleware hints no page that a client fetched in the last half hour. Long stays are cut, which takes time from prefetching, but few prefetches take that long. A browser of 1995 with a cache of 4 MiB is what the simulation has; walkers keep all.',
    `${after.length} accesses are simulated. Arcs that three distinct clients walked are the default of the service, one client that of the simulation and of the paper.`,
  ];
}
