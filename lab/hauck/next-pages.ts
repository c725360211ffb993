// "Even a time-out of 5s is sufficient to load the next document through the held connection" (Hauck 1994, 4), asked of
// real logs: how many next pages come within the hold time after the last reply, and for how long lines are held for it.

import { basename } from 'node:path';
import { readLog } from '../../prefetchd/log/index.ts';
import { TraceBuilder } from '../../prefetchd/simulate/index.ts';
import type { Cell, Column, Table } from '../result.ts';

const holdSeconds = [1, 5, 10, 20, 60, 300];
/** A page that comes later begins another visit. */
const visitMs = 30 * 60_000;

const columns: Column[] = [
  { name: 'log', meaning: 'of a server; its times are whole seconds', text: true },
  { name: 'hold time, s', meaning: 'how long a line is held after a reply', digits: 0 },
  {
    name: 'next pages, %',
    meaning:
      'share of the pages of a visit that come within the hold time after the last reply to their client; a visit ends with 30 minutes without a request; robots are left out',
    digits: 1,
  },
  { name: 'next pages', meaning: 'all of them: pages but the first of each visit', digits: 0 },
  {
    name: 'held, s',
    meaning: 'mean time that a line is held for a page of a visit, its last one included',
    digits: 1,
  },
];

export interface NextPages {
  table: Table;
  /** Of each log, the share of next pages that come within his 5 s, per cent. */
  inFiveSeconds: Array<{ log: string; percent: number }>;
}

export async function nextPages(
  logs: readonly string[],
  say: (line: string) => void,
): Promise<NextPages> {
  const inFiveSeconds: NextPages['inFiveSeconds'] = [];
  const rows: Cell[][] = [];
  for (const log of logs) {
    say(`next pages: ${basename(log)}`);
    const { waits, visits } = await waitsOf(log);
    inFiveSeconds.push({ log: name(log), percent: within(waits, 5) });
    rows.push(
      ...holdSeconds.map((seconds): Cell[] => {
        const percent = within(waits, seconds);
        const held = waits.reduce((sum, ms) => sum + Math.min(ms / 1000, seconds), 0);
        const mean = (held + visits * seconds) / (waits.length + visits);
        return [name(log), seconds, percent, waits.length, mean];
      }),
    );
  }
  const title = 'The next page over the held line (4)';
  return { table: { title, columns, rows }, inFiveSeconds };
}

const within = (waits: readonly number[], seconds: number): number =>
  (100 * waits.filter((ms) => ms <= seconds * 1000).length) / waits.length;

const name = (log: string) => basename(log).replace(/\..*/, '');

/** Time from the last request of a client to its next page, in each visit, and the number of visits. */
async function waitsOf(log: string): Promise<{ waits: number[]; visits: number }> {
  const builder = new TraceBuilder();
  for await (const batch of readLog([log])) for (const access of batch) builder.add(access);
  const lastMs = new Map<object, number>();
  const waits: number[] = [];
  let visits = 0;
  for (const { client, file, timeMs } of builder.build().accesses) {
    if (!client.isPerson) continue;
    const before = lastMs.get(client);
    const wait = timeMs - (before ?? Number.NEGATIVE_INFINITY);
    if (wait > visitMs) visits++;
    else if (file.isPage) waits.push(wait);
    lastMs.set(client, timeMs);
  }
  return { waits, visits };
}
