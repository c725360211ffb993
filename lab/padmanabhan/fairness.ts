// What several connections for a page do to others on the line (Padmanabhan 1995, 10): a file transfer on one connection,
// as of FTP, while pages are loaded in turn, each on one or on several connections.

import { fileURLToPath } from 'node:url';
import { Link } from '../link/link.ts';
import { links, loadWorkerFile } from '../page-loads/links.ts';
import { startNginx } from '../page-loads/nginx.ts';
import { makePage } from '../page-loads/page-shapes.ts';
import { ours, type WayOptions } from '../page-loads/ways.ts';
import { LineProcess } from '../processes.ts';
import type { Cell, Table } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { spreadOf } from '../spread.ts';
import type { Transfer } from './byte-client.ts';

/** Packets that wait before the T1: half of what the line holds in a round trip, and what a connection's window adds. */
const queuePackets = 15;
const fileBytes = 1_500_000;
const port = 90;
const ways: ReadonlyArray<[name: string, options: WayOptions | null]> = [
  ['nothing beside it', null],
  ['pipelined x1', { protocol: 'pipelined', connections: 1 }],
  ['pipelined x4', { protocol: 'pipelined', connections: 4 }],
  ['standard x4', { protocol: 'http1.0', connections: 4 }],
  ['standard x8', { protocol: 'http1.0', connections: 8 }],
];
const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export async function fairnessTable(rounds: number, say: (line: string) => void): Promise<Table> {
  using scratch = new Scratch();
  const shape = { name: 'page', htmlBytes: 2_000, images: 20 };
  const page = {
    ...makePage({ ...shape, imageBytes: [12_000, 12_000] }, `${scratch.path}/site`),
    path: '/',
  };
  await using link = await Link.open({ ...links.t1, queuePackets });
  await using _nginx = await startNginx(link, page.folder, scratch.path);
  const node = process.execPath;
  const server = [node, fileOf('byte-server.ts'), String(port)];
  await using bytes = new LineProcess(...link.at('server', server));
  await bytes.nextLine();
  await using worker = new LineProcess(...link.at('client', [node, loadWorkerFile]));
  await using client = new LineProcess(...link.at('client', [node, fileOf('byte-client.ts')]));
  const taken = ways.map(() => ({
    kBPerS: [] as number[],
    lost: [] as number[],
    ms: [] as number[],
  }));
  for (let round = 0; round < rounds; round++) {
    for (const [at, [name, options]] of ways.entries()) {
      say(`a file beside pages: ${name}, round ${round + 1} of ${rounds}`);
      const transfer: Transfer = { host: link.serverAddress, port, bytes: fileBytes };
      await link.counts();
      client.send(JSON.stringify(transfer));
      let isOver = false;
      const over = client.nextLine(120_000).then((text) => {
        isOver = true;
        return Number(text);
      });
      let [packets, dropped] = [0, 0];
      const way = options && ours({ link, worker, page }, name, 'plain', options);
      while (way !== null && !isOver) {
        const { ownMs, ...passed } = await way.load();
        packets += passed.packetsDown;
        dropped += passed.dropped;
        taken[at]?.ms.push(ownMs);
      }
      taken[at]?.kBPerS.push(fileBytes / (await over));
      const rest = await link.counts();
      packets += rest.down.packets;
      dropped += rest.down.dropped;
      taken[at]?.lost.push((100 * dropped) / packets);
    }
  }
  return {
    title: `Several connections, and a file transfer beside them: ${links.t1.name}, queue of ${queuePackets} packets`,
    columns: [
      {
        name: 'pages on',
        meaning: '20 images of 12,000 bytes, loaded again and again',
        text: true,
      },
      { name: 'file kB/s', meaning: 'throughput of the transfer of 1.5 MB', digits: 1 },
      {
        name: 'page ms',
        meaning: 'completeMs of the loads meanwhile, the last of which ends without the transfer',
        digits: 0,
      },
      { name: 'lost %', meaning: 'of the packets to the client, dropped by the router', digits: 1 },
    ],
    rows: ways.map(([name], at): Cell[] => {
      const { kBPerS = [], ms = [], lost = [] } = taken[at] ?? {};
      return [name, spreadOf(kBPerS), ms.length === 0 ? null : spreadOf(ms), spreadOf(lost)];
    }),
  };
}
