// The measurements of Padmanabhan 1995 without prefetching: which packets a page takes (figures 1 and 4), what a
// connection costs (figures 2 and 3), and what one connection for a document with its images saves (figures 5 to 8), on
// emulated links of the paper's kinds.

import { type LinkSettings, linkUnavailable } from '../link/link.ts';
import { links } from '../page-loads/links.ts';
import type { BenchResult, Cell, Column, Table } from '../result.ts';
import { spreadOf } from '../spread.ts';
import { latencyChart, savedChart, throughputChart } from './charts.ts';
import { type Claim, claimsOf } from './claims.ts';
import { exchangeChart } from './exchange-chart.ts';
import { type Exchange, exchanges, exchangeWays } from './exchanges.ts';
import { type Latency, latencies, savedShares, ways } from './latency.ts';
import { lengths, type Throughput, throughputs, windows } from './throughput.ts';

const remote: LinkSettings = links.t1;
const local: LinkSettings = links.lan;

const claimColumns: Column[] = [
  { name: 'the paper', meaning: 'what it says in words of its figures', text: true },
  { name: 'holds when', meaning: 'as judged here, by medians', text: true },
  { name: 'measured', meaning: 'here', text: true },
  { name: 'verdict', meaning: 'whether it holds', text: true },
  { name: 'why not', meaning: 'as the bench `papers-padmanabhan` measures it', text: true },
];

const savedMeaning =
  'share of the time of `standard` in the same round that is saved, %; below 0: it takes longer';
const latencyColumns: Column[] = [
  { name: 'bytes of an image', meaning: 'of all images of the document', digits: 0 },
  { name: 'images', meaning: 'beside 2,000 bytes of HTML', digits: 0 },
  { name: 'standard ms', meaning: 'completeMs, a connection for each request', digits: 0 },
  { name: 'standard x4 ms', meaning: 'the same on four connections', digits: 0 },
  { name: 'long-lived ms', meaning: 'one connection, a request at a time', digits: 0 },
  {
    name: 'pipelined ms',
    meaning: 'one connection, requests do not wait for responses: GETLIST as the paper built it',
    digits: 0,
  },
  {
    name: 'at once ms',
    meaning: 'the same, but requests do not wait for the end of the HTML either',
    digits: 0,
  },
  { name: 'GETALL ms', meaning: 'one request, answered by our origin', digits: 0 },
  { name: 'long-lived saves %', meaning: savedMeaning, digits: 0 },
  { name: 'pipelined saves %', meaning: savedMeaning, digits: 0 },
  { name: 'GETALL saves %', meaning: savedMeaning, digits: 0 },
];

const exchangeColumns: Column[] = [
  { name: 'way', meaning: 'to load 2,000 bytes of HTML and one image of 2,544', text: true },
  {
    name: 'round trips to the image',
    meaning:
      'from the first packet to the first byte of the image, in round trips of the bare link',
    digits: 1,
  },
  { name: 'complete ms', meaning: 'completeMs', digits: 0 },
  { name: 'packets up', meaning: 'from the client, SYN and FIN counted', digits: 0 },
  { name: 'packets down', meaning: 'from the server', digits: 0 },
  { name: 'of these without data', meaning: 'SYN, FIN and acknowledgments alone', digits: 0 },
];

