// Hauck's two documents with a connection for each request and with Hold-Line (1994, 3), by a client as his and by our
// loader: the time to load each over emulated links, beside the figures that the paper prints. Then his section 4: the
// hold time by load, and the next page over the held line.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hauckDir } from '../../fixtures/index.ts';
import type { LoaderOptions } from '../../loader/index.ts';
import { claims } from '../hauck/claims.ts';
import { documents, hisClient } from '../hauck/his-client.ts';
import { holdTimeChart, holdTimes } from '../hauck/hold-time.ts';
import { nextPages } from '../hauck/next-pages.ts';
import { relayTable } from '../hauck/relay-table.ts';
import { linkUnavailable } from '../link/link.ts';
import { LineProcess } from '../processes.ts';
import type { BenchResult, Cell, Column, Table } from '../result.ts';
import { ratios, spreadOf } from '../spread.ts';
import { links, onLink, type StartServer } from './links.ts';
import { pageFolder } from './page-folder.ts';
import { interleave, ours, type Sample } from './ways.ts';

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
  logs,
  say,
}: {
  rounds: number;
  logs: readonly string[];
  say: (line: string) => void;
}): Promise<BenchResult> {
  const title = 'Hold-Line (Hauck 1994)';
  const missing = linkUnavailable();
  if (missing !== null) {
    return { name: 'hauck', title, method: [], tables: [], targets: [], skipped: missing };
  }
  const his = await hisClient({ rounds, say });
  const tables: Table[] = [...his.tables];
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
    tables.push({ title: `Our loader: ${link.name}`, columns, rows });
  }
  tables.push(await relayTable({ rounds, say }));
  const next = await nextPages(logs, say);
  tables.push(next.table, claims(his, next));
  const load = await holdTimes(say);
  return {
    name: 'hauck',
    title,
    method: [
      `Hauck loaded two documents from his server with Mosaic 2.4 on a SparcStation 10/40: 5.6 and 28.1 s with a connection for each request, 3.5 and 14.6 s with Hold-Line. He does not name the network. Here the documents cross emulated links, from our origin with \`holdLine()\` and from a small server in Perl that forks a process for each connection, as his Perplex did; ${rounds} interleaved rounds count, ratios are taken within a round. His client is repeated by one that speaks his protocol, one request at a time, and measures as he did, from the first open to the last close; a warm loader of ours shows what several lines and pipelining add.`,
      'His seconds are those of machines that took four to five copies of each character; only the ratios can be compared. They are met where a round trip is most of a request: on T1 and WAN; on the LAN a connection is cheap today.',
      `The hold time by load (4): our server with its defaults, ${load.granted} lines granted in 90 s, ${load.refused} requests refused, ${load.closedEarly} lines closed early for newer ones, as at most 1,000 are held. Each grant above 500 held lines takes a tenth of the time, so that it falls from 20 s to 1 s within half a second; lines granted before keep their 20 s, and the load follows later.`,
      'The log of semicomplete.com is not asked for next pages: whoever published it put the times of each hour into its sixth minute.',
    ],
    tables,
    targets: [],
    charts: [await holdTimeChart(load)],
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
