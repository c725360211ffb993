// Figure 14: some 230 fetches of the sizes of a log of 1995, over a T1 that is idle and over one that is busy, and the
// lines `bytes milliseconds` of them, which `prefetchd simulate LOG --fit FILE` reads.

import { fileURLToPath } from 'node:url';
import {
  type FetchSample,
  type FittedFetchTime,
  fitFetchTime,
  paperFetchTime,
} from '../../prefetchd/simulate/index.ts';
import { Link } from '../link/link.ts';
import { links } from '../page-loads/links.ts';
import { toSvg } from '../prefetchd/charts/svg.ts';
import { LineProcess } from '../processes.ts';
import type { Cell, Column, DrawnChart, Table } from '../result.ts';
import type { Transfer } from './byte-client.ts';

/** As many as in the paper. */
const fetches = 230;
/** Files above this share of the sizes would compress the rest of the picture. */
const mostShare = 0.98;
/** Of each client, bytes, as was usual: what waits before the busy T1 are the windows of all who use it. */
const windowBytes = 16 * 1024;
const port = 90;
const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

interface Place {
  name: string;
  /** Clients that fetch at the same time. */
  clients: number;
  /** Transfers beside them that do not end. */
  others: number;
}

const places: readonly Place[] = [
  { name: 'an idle T1', clients: 1, others: 0 },
  { name: 'a busy T1', clients: 4, others: 4 },
];

export interface Fetches {
  place: string;
  samples: FetchSample[];
  line: FittedFetchTime;
}

/** Fetches files of evenly drawn sizes. @param sizes of a log's responses, bytes */
export async function fetchTimes(
  sizes: readonly number[],
  say: (line: string) => void,
): Promise<Fetches[]> {
  const sorted = sizes.toSorted((left, right) => left - right);
  const wanted = Array.from({ length: fetches }, (_, at) => {
    const share = (mostShare * (at + 0.5)) / fetches;
    return sorted[Math.floor(share * sorted.length)] as number;
  });
  const all: Fetches[] = [];
  for (const place of places) {
    say(`figure 14: ${fetches} fetches over ${place.name}`);
    const samples = await fetchAll(wanted, place);
    const line = fitFetchTime(samples);
    if (line === null) throw new Error('no line fits the fetches');
    all.push({ place: place.name, samples, line });
  }
  return all;
}

async function fetchAll(wanted: readonly number[], { clients, others }: Place) {
  await using link = await Link.open({ ...links.t1, initialWindow: 1 });
  // The kernel advertises half of the buffer.
  await link.setKernel('client', 'net.ipv4.tcp_rmem', `4096 ${2 * windowBytes} ${2 * windowBytes}`);
  await using stack = new AsyncDisposableStack();
  const start = (end: 'client' | 'server', ...command: string[]) =>
    stack.use(new LineProcess(...link.at(end, [process.execPath, ...command])));
  await start('server', fileOf('byte-server.ts'), String(port)).nextLine();
  const fetched = async (client: LineProcess, bytes: number): Promise<number> => {
    const transfer: Transfer = { host: link.serverAddress, port, bytes };
    client.send(JSON.stringify(transfer));
    return Number(await client.nextLine(120_000));
  };
  const ready = Array.from({ length: clients }, () => start('client', fileOf('byte-client.ts')));
  for (const client of ready) await fetched(client, 20_000); // a process is slow the first time
  for (let other = 0; other < others; other++) {
    // The answer does not matter: it ends with the link.
    fetched(start('client', fileOf('byte-client.ts')), 8 * 1024 * 1024).catch(() => {});
  }
  // Sizes in an order in which none is followed by its neighbour.
  const left = wanted.map((_, at) => wanted[(at * 97) % wanted.length] as number);
  const samples: FetchSample[] = [];
  await Promise.all(
    ready.map(async (client) => {
      for (let bytes = left.pop(); bytes !== undefined; bytes = left.pop()) {
        samples.push({ bytes, durationMs: await fetched(client, bytes) });
      }
    }),
  );
  return samples;
}

/** The file for `--fit`. */
export function linesOf(samples: readonly FetchSample[]): string {
  return samples.map(({ bytes, durationMs }) => `${bytes} ${durationMs.toFixed(1)}\n`).join('');
}

const printed = 'as printed';

export function fetchTable(all: readonly Fetches[]): Table {
  const columns: Column[] = [
    { name: 'over', meaning: 'where it was fetched', text: true },
    { name: 'fetches', meaning: 'that the line is fitted to', digits: 0 },
    { name: 'outliers', meaning: 'left out of the fit', digits: 0 },
    { name: 'latency s', meaning: 'of the line, at no bytes', digits: 3 },
    { name: 's per 100 kB', meaning: 'slope of the line', digits: 2 },
  ];
  const rows = all.map(({ place, line }): Cell[] => [
    ...[place, line.samples, line.outliers, line.latencyMs / 1e3, line.perByteMs * 100],
  ]);
  const { latencyMs, perByteMs } = paperFetchTime;
  rows.push([printed, null, null, latencyMs / 1e3, perByteMs * 100]);
  return { title: 'Figure 14: time to fetch, lines fitted', columns, rows };
}

export async function fetchChart(all: readonly Fetches[]): Promise<DrawnChart> {
  const most = Math.max(...all.flatMap(({ samples }) => samples.map(({ bytes }) => bytes)));
  const lines = [
    ...all.map(({ place, line }) => ({ place, ...line })),
    { place: printed, ...paperFetchTime },
  ].flatMap(({ place, latencyMs, perByteMs }) =>
    [0, most].map((bytes) => ({ place, bytes, s: (latencyMs + perByteMs * bytes) / 1e3 })),
  );
  const points = all.flatMap(({ place, samples }) =>
    samples.map(({ bytes, durationMs }) => ({ place, bytes, s: durationMs / 1e3 })),
  );
  const domain = [...all.map(({ place }) => place), printed];
  const encoding = {
    x: { field: 'bytes', type: 'quantitative' as const, title: 'size, bytes' },
    y: { field: 's', type: 'quantitative' as const, title: 'time to fetch, s' },
    color: {
      ...{ field: 'place', type: 'nominal' as const, title: 'over', sort: domain },
      scale: { domain, range: ['#1b9e77', '#d95f02', '#555555'] },
    },
  };
  return {
    file: 'figure-14-measured-fetches.svg',
    alt: 'scatter plot of the times to fetch files over their sizes, on an idle and on a busy T1, with the lines fitted to them and that of the paper',
    svg: await toSvg({
      $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
      title: {
        text: 'Padmanabhan 1995, figure 14: time to fetch a file, measured',
        subtitle: 'dots: fetches; lines: fitted to them, outliers left out; grey: as printed',
        ...{ anchor: 'start', subtitleColor: '#555' },
      },
      background: 'white',
      ...{ width: 560, height: 320 },
      config: { font: 'sans-serif', axis: { labelFontSize: 12, titleFontSize: 13 } },
      layer: [
        { data: { values: points }, mark: { type: 'point', size: 14, opacity: 0.6 }, encoding },
        { data: { values: lines }, mark: { type: 'line' }, encoding },
      ],
    }),
  };
}
