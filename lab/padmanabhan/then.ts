// What Padmanabhan 1995 found and the bench `padmanabhan` does not find on machines of today: each claim in the shape that
// makes it hold, figure 14 measured, and what the paper says of costs, losses and sizes in words.

import {
  paperFetchTime,
  paperSweep,
  type SimulationPoint,
  sweep,
  type Trace,
} from '../../prefetchd/simulate/index.ts';
import { linkUnavailable } from '../link/link.ts';
import { epaLog } from '../paths.ts';
import { realLog } from '../prefetchd/real-log.ts';
import type { BenchResult, Cell, Table } from '../result.ts';
import { fairnessTable } from './fairness.ts';
import { type Fetches, fetchChart, fetchTable, fetchTimes, linesOf } from './fetch-times.ts';
import { cachedImagesTable, fileSizes, readRetrievals, sizesTable } from './retrievals.ts';
import { routerQueueTable } from './router-queue.ts';
import { serverCostTable } from './server-cost.ts';
import { shapesTable } from './shapes.ts';
import { slowStartTable } from './slow-start.ts';

/** The file that `prefetchd simulate LOG --fit` reads. */
const fetchesFile = 'padmanabhan-fetches.txt';

export async function padmanabhanThen({
  rounds,
  say,
}: {
  rounds: number;
  say: (line: string) => void;
}): Promise<BenchResult> {
  const name = 'papers-padmanabhan';
  const title = 'Padmanabhan 1995 in the shapes of his time';
  const missing = linkUnavailable(['nginx', 'ss']);
  if (missing !== null)
    return { name, title, method: [], tables: [], targets: [], skipped: missing };
  const retrievals = readRetrievals(epaLog);
  const fetched = await fetchTimes(fileSizes(retrievals), say);
  const busy = fetched.at(-1) as Fetches;
  const { trace } = await realLog(epaLog, true);
  return {
    name,
    title,
    method: [
      `The first table has the claims of figures 2 to 8 that the bench \`padmanabhan\` finds not to hold, each as today and with one thing changed. Connections are those of 3.2; documents have 2,000 bytes and 10 images, come from nginx, and are loaded by a client that does one thing at a time (\`lab/padmanabhan/single-client.ts\`). ${rounds} rounds, median with least and most.`,
      `Figure 14: 230 fetches of the sizes of the EPA's files of 1995, drawn evenly, each on a connection of its own with a first window of one segment: over the T1 of chapter 6 alone, and over the same T1 while four clients fetch at a time beside four transfers that do not end, all with windows of 16 KB. \`lab/results/${fetchesFile}\` has the second as lines of bytes and milliseconds, for \`prefetchd simulate LOG --as-paper --model timed --fit lab/results/${fetchesFile}\`. The printed line begins at 1.13 s, which is 16 round trips of 70 ms, and rises by 5.36e-5 s a byte, a tenth of a T1's rate: the idle T1 has neither. The busy one has both, because the windows of all wait before the line and each gets a part of it.`,
      'Several connections: one transfer of 1.5 MB beside pages that are loaded all the time. A fair line would give it half, however many connections the pages take.',
      'Processor time is what the kernel counts for the threads of a process; what it does for packets in interrupts belongs to nobody. Linux keeps TIME-WAIT for one minute, the standard says four.',
    ],
    tables: [
      await shapesTable(rounds, say),
      await routerQueueTable(rounds, say),
      await slowStartTable(rounds, say),
      await serverCostTable(rounds, say),
      await fairnessTable(rounds, say),
      fetchTable(fetched),
      await savedTable(trace, fetched),
      sizesTable(retrievals),
      cachedImagesTable(retrievals),
    ],
    targets: [],
    charts: [await fetchChart(fetched)],
    files: [{ file: fetchesFile, text: linesOf(busy.samples) }],
  };
}

/** What prefetching saves with each line of figure 14, for 40 % more traffic at most (8.2.2). */
async function savedTable(trace: Trace, fetched: readonly Fetches[]): Promise<Table> {
  const lines = [
    ...fetched.map(({ place, line }) => ({
      place,
      latencyMs: line.latencyMs,
      perByteMs: line.perByteMs,
    })),
    { place: 'the printed line', ...paperFetchTime },
  ];
  const rows: Cell[][] = [];
  for (const { place, latencyMs, perByteMs } of lines) {
    const { baseline, points } = await sweep(trace, {
      windows: [4],
      thresholds: paperSweep.thresholds,
      limits: [null],
      models: ['timed'],
      fetchTime: { latencyMs, perByteMs },
      capByLead: false,
    });
    const best = points
      .filter(({ trafficIncrease }) => trafficIncrease <= 0.4)
      .toSorted((left, right) => left.averageAccessTimeMs - right.averageAccessTimeMs)[0];
    const { averageAccessTimeMs, threshold, trafficIncrease } = best as SimulationPoint;
    const saved = 100 * (1 - averageAccessTimeMs / baseline.averageAccessTimeMs);
    rows.push([place, baseline.averageAccessTimeMs / 1e3, threshold, 100 * trafficIncrease, saved]);
  }
  return {
    title: 'Prefetching with these lines: the log of the EPA, timed model, w = 4',
    columns: [
      { name: 'fetch time of', meaning: 'the line that the simulation uses', text: true },
      { name: 'access time s', meaning: 'on average, without prefetching' },
      { name: 'p', meaning: 'the best with 40 % more traffic at most', digits: 1 },
      { name: 'traffic %', meaning: 'more with it', digits: 0 },
      { name: 'saved %', meaning: 'of the access time; the paper: 34.5 to 36', digits: 0 },
    ],
    rows,
  };
}
