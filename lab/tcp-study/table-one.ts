// Table 1 of Heidemann 1996 as he measured it: 100 transactions of three documents one after the other, by a client over
// HTTP/1.0 that delays acknowledgments, from a server with both faults, with the first mended, and with both.

import { join } from 'node:path';
import { connectionsOf, readTrace, stallsOf } from '../link/trace.ts';
import { links } from '../page-loads/links.ts';
import type { Cell, Column, Table } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { clientOf1996, withoutTailLossProbe } from './client-of-1996.ts';
import { deviationOf } from './deviation.ts';
import { Place } from './place.ts';
import { fixtures, threeDocuments } from './rounds.ts';

interface Row {
  name: string;
  study: string;
  closes?: boolean;
  /** As printed, ms; the deviation is printed as well in per cent. */
  printed: { mean: number; deviation: number; confidence: number };
}

const printed = (mean: number, deviation: number, confidence: number) => ({
  printed: { mean, deviation, confidence },
});
const rows = {
  http: { name: 'HTTP', study: 'small-buffers', closes: true, ...printed(43, 4, 8) },
  faulty: {
    ...{ name: 'P-HTTP', study: 'split-headers,nagle,small-buffers' },
    ...printed(605, 10, 19.7),
  },
  first: {
    ...{ name: 'P-HTTP (w/first fix)', study: 'nagle,small-buffers' },
    ...printed(195, 1.9, 0.38),
  },
  both: { name: 'P-HTTP (w/both fixes)', study: 'small-buffers', ...printed(26, 8.8, 1.7) },
} satisfies Record<string, Row>;
type RowName = keyof typeof rows;
const names = Object.keys(rows) as RowName[];

const columns: Column[] = [
  { name: 'server', meaning: "as his table calls it, `loadahead serve --study` in Apache's place" },
  { name: 'printed ms', meaning: 'mean of 100 transactions as he prints it', digits: 0 },
  { name: 'mean ms', meaning: 'from the start of connecting to the last byte', digits: 1 },
  { name: 'printed deviation', meaning: 'standard deviation as printed, ms', digits: 1 },
  { name: 'deviation', meaning: 'standard deviation, ms', digits: 1 },
  { name: '%', meaning: 'deviation in per cent of the mean', digits: 1 },
  { name: 'printed ±', meaning: '95 % confidence interval as printed, ms' },
  {
    name: '±',
    meaning: '95 % confidence interval: 1.96 deviations over the root of the count, ms',
  },
  {
    name: 'stalls',
    meaning: 'waits of 30 ms or more for a delayed acknowledgment, in a transaction',
    digits: 1,
  },
  { name: 'stall ms', meaning: 'mean duration of such a wait', digits: 0 },
  { name: 'transactions', meaning: 'in a row, each begun when the one before ended', digits: 0 },
];

export interface Transactions {
  ms: number[];
  stalls: number;
  /** All waits together. */
  stalledMs: number;
}

/** @param initialWindow First window of the server, segments */
async function transactions(
  initialWindow: number,
  count: number,
): Promise<Record<RowName, Transactions>> {
  using scratch = new Scratch();
  const traceFile = join(scratch.path, 'trace');
  const settings = { ...links.lan, traceFile, ...clientOf1996, initialWindow };
  await using place = await Place.open(settings, fixtures);
  await withoutTailLossProbe(place.link);
  const measured: Partial<Record<RowName, Transactions>> = {};
  for (const name of names) {
    const { study, ...row }: Row = rows[name];
    const visit = { paths: threeDocuments, isHttp10: true, ...(row.closes && { closes: true }) };
    // The first ones compile the server's code, and find the beat of the client's clock.
    for (let warm = 0; warm < 3; warm++) await place.visit(study, visit);
    await place.link.counts();
    const before = readTrace(traceFile).length;
    const ms: number[] = [];
    while (ms.length < count) ms.push((await place.visit(study, visit)).ms);
    await place.link.counts();
    const packets = readTrace(traceFile).slice(before);
    const stalls = connectionsOf(packets).flatMap((each) => stallsOf(each, 30));
    const stalledMs = stalls.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
    measured[name] = { ms, stalls: stalls.length, stalledMs };
  }
  return measured as Record<RowName, Transactions>;
}

function tableOf(title: string, measured: Record<RowName, Transactions>, isHis: boolean): Table {
  const cells = names.map((name): Cell[] => {
    const { name: words, printed } = rows[name];
    const { ms, stalls, stalledMs } = measured[name];
    const { mean, deviation, confidence } = deviationOf(ms);
    const his = (value: number) => (isHis ? value : null);
    return [
      ...[words, his(printed.mean), mean, his(printed.deviation), deviation],
      ...[(100 * deviation) / mean, his(printed.confidence), confidence, stalls / ms.length],
      ...[stalls === 0 ? null : stalledMs / stalls, ms.length],
    ];
  });
  return { title, columns, rows: cells };
}

const claimColumns: Column[] = [
  { name: 'claim', meaning: 'of the paper', text: true },
  { name: 'printed', meaning: 'the ratio in his table' },
  { name: 'here', meaning: 'the same ratio in ours' },
  { name: 'holds', meaning: 'yes or no', text: true },
  { name: 'why', meaning: 'what makes the difference', text: true },
];

function claims(measured: Record<RowName, Transactions>): Cell[][] {
  const mean = (name: RowName) => deviationOf(measured[name].ms).mean;
  const claim = (
    words: string,
    [one, other]: [RowName, RowName],
    holds: (ratio: number) => boolean,
    why: string,
  ): Cell[] => {
    const ratio = mean(one) / mean(other);
    const was = rows[one].printed.mean / rows[other].printed.mean;
    return [words, was, ratio, holds(ratio) ? 'yes' : 'no', why];
  };
  return [
    claim(
      'P-HTTP is 14 times slower than HTTP (abstract)',
      ['faulty', 'http'],
      (ratio) => ratio > 10,
      'two of his three stalls are in each transaction; HTTP is faster, too, as no process serves a connection',
    ),
    claim(
      'and 20 times slower than P-HTTP could be (abstract, 3)',
      ['faulty', 'both'],
      (ratio) => ratio > 15,
      'the same',
    ),
    claim(
      'the first fix takes two thirds of it (2.2)',
      ['first', 'faulty'],
      (ratio) => ratio < 0.4,
      'it takes one stall of two here, of three there, where BSD held a short segment behind any unacknowledged one; Linux holds it behind a short one only, so the end of the first document waits no more',
    ),
    claim(
      'with it, P-HTTP is still much worse than HTTP (2.2)',
      ['first', 'http'],
      (ratio) => ratio > 3,
      'one stall is left, of nearly a beat of the clock',
    ),
    claim(
      'with both fixes P-HTTP is faster than HTTP (2.3, 2.6)',
      ['both', 'http'],
      (ratio) => ratio < 1,
      'it is, but by less than his 40 %: each connection cost his server a process',
    ),
  ];
}

/** Table 1, the same with a first window of one segment, and what he concludes. */
export async function tableOne(say: (line: string) => void): Promise<Table[]> {
  say('Table 1, 100 transactions in a row');
  const his = await transactions(clientOf1996.initialWindow, 100);
  say('the same, first window of one segment');
  const one = await transactions(1, 20);
  return [
    tableOf('Table 1 of Heidemann 1996, first window of two segments', his, true),
    tableOf('The same with a first window of one segment', one, false),
    { title: 'What he concludes of Table 1', columns: claimColumns, rows: claims(his) },
  ];
}
