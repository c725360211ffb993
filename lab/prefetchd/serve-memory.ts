// Size of the service when it learns far more than it may keep, and whether the important pages are still hinted: the
// flood of memory.ts, over HTTP, with a store.

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchResult, Cell } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { spreadOf } from '../spread.ts';
import { drowning } from './model-settings.ts';
import { mostAccesses, type PostedAccess, ServeProcess } from './serve-process.ts';

export interface ServeMemorySettings {
  rounds: number;
  say: (line: string) => void;
}

interface Drowned {
  startMiB: number;
  peakMiB: number;
  endMiB: number;
  found: number;
  seconds: number;
}

const mostMiB = 256;
/** Busy with batches, it hints nothing; so it is left alone before it is asked. */
const restMs = 2000;

export async function serveMemoryBench({ rounds, say }: ServeMemorySettings): Promise<BenchResult> {
  using scratch = new Scratch();
  const drowned: Drowned[] = [];
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round} of ${rounds}`);
    drowned.push(await drown(`sqlite:${join(scratch.path, `round-${round}.db`)}`));
  }
  const cell = (of: (each: Drowned) => number) => spreadOf(drowned.map(of));
  const row: Cell[] = [
    'prefetchd serve, sqlite',
    cell(({ startMiB }) => startMiB),
    cell(({ peakMiB }) => peakMiB),
    cell(({ endMiB }) => endMiB),
    cell(({ found }) => found),
    cell(({ seconds }) => seconds),
  ];
  const { urls, clients, clientsAtATime, plantedArcs, readers } = drowning;
  return {
    name: 'prefetchd-serve-memory',
    title: 'Memory of the service when it is drowned',
    method: [
      `\`prefetchd serve\` with a store in SQLite, compiled as it is published, default settings, gets POST /v1/accesses of ${count(mostAccesses)} accesses, one after the other as fast as it answers: ${count(urls)} distinct URLs are asked for once each, by ${count(clients)} clients, ${count(clientsAtATime)} at a time in turn; in between ${count(readers)} readers each follow one of ${plantedArcs} real links. Memory is of the whole process, the thread of SQLite included. ${rounds} rounds.`,
    ],
    tables: [{ title: '', columns, rows: [row] }],
    targets: [
      {
        what: 'peak memory of the service',
        limit: mostMiB,
        unit: 'MiB',
        digits: 0,
        measured: cell(({ peakMiB }) => peakMiB),
        judgedBy: 'worst',
      },
      {
        what: 'real links still hinted first',
        limit: plantedArcs,
        bound: 'at least',
        unit: `of ${plantedArcs}`,
        digits: 0,
        measured: cell(({ found }) => found),
        judgedBy: 'worst',
      },
    ],
  };
}

async function drown(store: string): Promise<Drowned> {
  await using service = await ServeProcess.start(store);
  const { now: startMiB } = service.memoryMiB();
  const startMs = performance.now();
  let batch: PostedAccess[] = [];
  for (const access of flood()) {
    if (batch.push(access) < mostAccesses) continue;
    await service.learn(batch);
    batch = [];
  }
  if (batch.length > 0) await service.learn(batch);
  const seconds = (performance.now() - startMs) / 1000;
  await sleep(restMs);
  let found = 0;
  for (let page = 0; page < drowning.plantedArcs; page++) {
    const [best] = await service.hintsOf(`/page-${page}`);
    if (best === `/next-${page}`) found++;
  }
  const { now: endMiB, peak: peakMiB } = service.memoryMiB();
  return { startMiB, peakMiB, endMiB, found, seconds };
}

function* flood(): Generator<PostedAccess> {
  const { urls, clients, clientsAtATime, plantedArcs, readers } = drowning;
  const every = urls / readers;
  const turns = (urls / clients) * clientsAtATime;
  for (let i = 0; i < urls; i++) {
    const client = Math.floor(i / turns) * clientsAtATime + (i % clientsAtATime);
    yield { client: `n${client} Mozilla/5.0 (compatible)`, url: `/noise/${i}` };
    if (i % every !== 0) continue;
    const page = (i / every) % plantedArcs;
    yield { client: `r${i} Firefox`, url: `/page-${page}` };
    yield { client: `r${i} Firefox`, url: `/next-${page}` };
  }
}

const columns = [
  { name: 'service', meaning: 'with its store' },
  { name: 'start MiB', meaning: 'resident memory before the first access', digits: 0 },
  { name: 'peak MiB', meaning: 'most resident memory it ever had (VmHWM)', digits: 0 },
  {
    name: 'end MiB',
    meaning: `resident memory ${restMs / 1000} s after the last access`,
    digits: 0,
  },
  { name: 'links found', meaning: 'real links that are the first hint of their page', digits: 0 },
  { name: 's', meaning: 'time to take all of it', digits: 1 },
];

function count(value: number): string {
  return value.toLocaleString('en');
}
