// Table 1 of Heidemann 1996 as he measured it: 100 transactions of three documents one after the other, by a client over
// HTTP/1.0 that delays acknowledgments, from a server with both faults, with the first mended, and with both.

import { join } from 'node:path';
import { connectionsOf, readTrace, stallsOf } from '../link/trace.ts';
import { links } from '../page-loads/links.ts';
import type { Cell, Column, Table } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { spreadOf } from '../spread.ts';
import { asIn1996, clientOf1996 } from './client-of-1996.ts';
import { deviationOf } from './deviation.ts';
import { Place } from './place.ts';
import { fixtures, threeDocuments } from './rounds.ts';

interface Row {
  name: string;
  study: string;
  closes?: boolean;
  /** As printed: ms, and the deviation in per cent of the mean. */
  printed: { mean: number; deviation: number; percent: number; confidence: number };
}

const printed = (mean: number, deviation: number, percent: number, confidence: number) => ({
  printed: { mean, deviation, percent, confidence },
});
const rows = {
  http: { name: 'HTTP', study: 'small-buffers', closes: true, ...printed(43, 4, 94, 8) },
  faulty: {
    ...{ name: 'P-HTTP', study: 'split-headers,bsd-nagle,small-buffers' },
    ...printed(605, 10, 16, 19.7),
  },
  first: {
    ...{ name: 'P-HTTP (w/first fix)', study: 'bsd-nagle,small-buffers' },
    ...printed(195, 1.9, 1, 0.38),
  },
  both: { name: 'P-HTTP (w/both fixes)', study: 'small-buffers', ...printed(26, 8.8, 33, 1.7) },
} satisfies Record<string, Row>;
type RowName = keyof typeof rows;
const names = Object.keys(rows) as RowName[];

const columns: Column[] = [
  {
    name: 'protocol',
    meaning: "as his table calls it, `loadahead serve --study` in Apache's place",
  },
  { name: 'printed ms', meaning: 'mean of 100 transactions as he prints it', digits: 0 },
  { name: 'mean ms', meaning: 'from the start of connecting to the last byte', digits: 1 },
  { name: 'median ms', meaning: 'of the same', digits: 1 },
  { name: 'printed deviation', meaning: 'standard deviation as printed, ms', digits: 1 },
  { name: 'deviation', meaning: 'standard deviation, ms', digits: 1 },
  {
    name: 'printed %',
    meaning: 'deviation in per cent of the mean as printed; of the printed ms 9, 2, 1 and 34',
    digits: 0,
  },
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

/** @param nagle Whose: Linux has Minshall's */
async function transactions(
  client: { initialWindow: number; delayedAckMs: number },
  count: number,
  nagle: 'bsd-nagle' | 'nagle' = 'bsd-nagle',
): Promise<Record<RowName, Transactions>> {
  using scratch = new Scratch();
  const traceFile = join(scratch.path, 'trace');
  const settings = { ...links.lan, traceFile, ...client };
  await using place = await Place.open(settings, fixtures);
  await asIn1996(place.link);
  const measured: Partial<Record<RowName, Transactions>> = {};
  for (const name of names) {
    const row: Row = rows[name];
    const study = row.study.replace('bsd-nagle', nagle);
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
      ...[words, his(printed.mean), mean, spreadOf(ms).median],
      ...[his(printed.deviation), deviation, his(printed.percent)],
      ...[(100 * deviation) / mean, his(printed.confidence), confidence, stalls / ms.length],
      ...[stalls === 0 ? null : stalledMs / stalls, ms.length],
    ];
  });
  return { title, columns, rows: cells };
}

const claimColumns: Column[] = [
  { name: 'claim', meaning: 'of the paper', text: true },
  {
    name: 'printed',
    meaning: 'the ratio of means in his table, or the middle of what he names, ms',
  },
  { name: 'here', meaning: 'the same in ours' },
  {
    name: 'holds',
    meaning: 'yes or no: a factor holds when it is reached, a range when the figure lies in it',
    text: true,
  },
  { name: 'why', meaning: 'what makes the difference', text: true },
];

