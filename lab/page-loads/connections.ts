// The round-trip time above which more than one connection pays. A new connection may send about 14 KB before it has
// to wait for the client (RFC 6928): with a long round trip, six connections pass that point sooner; with a short
// one, they only cost their handshakes. Measured on links of equal rate and several delays, and on one limited by its
// rate.

import { join } from 'node:path';
import type { LoaderOptions } from '../../loader/index.ts';
import { type LinkSettings, linkUnavailable } from '../link/link.ts';
import { microscape } from '../paths.ts';
import type { BenchResult, Cell, Column, Table } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { ratios, spreadOf } from '../spread.ts';
import { links, onLink } from './links.ts';
import { pageFolder } from './page-folder.ts';
import { makePage, pageShapes } from './page-shapes.ts';
import { interleave, ours, type Sample } from './ways.ts';

const ways: ReadonlyArray<[name: string, options: LoaderOptions]> = [
  ['x1', { protocol: 'pipelined', connections: 1 }],
  ['x2', { protocol: 'pipelined', connections: 2 }],
  ['x6', { protocol: 'pipelined', connections: 6 }],
  ['auto', {}],
];

const columns: Column[] = [
  { name: 'page', meaning: 'Microscape, or made from a seed', text: true },
  { name: 'x1 ms', meaning: 'completeMs, one connection', digits: 1 },
  ...ways.slice(1).map(([name]) => ({
    name: `${name} to x1`,
    meaning:
      name === 'auto'
        ? 'the defaults, over one connection in the same round'
        : `completeMs with ${name.slice(1)} connections over that with one in the same round`,
  })),
  { name: 'auto, connections', meaning: 'that carried requests', digits: 0 },
];

export async function connectionsBench(settings: {
  rounds: number;
  say: (line: string) => void;
}): Promise<BenchResult> {
  const { rounds, say } = settings;
  const title = 'One connection or several, by round trip';
  const missing = linkUnavailable(['nginx', 'ss']);
  if (missing !== null) {
    return { name: 'connections', title, method: [], tables: [], targets: [], skipped: missing };
  }
  using scratch = new Scratch();
  const pages = [
    { name: 'Microscape', page: pageFolder(microscape) },
    ...pageShapes.map((shape, index) => ({
      name: shape.name,
      page: makePage(shape, join(scratch.path, `page-${index}`)),
    })),
  ];
  const tables: Table[] = [];
  for (const link of delays()) {
    const rows: Cell[][] = [];
    for (const { name, page } of pages) {
      say(`${link.name}: ${name}`);
      const samples = await onLink(link, page, (place) =>
        interleave(
          ways.map(([way, options]) => ours(place, way, 'gzip', options)),
          rounds,
          say,
        ),
      );
      rows.push(row(name, samples));
    }
    tables.push({ title: link.name, columns, rows });
  }
  return {
    name: 'connections',
    title,
    method: [
      `A warm loader, new connections for each load, HTTP/1.1, nginx, which compresses the HTML; ${rounds} interleaved rounds count, ratios are taken within a round.`,
      'Pages as in the comparison of the command started anew.',
    ],
    tables,
    targets: [],
  };
}

function delays(): LinkSettings[] {
  const { lan, wan, t1 } = links;
  const between = [5, 10, 20].map((delayMs) => ({
    ...wan,
    delayMs,
    name: `2 x ${delayMs} ms, 10 Mbit/s`,
  }));
  return [lan, ...between, wan, t1];
}

function row(page: string, samples: Map<string, Sample[]>): Cell[] {
  const of = (way: string) => samples.get(way) ?? [];
  const times = (way: string) => of(way).map(({ ownMs }) => ownMs);
  return [
    page,
    spreadOf(times('x1')),
    ...ways.slice(1).map(([name]) => spreadOf(ratios(times(name), times('x1')))),
    spreadOf(of('auto').map(({ connections }) => connections)),
  ];
}
