// Hold-Line together with a cache server (Hauck 1994, 1 and 6): his client asks a cache on its own machine, and the server
// is behind the WAN; with an empty cache and with a full one.

import { fileURLToPath } from 'node:url';
import { hauckDir } from '../../fixtures/index.ts';
import { Link } from '../link/link.ts';
import { links } from '../page-loads/links.ts';
import { ports } from '../page-loads/nginx.ts';
import { LineProcess } from '../processes.ts';
import type { Cell, Column, Table } from '../result.ts';
import { ratios, spreadOf } from '../spread.ts';
import { inRounds, type TcpStudySettings } from '../tcp-study/rounds.ts';
import type { Visit, VisitTimes } from './client-worker.ts';

interface Way {
  folder: string;
  isFull: boolean;
  holdLine: number | null;
}

const ways = ['document1', 'document2'].flatMap((folder) =>
  [false, true].flatMap((isFull) =>
    [null, 5].map((holdLine): Way => ({ folder, isFull, holdLine })),
  ),
);

const columns: Column[] = [
  { name: 'document', meaning: "Hauck's, rebuilt with the sizes that he gives", text: true },
  {
    name: 'cache',
    meaning: "on the client's machine; empty: each request goes on over the WAN",
    text: true,
  },
  { name: 'protocol', meaning: 'HTTP/1.0 with his client, on both sides of a cache', text: true },
  { name: 'to last close, ms', meaning: 'from the first open to the last close', digits: 1 },
  { name: 'ratio', meaning: '`to last close` over that of standard, same round' },
];

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export async function relayTable({ rounds, say }: TcpStudySettings): Promise<Table> {
  say('his client behind a cache server, WAN');
  await using link = await Link.open(links.wan);
  await using stack = new AsyncDisposableStack();
  const start = (end: 'client' | 'server', name: string, ...args: string[]) =>
    stack.use(new LineProcess(...link.at(end, [process.execPath, file(name), ...args])));
  await start('server', '../page-loads/hold-line-server.ts', hauckDir).nextLine();
  const relay = start('client', 'relay.ts', link.serverAddress, String(ports.plain.http1));
  const port = Number(await relay.nextLine());
  const worker = start('client', 'client-worker.ts');
  const visit = async (path: string, holdLine: number | null): Promise<VisitTimes> => {
    worker.send(JSON.stringify({ host: '127.0.0.1', port, path, holdLine } satisfies Visit));
    return JSON.parse(await worker.nextLine(60_000)) as VisitTimes;
  };
  const samples = await inRounds(ways, rounds, async ({ folder, isFull, holdLine }) => {
    // Of a full cache the round before has filled it: the ways of a document follow each other.
    if (!isFull) await visit('/clear', null);
    return (await visit(`/${folder}/`, holdLine)).ms;
  });
  const of = (way: Way) => samples.get(way) ?? [];
  const rows = ways.map((way, index): Cell[] => {
    const { folder, isFull, holdLine } = way;
    const standard = holdLine === null ? way : (ways[index - 1] as Way);
    return [
      folder === 'document1' ? 'Document 1' : 'Document 2',
      isFull ? 'full' : 'empty',
      holdLine === null ? 'standard' : 'hold-line 5 s',
      ...[spreadOf(of(way)), spreadOf(ratios(of(way), of(standard)))],
    ];
  });
  return { title: 'Hold-Line and a cache server: WAN, 2 x 45 ms, 10 Mbit/s', columns, rows };
}
