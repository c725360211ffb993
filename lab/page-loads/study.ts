// How much to gather, when to flush, and how many connections to use: the settings of the batching client, varied one
// at a time, over the emulated WAN and LAN. The results determine the loader's defaults.

import type { BatchOptions } from '../../loader/index.ts';
import { linkUnavailable } from '../link/link.ts';
import type { BenchResult, Cell, Column, Table } from '../result.ts';
import { spreadOf } from '../spread.ts';
import type { EmulatedSettings } from './emulated.ts';
import { links, onLink } from './links.ts';
import type { Coding } from './nginx.ts';
import { interleave, ours, type Place, type Sample } from './ways.ts';

const sizes = [512, 1024, 1460, 2920, 14_600];
const connectionCounts = [1, 2, 4, 6];
const codings: Coding[] = ['plain', 'gzip'];
const flushRules: Array<[name: string, rule: BatchOptions]> = [
  ['segment', { flush: 'segment' }],
  ['50 ms', { flush: 50 }],
  ['document end', { flush: null }],
];

interface Setting {
  name: string;
  coding: Coding;
  cells: Cell[];
  batch: BatchOptions;
  connections: number;
}

const settings: Setting[] = codings.flatMap((coding) => [
  ...sizes.flatMap((maxBytes) =>
    flushRules.map(([rule, batch]) => setting(coding, maxBytes, rule, batch, 1)),
  ),
  ...connectionCounts.slice(1).map((count) => setting(coding, 14_600, 'segment', {}, count)),
]);

function setting(
  coding: Coding,
  maxBytes: number,
  rule: string,
  batch: BatchOptions,
  connections: number,
): Setting {
  return {
    name: `${coding} ${maxBytes} ${rule} ${connections}`,
    coding,
    cells: [coding, maxBytes, rule, connections],
    batch: { ...batch, maxBytes },
    connections,
  };
}

const columns: Column[] = [
  { name: 'HTML', meaning: 'plain, or compressed by nginx' },
  { name: 'buffer bytes', meaning: '`batch.maxBytes`: a buffer of this size leaves', digits: 0 },
  {
    name: 'flush',
    meaning:
      'what else empties it: a chunk of HTML is scanned (segment), 50 ms after the first request, the end of the document',
  },
  { name: 'connections', meaning: 'pipelined connections, all opened at the start', digits: 0 },
  { name: 'ms', meaning: 'completeMs, from the start of connecting', digits: 1 },
  { name: 'packets up', meaning: 'from the client, all of TCP counted', digits: 0 },
  { name: 'packets down', meaning: 'from the server', digits: 0 },
  { name: 'batches', meaning: "writes that carried the images' requests", digits: 0 },
];

export async function study({ page, rounds, say }: EmulatedSettings): Promise<BenchResult> {
  const title = 'Batches and connections over an emulated link';
  const missing = linkUnavailable(['nginx', 'ss']);
  if (missing !== null) {
    return { name: 'study', title, method: [], tables: [], targets: [], skipped: missing };
  }
  const tables: Table[] = [];
  for (const link of [links.wan, links.lan]) {
    say(`${link.name}: ${settings.length} settings`);
    const samples = await onLink(link, page, (place) =>
      interleave(
        settings.map((each) => way(place, each)),
        rounds,
        say,
      ),
    );
    tables.push({ title: link.name, columns, rows: settings.map((each) => row(each, samples)) });
  }
  return {
    name: 'study',
    title,
    method: [
      `The links, server and page of the comparison with nghttp; ${rounds} interleaved rounds count. One setting changes at a time: buffer and flush rule on one connection, then the number of connections with the defaults.`,
    ],
    tables,
    targets: [],
  };
}

function way(place: Place, { name, coding, batch, connections }: Setting) {
  // Requests do not wait for the end of the HTML: only the rule under study decides.
  const constants = { batch: { maxEndWaitMs: 0 } };
  return ours(place, name, coding, { protocol: 'pipelined', batch, connections, constants });
}

function row({ name, cells }: Setting, samples: Map<string, Sample[]>): Cell[] {
  const taken = samples.get(name) ?? [];
  const of = (value: (sample: Sample) => number) => spreadOf(taken.map(value));
  return [
    ...cells,
    of(({ ownMs }) => ownMs),
    of(({ packetsUp }) => packetsUp),
    of(({ packetsDown }) => packetsDown),
    of(({ batches }) => batches ?? 0),
  ];
}
