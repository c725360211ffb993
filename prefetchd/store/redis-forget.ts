// A URL and all below it go from Redis (forgotten.ts), with their arcs, while nodes may be running. Arcs go first: one
// that leads to a URL which is not there is left out when the graph is loaded (redis-rows.ts). The number of the last
// chunk is counted on, as if one had been trimmed away: so each node loads everything, and forgets as well.

import { isForgotten } from './forgotten.ts';
import type { RedisKeys } from './redis-keys.ts';
import type { RedisClient } from './redis-link.ts';
import { forEachField } from './redis-rows.ts';
import { arcField, nodeValue } from './redis-values.ts';

const fieldsPerStep = 500;

/** @returns how many URLs went */
export async function forget(
  client: RedisClient,
  keys: RedisKeys,
  forgotten: string,
): Promise<number> {
  const urls: Buffer[] = [];
  const ids = new Set<number>();
  await forEachField(client, keys.nodes, (url, bytes) => {
    if (!isForgotten(url.toString(), forgotten)) return;
    urls.push(url);
    ids.add(nodeValue(bytes).id);
  });
  if (urls.length === 0) return 0;
  const arcs: Buffer[] = [];
  await forEachField(client, keys.arcs, (field) => {
    const { from, to } = arcField(field);
    if (ids.has(from) || ids.has(to)) arcs.push(field);
  });
  await drop(client, keys.arcs, arcs);
  await drop(client, keys.nodes, urls);
  await client.unlink(keys.deltas);
  await client.hincrby(keys.meta, 'tick', 1);
  return ids.size;
}

async function drop(client: RedisClient, key: string, fields: Buffer[]): Promise<void> {
  for (let from = 0; from < fields.length; from += fieldsPerStep) {
    await client.hdel(key, ...fields.slice(from, from + fieldsPerStep));
  }
}
