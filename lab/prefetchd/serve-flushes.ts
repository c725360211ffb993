// How often services that learn one graph in Redis contact it, whatever they learn.

import { setTimeout as sleep } from 'node:timers/promises';
import { RedisServer } from '../../test/support/redis.ts';
import { flushing, modelSite } from './model-settings.ts';
import { ServeProcess } from './serve-process.ts';
import { agentOf } from './serve-requests.ts';
import { batchOf, siteAccesses } from './site.ts';

export interface FlushSettings {
  rounds: number;
  say: (line: string) => void;
}

const batchesPerS = 10;
const settleMs = 2000;

/** Trips a second of each service, by accesses a second, a number each round. */
export async function flushTrips({ rounds, say }: FlushSettings): Promise<Map<number, number[]>> {
  const trips = new Map(flushing.accessesPerS.map((perS) => [perS, [] as number[]]));
  for (let round = 1; round <= rounds; round++) {
    for (const [perS, list] of trips) {
      say(`Redis: round trips at ${perS} accesses/s, round ${round} of ${rounds}`);
      list.push(await tripsPerS(perS));
    }
  }
  return trips;
}

async function tripsPerS(accessesPerS: number): Promise<number> {
  await using redis = await RedisServer.start();
  await using stack = new AsyncDisposableStack();
  const ends = new AbortController();
  const feeding: Promise<void>[] = [];
  for (let n = 0; n < flushing.services; n++) {
    const service = stack.use(await ServeProcess.start(redis.url()));
    feeding.push(feed(service, accessesPerS, n + 1, ends.signal));
  }
  await sleep(settleMs);
  const startMs = performance.now();
  const before = redis.relay.trips;
  // (A timer may fire a little early, and then one trip a second would be more than that.)
  await Promise.race([sleep(flushing.seconds * 1000 + 1), ...feeding]);
  const trips = redis.relay.trips - before;
  const seconds = (performance.now() - startMs) / 1000;
  ends.abort();
  await Promise.all(feeding);
  return trips / seconds / flushing.services;
}

async function feed(service: ServeProcess, perS: number, seed: number, ends: AbortSignal) {
  const accesses = siteAccesses({ ...modelSite, seed });
  const startMs = performance.now();
  for (let batch = 1; !ends.aborted; batch++) {
    const some = batchOf(accesses, Math.ceil(perS / batchesPerS));
    await service.learn(some.map(({ client, url }) => ({ client: agentOf(client), url })));
    await sleep(Math.max(0, startMs + (batch * 1000) / batchesPerS - performance.now()));
  }
}
