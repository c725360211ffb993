// Revalidations a second, pipelined and one by one, with and without coalesced responses: Express and node:http as they
// are, the same behind `coalesce()`, and our origin. Server and load have a core each.

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { microscape } from '../paths.ts';
import { onCore } from '../prefetchd/one-core.ts';
import { LineProcess } from '../processes.ts';
import type { BenchResult, Cell, Column, Table } from '../result.ts';
import { ratios, spreadOf } from '../spread.ts';
import type { Revalidations } from './load-worker.ts';
import type { ServerCost } from './server-worker.ts';

/** Each after what it is compared with. */
const kinds: ReadonlyArray<[kind: string, base: string]> = [
  ['node:http', 'node:http'],
  ['node:http, coalesced', 'node:http'],
  ['Express', 'Express'],
  ['Express, coalesced', 'Express'],
  ['our files', 'our files'],
  ['our files, coalesced', 'our files'],
  ['our origin', 'our files'],
];
const depths = [42, 1];
const connections = 8;
const seconds = 2;

interface Sample {
  perS: number;
  perWrite: number;
  cpuUs: number;
}

const columns: Column[] = [
  { name: 'server', meaning: 'what answers; coalesced: behind `coalesce()`', text: true },
  { name: 'k/s', meaning: 'thousands of 304s a second, as many as it can', digits: 1 },
  {
    name: 'times as many',
    meaning:
      'k/s over that of the same server without coalescing in the same round; of our origin: over our files on node:http',
  },
  {
    name: 'responses a write',
    meaning: '304s by writes to the kernel, as counted in the server',
    digits: 1,
  },
  { name: 'CPU µs', meaning: 'of the server, for a 304', digits: 1 },
  {
    name: 'CPU, to that',
    meaning:
      'CPU µs over that of the same server without coalescing in the same round; of our origin: over our files on node:http',
  },
];

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const node = (which: 'first' | 'last', args: string[]) =>
  new LineProcess(...onCore(which, process.execPath, args));

export async function coalescing({
  rounds,
  say,
}: {
  rounds: number;
  say: (line: string) => void;
}): Promise<BenchResult> {
  await using all = new AsyncDisposableStack();
  const load = all.use(node('first', [file('load-worker.ts')]));
  const servers: Array<{ kind: string; server: LineProcess; port: number }> = [];
  for (const [kind] of kinds) {
    const server = all.use(node('last', [file('server-worker.ts'), kind, microscape]));
    servers.push({ kind, server, port: Number(await server.nextLine()) });
  }
  const samples = new Map<string, Sample[]>();
  for (let round = 0; round <= rounds; round++) {
    // Each round goes the other way, for a machine that slowly becomes faster or slower.
    for (const { kind, server, port } of round % 2 === 0 ? servers : servers.toReversed()) {
      for (const depth of depths) {
        const sample = await measure(load, server, port, depth);
        const key = `${kind} ${depth}`;
        if (round > 0) samples.set(key, [...(samples.get(key) ?? []), sample]);
      }
    }
    say(round === 0 ? 'warmed up' : `round ${round} of ${rounds}`);
  }
  return {
    name: 'coalescing',
    title: 'Pipelined revalidation, with and without coalesced responses',
    method: [
      `${connections} connections ask for the 42 images of Microscape with If-None-Match, in one write of 42 requests or one at a time, and again when all are answered. Server and load have a core each (taskset); ${seconds} s each, ${rounds} rounds in turns count, one before them does not. node:http alone compares a tag and answers; Express is express.static, our files is \`staticFiles()\`, our origin \`createOrigin()\` with its limits.`,
      'Each response by itself also costs the client a wake-up: where k/s times CPU µs is far below a second, the client limits, and the CPU time is the better measure.',
    ],
    tables: depths.map((depth) => tabulate(depth, samples)),
    targets: [],
  };
}

async function measure(
  load: LineProcess,
  server: LineProcess,
  port: number,
  depth: number,
): Promise<Sample> {
  const cost = async (): Promise<ServerCost> => {
    server.send('');
    return JSON.parse(await server.nextLine()) as ServerCost;
  };
  const paths = readdirSync(`${microscape}/images`).map((name) => `/images/${name}`);
  await cost();
  const wanted: Revalidations = { port, paths, depth, connections, seconds };
  load.send(JSON.stringify(wanted));
  const answers = Number(await load.nextLine());
  const { writes, cpuUs } = await cost();
  return { perS: answers / seconds, perWrite: answers / writes, cpuUs: cpuUs / answers };
}

function tabulate(depth: number, samples: Map<string, Sample[]>): Table {
  const of = (kind: string) => samples.get(`${kind} ${depth}`) ?? [];
  const rates = (kind: string) => of(kind).map(({ perS }) => perS);
  const cpu = (kind: string) => of(kind).map(({ cpuUs }) => cpuUs);
  const rows = kinds.map(([kind, base]): Cell[] => [
    kind,
    spreadOf(rates(kind).map((perS) => perS / 1000)),
    kind === base ? null : spreadOf(ratios(rates(kind), rates(base))),
    spreadOf(of(kind).map(({ perWrite }) => perWrite)),
    spreadOf(cpu(kind)),
    kind === base ? null : spreadOf(ratios(cpu(kind), cpu(base))),
  ]);
  const title = depth === 1 ? 'One request at a time' : `${depth} requests in one write`;
  return { title, columns, rows };
}
