// What compression on the fly costs (Nielsen, Gettys et al. 1997, 8.1 and 8.2 leave it open): time of deflate and inflate
// for a page and for a megabyte, beside the time that the saved bytes would take; and processor time of a server that
// compresses each response, beside one that sends more bytes.

import { readdirSync, readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync, inflateSync } from 'node:zlib';
import { microscape, repository } from '../paths.ts';
import { LineProcess } from '../processes.ts';
import type { Cell, Table } from '../result.ts';
import { type Spread, spreadOf } from '../spread.ts';

const megabyte = 1_000_000;
const codecLevels = [1, 6, 9] as const;

export interface CodecCost {
  document: string;
  level: number;
  before: number;
  after: number;
  deflateMs: Spread;
  inflateMs: Spread;
}

/** Microscape's HTML, and a megabyte of HTML of other people's pages. */
export function codecDocuments(): Map<string, Buffer> {
  const folder = join(repository, 'fixtures/pages');
  const saved = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.html'))
    .sort()
    .map((name) => readFileSync(join(folder, name)));
  const all = Buffer.concat(saved);
  const times = Math.ceil(megabyte / all.length);
  return new Map([
    ["Microscape's HTML", readFileSync(join(microscape, 'index.html'))],
    ['1 MB of saved pages', Buffer.concat(Array(times).fill(all)).subarray(0, megabyte)],
  ]);
}

export function codecCosts(): CodecCost[] {
  return [...codecDocuments()].flatMap(([document, bytes]) =>
    codecLevels.map((level) => {
      const deflated = deflateSync(bytes, { level });
      return {
        ...{ document, level, before: bytes.length, after: deflated.length },
        deflateMs: timed(() => deflateSync(bytes, { level })),
        inflateMs: timed(() => inflateSync(deflated)),
      };
    }),
  );
}

/** Times of a call, ms: as many as fit into half a second after a tenth of a second that does not count. */
function timed(call: () => void): Spread {
  const times: number[] = [];
  const startedAt = performance.now();
  for (let now = startedAt; now < startedAt + 600 || times.length === 0; ) {
    const from = performance.now();
    call();
    now = performance.now();
    if (from > startedAt + 100) times.push(now - from);
  }
  const sorted = times.toSorted((left, right) => left - right);
  // The extremes are those of the machine: the middle half is shown.
  return spreadOf(sorted.slice(sorted.length >> 2, Math.ceil((sorted.length * 3) / 4)));
}

const rates: Array<[name: string, bitsPerSecond: number]> = [
  ['28.8 kbit/s', 28_800],
  ['1.5 Mbit/s', 1.544e6],
  ['10 Mbit/s', 10e6],
];

export function codecTable(costs: readonly CodecCost[]): Table {
  return {
    title: 'Sections 8.1 and 8.2: time of deflate and inflate',
    columns: [
      { name: 'document', meaning: 'one page, and HTML of other pages', text: true },
      { name: 'level', meaning: "of zlib; 6 is its default, the paper's", digits: 0 },
      { name: 'bytes', meaning: 'before', digits: 0 },
      { name: 'deflated', meaning: 'bytes after', digits: 0 },
      {
        name: 'deflate ms',
        meaning: 'of the document, by node:zlib; the middle half of many',
        digits: 2,
      },
      { name: 'ms/MB', meaning: 'the same for 1,000,000 bytes', digits: 1 },
      { name: 'inflate ms', meaning: 'of the document; the middle half of many', digits: 3 },
      { name: 'inflate ms/MB', meaning: 'the same for 1,000,000 bytes', digits: 1 },
      ...rates.map(([name]) => ({
        name: `% at ${name}`,
        meaning: 'deflate and inflate together, of the time that the saved bytes take at this rate',
        digits: 3,
      })),
      {
        name: 'pays up to',
        meaning: 'Mbit/s: above, deflate and inflate take longer than the bytes they save',
        digits: 0,
      },
    ],
    rows: costs.map(({ document, level, before, after, deflateMs, inflateMs }): Cell[] => {
      const perMegabyte = megabyte / before;
      const bothMs = deflateMs.median + inflateMs.median;
      const savedBits = 8 * (before - after);
      return [
        ...[document, level, before, after],
        ...[deflateMs, deflateMs.median * perMegabyte],
        ...[inflateMs, inflateMs.median * perMegabyte],
        ...rates.map(([, rate]) => (100 * bothMs) / ((savedBits / rate) * 1e3)),
        savedBits / bothMs / 1e3,
      ];
    }),
  };
}

export interface ServerCost {
  way: string;
  bytes: number;
  microseconds: Spread;
}

const warmUps = 200;
const requests = 400;
const serverRuns = 5;
/** Paths of html-server.ts. */
const serverWays: Array<[way: string, path: string]> = [
  ['as it is', '/plain'],
  ['deflated before', '/stored'],
  ...codecLevels.map((level): [string, string] => [`deflate ${level} for each`, `/${level}`]),
];

export async function serverCosts(): Promise<ServerCost[]> {
  const file = fileURLToPath(new URL('html-server.ts', import.meta.url));
  await using server = new LineProcess(process.execPath, [file, join(microscape, 'index.html')]);
  const port = Number(await server.nextLine());
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const taken = new Map<string, number[]>();
  const sizes = new Map<string, number>();
  for (let run = 0; run <= serverRuns; run++) {
    for (const [way, path] of serverWays) {
      for (let warm = 0; run === 0 && warm < warmUps; warm++) await ask(agent, port, path);
      const before = Number(String(await ask(agent, port, '/cpu')));
      for (let each = 0; each < requests; each++)
        sizes.set(way, (await ask(agent, port, path)).length);
      const after = Number(String(await ask(agent, port, '/cpu')));
      if (run > 0) taken.set(way, [...(taken.get(way) ?? []), (after - before) / requests]);
    }
  }
  agent.destroy();
  return serverWays.map(([way]) => ({
    way,
    bytes: sizes.get(way) as number,
    microseconds: spreadOf(taken.get(way) ?? []),
  }));
}

function ask(agent: Agent, port: number, path: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get({ agent, port, path, host: '127.0.0.1' }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks)));
    }).on('error', reject);
  });
}

export function serverTable(costs: readonly ServerCost[]): Table {
  const plain = costs[0]?.microseconds.median as number;
  return {
    title: "Section 8.1: the server's processor time with compression on the fly",
    columns: [
      { name: 'answer', meaning: 'what the server does for each request', text: true },
      { name: 'body', meaning: 'bytes', digits: 0 },
      {
        name: 'µs',
        meaning: `processor time of the server for a request, user and system, over loopback; ${requests} requests a run`,
        digits: 0,
      },
      { name: 'to as it is', meaning: '`µs` over that of the first row' },
    ],
    rows: costs.map(({ way, bytes, microseconds }) => [
      ...[way, bytes, microseconds],
      microseconds.median / plain,
    ]),
  };
}
