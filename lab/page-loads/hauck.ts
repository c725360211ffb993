// Hauck's two documents with a connection for each request and with Hold-Line (1994, 3): the time to load each over
// emulated links, beside the figures that the paper prints.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hauckDir } from '../../fixtures/index.ts';
import type { LoaderOptions } from '../../loader/index.ts';
import { linkUnavailable } from '../link/link.ts';
import { LineProcess } from '../processes.ts';
import type { BenchResult, Cell, Column, Table } from '../result.ts';
import { ratios, spreadOf } from '../spread.ts';
import { links, onLink, type StartServer } from './links.ts';
import { pageFolder } from './page-folder.ts';
import { interleave, ours, type Sample } from './ways.ts';

/** The table of response times (3), seconds. */
const documents = [
  { name: 'Document 1', folder: 'document1', standardS: 5.6, heldS: 3.5 },
  { name: 'Document 2', folder: 'document2', standardS: 28.1, heldS: 14.6 },
] as const;

const ways: ReadonlyArray<[name: string, options: LoaderOptions]> = [
  ['standard', { protocol: 'http1.0', connections: 1 }],
  ['hold-line 5 s', { protocol: 'http1.0', connections: 1, holdLine: 5 }],
  ['standard x4', { protocol: 'http1.0', connections: 4 }],
  ['hold-line 5 s x4', { protocol: 'http1.0', connections: 4, holdLine: 5 }],
  ['persistent', { protocol: 'persistent', connections: 1 }],
  ['pipelined', { protocol: 'pipelined', connections: 1 }],
];

const columns: Column[] = [
  { name: 'document', meaning: "Hauck's, rebuilt with the sizes that he gives", text: true },
  {
    name: 'way',
    meaning:
      'standard: a connection for each request; hold-line 5 s: the line is asked for and granted, one request at a time; x4: on four connections; persistent and pipelined: HTTP/1.1 as it is',
    text: true,
  },
  { name: 'ms', meaning: 'completeMs, from the start of connecting', digits: 1 },
  { name: 'to standard', meaning: '`ms` over that of `standard` in the same round' },
  {
    name: 'paper, to standard',
    meaning: '3.5 s over 5.6 s and 14.6 s over 28.1 s, as the paper prints them',
  },
  { name: 'connections', meaning: 'opened', digits: 0 },
  { name: 'packets', meaning: 'both ways, all of TCP counted', digits: 0 },
];

const serverFile = fileURLToPath(new URL('hold-line-server.ts', import.meta.url));

const startServer: StartServer = async (link, folder) => {
  const server = new LineProcess(...link.at('server', [process.execPath, serverFile, folder]));
  await server.nextLine();
  return server;
};

export async function hauck({
  rounds,
  say,
}: {
  rounds: number;
  say: (line: string) => void;
}): Promise<BenchResult> {
  const title = 'Hold-Line (Hauck 1994)';
  const missing = linkUnavailable();
  if (missing !== null) {
    return { name: 'hauck', title, method: [], tables: [], targets: [], skipped: missing };
  }
  const tables: Table[] = [];
  for (const link of [links.lan, links.t1, links.wan]) {
    const rows: Cell[][] = [];
    for (const document of documents) {
      say(`${link.name}: ${document.name}`);
      const page = pageFolder(join(hauckDir, document.folder));
      const samples = await onLink(
        link,
        page,
        (place) =>
          interleave(
            ways.map(([name, options]) => ours(place, name, 'plain', options)),
            rounds,
            say,
          ),
        startServer,
      );
      rows.push(...ways.map(([way]) => row(document, way, samples)));
    }
    tables.push({ title: link.name, columns, rows });
  }
  return {
    name: 'hauck',
    title,
    method: [
      `Hauck loaded two documents from his server with Mosaic 2.4 on a SparcStation 10/40: 5.6 and 28.1 s with a connection for each request, 3.5 and 14.6 s with Hold-Line. He does not name the network. Here our origin with \`holdLine()\` serves the documents over emulated links, and a warm loader loads them; ${rounds} interleaved rounds count, ratios are taken within a round.`,
      'His seconds are those of machines that took four to five copies of each character; only the ratios can be compared. In his, each connection also cost a process at the server.',
    ],
    tables,
    targets: [],
  };
}

function row(
  { name, standardS, heldS }: (typeof documents)[number],
  way: string,
  samples: Map<string, Sample[]>,
): Cell[] {
  const taken = samples.get(way) ?? [];
  const of = (value: (sample: Sample) => number) => spreadOf(taken.map(value));
  const times = (each: string) => (samples.get(each) ?? []).map(({ ownMs }) => ownMs);
  return [
    ...[name, way],
    of(({ ownMs }) => ownMs),
    spreadOf(ratios(times(way), times('standard'))),
    way === 'standard' ? 1 : way === 'hold-line 5 s' ? heldS / standardS : null,
    of(({ connections }) => connections),
    of(({ packetsUp, packetsDown }) => packetsUp + packetsDown),
  ];
}
