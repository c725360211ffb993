// Graph stores: how long a service takes to load a large graph, and how often it contacts Redis.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RedisServer, whyNoRedis } from '../../test/support/redis.ts';
import { run } from '../processes.ts';
import type { BenchResult, Cell, Target } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { spreadOf } from '../spread.ts';
import { flushing, keptGraph } from './model-settings.ts';
import { flushTrips } from './serve-flushes.ts';
import type { GraphWorkerAnswer } from './serve-graph-worker.ts';
import { measureIn } from './worker.ts';

export interface StoresBenchSettings {
  rounds: number;
  say: (line: string) => void;
}

const mostLoadS = 1.5;
/** At 1,000 accesses a second: an addition has at most a thousand arcs. Below, one trip. */
const mostTripsPerS = 1;
const script = './serve-graph-worker.ts';

export async function storesBench(settings: StoresBenchSettings): Promise<BenchResult> {
  using scratch = new Scratch();
  const sqlite = await loads(`sqlite:${join(scratch.path, 'graph.db')}`, 'SQLite', settings);
  const redis = await redisLoads(settings);
  const trips = whyNoRedis === '' ? await flushTrips(settings) : new Map<number, number[]>();
  const { urls, arcsPerUrl } = keptGraph;
  return {
    name: 'prefetchd-stores',
    title: 'Stores',
    method: [
      `A graph of ${count(urls)} URLs and ${count(urls * arcsPerUrl)} arcs is kept; a process started for it opens the store and makes an engine of the same size. The time ends when the engine is ready; starting Node and loading the engine's modules is not in it, starting the thread of SQLite is. ${settings.rounds} rounds, files in the system's cache.`,
      whyNoRedis === ''
        ? `Round trips: ${flushing.services} services (\`prefetchd serve\`) learn one graph in one Redis, each at so many accesses a second, by POST /v1/accesses ten times a second, ${flushing.seconds} s a round; a relay in front of Redis counts requests that came after an answer. What the other learned comes in the same trip.`
        : `Redis is left out here: ${whyNoRedis}.`,
    ],
    tables: [
      {
        title: 'Until a kept graph is ready',
        columns: [
          { name: 'store', meaning: 'where the graph is kept' },
          { name: 's', meaning: 'from opening the store until the engine is ready' },
          { name: 'nodes', meaning: 'URLs that the engine has then', digits: 0 },
          { name: 'arcs', meaning: 'arcs that it has then', digits: 0 },
        ],
        rows: [loadRow('SQLite', sqlite), loadRow('Redis', redis)],
      },
      {
        title: 'Round trips to Redis',
        columns: [
          { name: 'accesses/s', meaning: 'of each service', digits: 0 },
          { name: 'trips/s', meaning: 'round trips of each service a second' },
        ],
        rows: flushing.accessesPerS.map((perS) => {
          const list = trips.get(perS);
          return [perS, list === undefined ? whyNoRedis : spreadOf(list)];
        }),
      },
    ],
    targets: [
      {
        what: 'SQLite: a million arcs are ready',
        limit: mostLoadS,
        unit: 's',
        digits: 2,
        measured: spreadOf(sqlite.map(({ ms }) => ms / 1000)),
        judgedBy: 'median',
      },
      ...[...trips].map(
        ([perS, list]): Target => ({
          what: `Redis: round trips a second at ${count(perS)} accesses/s`,
          limit: Math.max(1, (perS / 1000) * mostTripsPerS),
          unit: '/s',
          digits: 2,
          measured: spreadOf(list),
          judgedBy: 'worst',
        }),
      ),
    ],
  };
}

async function redisLoads(settings: StoresBenchSettings): Promise<GraphWorkerAnswer[]> {
  if (whyNoRedis !== '') return [];
  await using server = await RedisServer.start();
  return await loads(server.url(), 'Redis', settings);
}

async function loads(place: string, name: string, { rounds, say }: StoresBenchSettings) {
  say(`${name}: keeping a large graph`);
  const file = fileURLToPath(new URL(script, import.meta.url));
  await run(process.execPath, [file, 'make', place]);
  const answers: GraphWorkerAnswer[] = [];
  for (let round = 1; round <= rounds; round++) {
    say(`${name}: loading, round ${round} of ${rounds}`);
    const { answer } = await measureIn<GraphWorkerAnswer>({ script, args: ['load', place] });
    answers.push(answer);
  }
  return answers;
}

function loadRow(name: string, answers: readonly GraphWorkerAnswer[]): Cell[] {
  if (answers.length === 0) return [name, whyNoRedis, null, null];
  const cell = (of: (answer: GraphWorkerAnswer) => number) => spreadOf(answers.map(of));
  return [name, cell(({ ms }) => ms / 1000), cell(({ nodes }) => nodes), cell(({ arcs }) => arcs)];
}

function count(value: number): string {
  return value.toLocaleString('en');
}
