// His table of response times (Hauck 1994, 3) with his client: both documents, standard and with Hold-Line, from our
// origin and from a server that forks a process for each connection, as his did.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hauckDir } from '../../fixtures/index.ts';
import { Link } from '../link/link.ts';
import { links } from '../page-loads/links.ts';
import { ports } from '../page-loads/nginx.ts';
import { pageFolder } from '../page-loads/page-folder.ts';
import { LineProcess } from '../processes.ts';
import type { Cell, Column, Table } from '../result.ts';
import { ratios, spreadOf } from '../spread.ts';
import { inRounds, type TcpStudySettings } from '../tcp-study/rounds.ts';
import type { Visit, VisitTimes } from './client-worker.ts';

/** The table of response times (3), seconds. */
export const documents = [
  { name: 'Document 1', folder: 'document1', standardS: 5.6, heldS: 3.5 },
  { name: 'Document 2', folder: 'document2', standardS: 28.1, heldS: 14.6 },
] as const;
type HauckDocument = (typeof documents)[number];

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const forkingPort = 8094;

interface Server {
  name: string;
  port: number;
  command: (folder: string) => string[];
}

const origin: Server = {
  ...{ name: 'ours, one process', port: ports.plain.http1 },
  command: (folder) => [process.execPath, file('../page-loads/hold-line-server.ts'), folder],
};
const forking: Server = {
  ...{ name: 'forks for each connection', port: forkingPort },
  command: (folder) => ['perl', file('perplex.pl'), folder, String(forkingPort)],
};

interface Way {
  document: HauckDocument;
  server: Server;
  holdLine: number | null;
}

interface Sample extends VisitTimes {
  packets: number;
}

const columns: Column[] = [
  { name: 'document', meaning: "Hauck's, rebuilt with the sizes that he gives", text: true },
  { name: 'server', meaning: 'our origin, or one in Perl that forks, as Perplex did', text: true },
  { name: 'protocol', meaning: 'HTTP/1.0 with his client, on both sides of a cache', text: true },
  { name: 'printed s', meaning: 'the response time that he prints, seconds', digits: 1 },
  { name: 'to last close, ms', meaning: 'from the first open to the last close', digits: 1 },
  { name: 'to last byte, ms', meaning: 'from the first open to the last byte', digits: 1 },
  { name: 'printed ratio', meaning: 'hold-line over standard, as printed' },
  { name: 'ratio', meaning: '`to last close` over that of standard, same round' },
  {
    name: 'a connection costs, ms',
    meaning: 'what standard takes longer, over the connections that it opens more',
  },
  { name: 'connections', meaning: 'opened', digits: 0 },
  { name: 'packets', meaning: 'both ways, all of TCP counted', digits: 0 },
];

export interface HisClient {
  /** A table for each link. */
  tables: Table[];
  /** Hold-line over standard, of each link, document and server. */
  ratios: Array<{ link: string; document: string; forks: boolean; printed: number; ratio: number }>;
}

export async function hisClient({ rounds, say }: TcpStudySettings): Promise<HisClient> {
  const hasPerl = spawnSync('perl', ['-e', '1']).status === 0;
  const servers = hasPerl ? [origin, forking] : [origin];
  const ways = documents.flatMap((document) =>
    servers.flatMap((server) => [null, 5].map((holdLine): Way => ({ document, server, holdLine }))),
  );
  const tables: Table[] = [];
  const found: HisClient['ratios'] = [];
  for (const settings of [links.lan, links.t1, links.wan]) {
    say(`his client, ${settings.name}`);
    await using link = await Link.open(settings);
    await using stack = new AsyncDisposableStack();
    const start = async (...command: string[]) => {
      const server = stack.use(new LineProcess(...link.at('server', command)));
      await server.nextLine();
    };
    for (const { command } of servers) await start(...command(hauckDir));
    const worker = stack.use(
      new LineProcess(...link.at('client', [process.execPath, file('client-worker.ts')])),
    );
    const samples = await inRounds(ways, rounds, async (way): Promise<Sample> => {
      const { document, server, holdLine } = way;
      await link.counts();
      const path = `/${document.folder}/`;
      const visit: Visit = { host: link.serverAddress, port: server.port, path, holdLine };
      worker.send(JSON.stringify(visit));
      const times = JSON.parse(await worker.nextLine(60_000)) as VisitTimes;
      const page = pageFolder(join(hauckDir, document.folder));
      if (times.bytes !== page.bytes) throw new Error(`${path}: ${times.bytes} of ${page.bytes}`);
      const { up, down } = await link.counts();
      return { ...times, packets: up.packets + down.packets };
    });
    const title = `His client: ${settings.name}`;
    tables.push({ title, columns, rows: ways.map((way) => row(way, ways, samples)) });
    for (const way of ways.filter(({ holdLine }) => holdLine !== null)) {
      const { document, server } = way;
      const times = (each: Way) => (samples.get(each) ?? []).map(({ ms }) => ms);
      found.push({
        ...{ link: settings.name, document: document.name, forks: server === forking },
        printed: document.heldS / document.standardS,
        ratio: spreadOf(ratios(times(way), times(standardOf(way, ways)))).median,
      });
    }
  }
  return { tables, ratios: found };
}

function standardOf({ document, server }: Way, ways: readonly Way[]): Way {
  return ways.find(
    (each) => each.document === document && each.server === server && each.holdLine === null,
  ) as Way;
}

function row(way: Way, ways: readonly Way[], samples: ReadonlyMap<Way, Sample[]>): Cell[] {
  const { document, server, holdLine } = way;
  const taken = (of: Way) => samples.get(of) ?? [];
  const of = (value: (sample: Sample) => number) => spreadOf(taken(way).map(value));
  const times = (each: Way) => taken(each).map(({ ms }) => ms);
  const standard = standardOf(way, ways);
  const isStandard = way === standard;
  const dearer = taken(standard).map(({ ms, connections }, round) => {
    const own = taken(way)[round] as Sample;
    return (ms - own.ms) / (connections - own.connections);
  });
  return [
    ...[document.name, server.name, isStandard ? 'standard' : `hold-line ${holdLine} s`],
    isStandard ? document.standardS : document.heldS,
    ...[of(({ ms }) => ms), of(({ lastByteMs }) => lastByteMs)],
    isStandard ? 1 : document.heldS / document.standardS,
    spreadOf(ratios(times(way), times(standard))),
    isStandard ? null : spreadOf(dearer),
    ...[of(({ connections }) => connections), of(({ packets }) => packets)],
  ];
}