export async function padmanabhan({
  rounds,
  say,
}: {
  rounds: number;
  say: (line: string) => void;
}): Promise<BenchResult> {
  const title = 'Connections and their cost (Padmanabhan 1995)';
  const missing = linkUnavailable(['nginx', 'ss']);
  if (missing !== null) {
    return { name: 'padmanabhan', title, method: [], tables: [], targets: [], skipped: missing };
  }
  const bytes: Throughput[][] = [];
  for (const link of [remote, local]) {
    say(`${link.name}: throughput`);
    bytes.push(await throughputs(link, rounds, say));
  }
  const loads: Latency[][] = [];
  for (const link of [remote, local]) loads.push(await latencies(link, rounds, say));
  say(`${remote.name}: packets`);
  const visits = await exchanges(remote, rounds);
  const [far, near] = bytes as [Throughput[], Throughput[]];
  const [farLoads, nearLoads] = loads as [Latency[], Latency[]];
  const claims = claimsOf({
    ...{ remote: far, local: near, remoteLoads: farLoads, localLoads: nearLoads, visits },
  });
  return {
    name: 'padmanabhan',
    title,
    method: [
      `Throughput (3.2): a client connects, says how many bytes it wants, reads them to the end of the connection. The window is set by the client's receive buffer, of which the kernel advertises half, less where segments are small; the kernel's first window is ten segments, the paper's was one. Latency (6): documents of 2,000 bytes with images of one size, served by nginx (with GETALL by our origin, which knows by then what the page names), loaded by a warm loader over new connections. ${rounds} rounds, interleaved; the paper took the best of ten.`,
      'The remote server is behind the paper’s T1 (1.544 Mbit/s, 70 ms), the local one behind 10 Mbit/s and 0.6 ms. The paper’s modified protocol was a connection that stays, with GETALL on the first visit and GETLIST, which is a pipeline, later; both are shown. The standard client of 1995 had one connection at a time; four are shown beside it.',
      'The decline beyond 500 KB in figure 2, which was a queue of a router on the paper’s path, and the shapes of then are in the bench `papers-padmanabhan`.',
    ],
    tables: [
      { title: 'What the paper says', columns: claimColumns, rows: claims.map(claimRow) },
      exchangeTable(`Figures 1 and 4: packets, ${remote.name}`, visits),
      throughputTable(`Figure 2: throughput, ${remote.name}, kB/s`, far),
      throughputTable(`Figure 3: throughput, ${local.name}, kB/s`, near),
      latencyTable(`Figures 5, 6 and 7: latency, ${remote.name}`, farLoads),
      latencyTable(`Figure 8: latency, ${local.name}`, nearLoads),
    ],
    targets: [],
    charts: [
      await exchangeChart(visits, remote),
      await throughputChart(2, remote.name, far),
      await throughputChart(3, local.name, near),
      await latencyChart(5, 2_544, remote.name, farLoads),
      await latencyChart(6, 45_566, remote.name, farLoads),
      await savedChart(7, remote.name, farLoads),
      await savedChart(8, local.name, nearLoads),
    ],
  };
}

function claimRow({ says, rule, measured, holds, whyNot = '' }: Claim): Cell[] {
  return [says, rule, measured, holds ? 'holds' : '**does not hold**', holds ? '' : whyNot];
}

function exchangeTable(title: string, all: readonly Exchange[]): Table {
  const rows = exchangeWays.map(({ name }): Cell[] => {
    const visits = all.filter(({ way }) => way === name);
    const of = (value: (visit: Exchange) => number) => spreadOf(visits.map(value));
    const sent = (direction: 'up' | 'down') =>
      of(({ packets }) => packets.filter((packet) => packet.direction === direction).length);
    return [
      name,
      of(({ roundTripsToImage }) => roundTripsToImage),
      of(({ completeMs }) => completeMs),
      ...[sent('up'), sent('down')],
      of(({ packets }) => packets.filter(({ dataBytes }) => dataBytes === 0).length),
    ];
  });
  return { title, columns: exchangeColumns, rows };
}

function throughputTable(title: string, all: readonly Throughput[]): Table {
  const columns: Column[] = [
    { name: 'bytes', meaning: 'length of the connection', digits: 0 },
    ...windows.map(({ name }) => ({
      name,
      meaning: 'thousands of bytes a second with this window of the receiver',
      digits: 1,
    })),
  ];
  const rows = lengths.map((bytes): Cell[] => [
    bytes,
    ...windows.map(({ name }) =>
      spreadOf(all.find((one) => one.window === name && one.bytes === bytes)?.kBPerS ?? []),
    ),
  ]);
  return { title, columns, rows };
}

function latencyTable(title: string, all: readonly Latency[]): Table {
  const pages = all.filter(({ way }) => way === 'standard');
  const rows = pages.map((page): Cell[] => {
    const { imageBytes, images } = page;
    const of = (way: string) =>
      all.find((one) => one.imageBytes === imageBytes && one.images === images && one.way === way);
    const saved = (way: string) =>
      spreadOf(savedShares(all, page, way).map((share) => 100 * share));
    return [
      ...[imageBytes, images],
      ...ways.map(([way]) => spreadOf(of(way)?.ms ?? [])),
      ...[saved('long-lived'), saved('pipelined'), saved('GETALL')],
    ];
  });
  return { title, columns: latencyColumns, rows };
}
