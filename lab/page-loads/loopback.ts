// The page from this project's origin in another process on the same machine, over each protocol: the cost of the two
// programs without a network. Measured in a cold process started for one load, and with a warm loader that keeps its
// connections.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createHttpCache,
  createLoader,
  createMemoryStore,
  type Loader,
  type LoaderOptions,
  type PageLoad,
} from '../../loader/index.ts';
import { createScanner } from '../../loader/scan/index.ts';
import { sourceCommand } from '../paths.ts';
import { LineProcess, run } from '../processes.ts';
import type { BenchResult, Cell, Column, Table } from '../result.ts';
import { ratios, spreadOf } from '../spread.ts';
import { type PageFolder, requireWhole } from './page-folder.ts';

export interface LoopbackSettings {
  page: PageFolder;
  warmRounds: number;
  coldRounds: number;
  say: (line: string) => void;
}

interface Sample {
  completeMs: number;
  /** `await loader.load()`, or the whole process. */
  wallMs: number;
  /** Writes that carried the images' requests. */
  batches: number;
  connections: number;
}

const ways: Array<[name: string, options: LoaderOptions & { protocol: string }]> = [
  ['http1.0 x4', { protocol: 'http1.0', connections: 4 }],
  ['persistent x1', { protocol: 'persistent', connections: 1 }],
  ['persistent x6', { protocol: 'persistent', connections: 6 }],
  ['pipelined', { protocol: 'pipelined', connections: 1 }],
  ['h2', { protocol: 'h2', connections: 1 }],
];
const base = 'persistent x1';
/** With all of the page stored, and all of it validated. */
const again = ways.filter(([name]) => name !== base).map(([name]) => `${name}, again`);

const columns: Column[] = [
  {
    name: 'way',
    meaning: 'protocol and connections; again: all of the page stored, and all of it validated',
  },
  { name: 'complete ms', meaning: 'navigation start to last byte (completeMs)' },
  { name: 'ratio', meaning: `complete ms over that of ${base} in the same round` },
  { name: 'wall ms', meaning: 'loader.load() awaited; in the cold table the whole process' },
  { name: 'wall ratio', meaning: `wall ms over that of ${base} in the same round` },
  { name: 'batches', meaning: "writes that carried the images' requests", digits: 0 },
  { name: 'connections', meaning: 'connections that carried requests', digits: 0 },
];

export async function loopback(settings: LoopbackSettings): Promise<BenchResult> {
  const { page, warmRounds, coldRounds, say } = settings;
  const serve = ['serve', page.folder, '--port', '0'];
  await using server = new LineProcess(process.execPath, [sourceCommand, ...serve]);
  const url = `${(await server.nextLine()).replace('listening on ', '')}/`;
  const coldNames = ways.map(([name]) => name);
  const cold = await inRounds(coldNames, coldRounds, 1, say, 'cold', (name) =>
    coldLoad(url, page, name),
  );
  const { warm, scans } = await warmLoads(url, settings);
  const completes = (name: string) => (warm.get(name) ?? []).map(({ completeMs }) => completeMs);
  const scanShare = ratios(scans, completes('pipelined')).map((share) => share * 100);
  return {
    name: 'loopback',
    title: 'Page loads over loopback',
    method: [
      `The page (${page.images} images, ${page.bytes} bytes in all) is served by \`loadahead serve\` in a process of its own. Rounds are interleaved, every way has its turn in each; ratios are taken within a round. Every load is checked to be whole.`,
      `Cold: \`loadahead load --json\` started for each load, ${coldRounds} rounds. Warm: one loader a protocol, ${warmUpRounds} loads before the ${warmRounds} that count, connections kept from load to load (not with http1.0, which has none to keep); again: with a cache in memory that the loads before filled, validated whole (\`cacheMode: no-cache\`).`,
      'Scanning: in each warm round a fresh scanner is given the bytes of the HTML in the chunks in which the last pipelined load got them (from its progress events); its time over that load’s complete ms.',
    ],
    tables: [tabulate('Warm loader', warm), tabulate('Cold process', cold)],
    targets: [
      {
        what: 'warm pipelined over persistent x1, complete',
        limit: 0.5,
        unit: '',
        measured: spreadOf(ratios(completes('pipelined'), completes(base))),
        judgedBy: 'median',
      },
      {
        what: `writes for the requests of ${page.images} images, warm pipelined`,
        limit: 6,
        unit: '',
        measured: spreadOf((warm.get('pipelined') ?? []).map(({ batches }) => batches)),
        judgedBy: 'worst',
      },
      {
        what: 'scanning, of the time of a warm pipelined load',
        limit: 20,
        unit: '%',
        measured: spreadOf(scanShare),
        judgedBy: 'median',
      },
    ],
  };
}

const warmUpRounds = 30;