function claims(measured: Record<RowName, Transactions>): Cell[][] {
  const mean = (name: RowName) => deviationOf(measured[name].ms).mean;
  const verdict = (holds: boolean, yes: string, no: string) => (holds ? ['yes', yes] : ['no', no]);
  const claim = (
    words: string,
    [one, other]: [RowName, RowName],
    holds: (ratio: number) => boolean,
    yes: string,
    no: string,
  ): Cell[] => {
    const ratio = mean(one) / mean(other);
    const was = rows[one].printed.mean / rows[other].printed.mean;
    return [words, was, ratio, ...verdict(holds(ratio), yes, no)];
  };
  const stall = (name: RowName, words: string): Cell[] => {
    const { stalledMs, stalls } = measured[name];
    const ms = stalledMs / stalls;
    const left = `a beat of 200 ms less the ${Math.round(200 - ms)} in which the reply has come so far`;
    return [
      ...[words, 180, ms],
      ...verdict(ms >= 170 && ms <= 190, left, `${left}; his machines took 10 to 30`),
    ];
  };
  return [
    stall('faulty', 'a stall of the short initial segment lasts 170 to 190 ms (2.2)'),
    stall('first', 'and one of the short final segment (2.3)'),
    claim(
      'P-HTTP is 14 times slower than HTTP (abstract)',
      ['faulty', 'http'],
      (ratio) => ratio >= 14,
      'three stalls of nearly a beat in each transaction, as in his; and HTTP is faster here, as no process serves a connection',
      'the stalls are as his, but HTTP is slower here',
    ),
    claim(
      'and 20 times slower than P-HTTP could be (abstract, 3)',
      ['faulty', 'both'],
      (ratio) => ratio >= 20,
      'the same three stalls; a transaction without them is faster here',
      'the same three stalls, but a transaction without them is slower here',
    ),
    claim(
      'the first fix reduces it to a third (2.2)',
      ['first', 'faulty'],
      (ratio) => Math.abs(ratio - 1 / 3) < 0.05,
      'it takes two of three stalls: of the first document, and of the third; Linux alone has one of two',
      'it takes another number of stalls than two of three',
    ),
    claim(
      'with it, P-HTTP is still substantially worse than HTTP (2.2)',
      ['first', 'http'],
      (ratio) => ratio > 3,
      'one stall is left, of nearly a beat of the clock',
      'no stall is left',
    ),
    claim(
      'with both fixes P-HTTP is faster than HTTP (2.3, 2.6)',
      ['both', 'http'],
      (ratio) => ratio < 1,
      'two handshakes and closes less',
      'the handshakes that it saves cost less here than what else varies',
    ),
    claim(
      'by 40 % (1)',
      ['both', 'http'],
      (ratio) => ratio <= 0.6,
      'two handshakes and closes less',
      'each connection cost his server a process; here it costs a round trip of 0.6 ms',
    ),
  ];
}

/** How long a full segment takes to send at 10 Mbit/s: his better rule to delay acknowledgments (2.2). */
const segmentMs = 1.2;

/** Table 1, the same with other clients, and what he concludes. */
export async function tableOne(say: (line: string) => void): Promise<Table[]> {
  say('Table 1, 100 transactions in a row');
  const his = await transactions(clientOf1996, 100);
  say("the same, with Linux's Nagle");
  const ofLinux = await transactions(clientOf1996, 20, 'nagle');
  say('the same, first window of one segment');
  const one = await transactions({ ...clientOf1996, initialWindow: 1 }, 20);
  say('the same, acknowledgments by the better rule');
  const better = await transactions({ ...clientOf1996, delayedAckMs: segmentMs }, 40);
  return [
    tableOf('Table 1 of Heidemann 1996, first window of two segments', his, true),
    tableOf("The same with Nagle's algorithm as Linux has it", ofLinux, false),
    tableOf('The same with a first window of one segment', one, false),
    tableOf('The same with acknowledgments delayed by the time of a full segment', better, false),
    { title: 'What he concludes of Table 1', columns: claimColumns, rows: claims(his) },
  ];
}