async function warmLoads(url: string, { page, warmRounds, say }: LoopbackSettings) {
  const html = readFileSync(join(page.folder, 'index.html'));
  // The server knows Get-All, which would send all in one response.
  const loaders = new Map<string, Loader>(
    ways.flatMap(([name, way]): Array<[string, Loader]> => {
      const options = { ...way, getAll: false };
      const cache = createHttpCache(createMemoryStore());
      return [
        [name, createLoader(options)],
        [`${name}, again`, createLoader({ ...options, cache })],
      ];
    }),
  );
  const names = [...ways.map(([name]) => name), ...again];
  let chunks: number[] = [];
  const scans: number[] = [];
  const warm = await inRounds(
    names,
    warmRounds,
    warmUpRounds,
    say,
    'warm',
    async (name, counts) => {
      const loader = loaders.get(name) as Loader;
      const seen: number[] = [];
      const startedAt = performance.now();
      const load = await loader.load(url, {
        cacheMode: name.endsWith(', again') ? 'no-cache' : 'default',
        onProgress: ({ bodyBytes }) => seen.push(bodyBytes),
      });
      const wallMs = performance.now() - startedAt;
      if (name === 'pipelined') {
        chunks = htmlChunks(seen, page.htmlBytes);
        const scanMs = timeScan(url, html, chunks, page.images);
        if (counts) scans.push(scanMs);
      }
      return sampleOf(load, wallMs, page);
    },
  );
  for (const loader of loaders.values()) await loader.close();
  return { warm, scans };
}

async function coldLoad(url: string, page: PageFolder, name: string): Promise<Sample> {
  const [, options] = ways.find(([way]) => way === name) as (typeof ways)[number];
  const { protocol, connections } = options;
  const flags = ['--json', '--protocol', protocol, '--connections', String(connections)];
  const { stdout, wallMs } = await run(process.execPath, [sourceCommand, 'load', url, ...flags]);
  return sampleOf(JSON.parse(stdout) as PageLoad, wallMs, page);
}

function sampleOf({ timing, totals, resources }: PageLoad, wallMs: number, page: PageFolder) {
  const errors = resources.flatMap(({ error }) => (error === null ? [] : [error.message]));
  requireWhole(page, { ...totals, errors });
  const { connections, batches } = totals;
  return { completeMs: timing.completeMs ?? Number.NaN, wallMs, batches: batches - 1, connections };
}

/** Samples by way; the order of ways turns by one each round, so that none always follows the same. */
async function inRounds(
  names: readonly string[],
  rounds: number,
  uncounted: number,
  say: (line: string) => void,
  what: string,
  load: (name: string, counts: boolean) => Promise<Sample>,
): Promise<Map<string, Sample[]>> {
  const samples = new Map<string, Sample[]>(names.map((name) => [name, []]));
  for (let round = -uncounted; round < rounds; round++) {
    const first = (round + uncounted) % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const sample = await load(name, round >= 0);
      if (round >= 0) samples.get(name)?.push(sample);
    }
    if (round > 0 && (round + 1) % 10 === 0) say(`${what}: round ${round + 1} of ${rounds}`);
  }
  return samples;
}

/** Progress tells the sum of all bodies so far; the page's own come before all others. */
function htmlChunks(seen: readonly number[], htmlBytes: number): number[] {
  const ends = [...new Set(seen)].filter((sum) => sum > 0 && sum < htmlBytes);
  return [...ends, htmlBytes].map((end, index) => end - (ends[index - 1] ?? 0));
}

function timeScan(url: string, html: Buffer, chunks: readonly number[], images: number): number {
  let found = 0;
  const startedAt = performance.now();
  const scanner = createScanner({ url, contentType: 'text/html' });
  let at = 0;
  for (const bytes of chunks) {
    found += scanner.write(html.subarray(at, at + bytes)).length;
    at += bytes;
  }
  found += scanner.end().length;
  const tookMs = performance.now() - startedAt;
  if (found < images) throw new Error(`the scanner found ${found} references of ${images}`);
  return tookMs;
}

function tabulate(title: string, samples: Map<string, Sample[]>): Table {
  const values = (name: string, value: (sample: Sample) => number) =>
    (samples.get(name) ?? []).map(value);
  const rows = [...samples.keys()].map((name): Cell[] => {
    const of = (value: (sample: Sample) => number) => spreadOf(values(name, value));
    const toBase = (value: (sample: Sample) => number) =>
      spreadOf(ratios(values(name, value), values(base, value)));
    return [
      name,
      of(({ completeMs }) => completeMs),
      toBase(({ completeMs }) => completeMs),
      of(({ wallMs }) => wallMs),
      toBase(({ wallMs }) => wallMs),
      of(({ batches }) => batches),
      of(({ connections }) => connections),
    ];
  });
  return { title, columns, rows };
}
