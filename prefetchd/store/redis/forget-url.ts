// A URL and all below it go from Redis (forgotten.ts), with their arcs, while nodes may be running. Arcs go first: one
// that leads to a URL which is not there is left out when the graph is loaded (columns.ts). The number of the last
// chunk is counted on, as if one had been trimmed away: so each node loads everything, and forgets as well.

import { isForgotten } from '../forgotten.ts';
import { type Drop, dropArcs, dropOf } from './drop.ts';
import type { RedisKeys } from './keys.ts';
import type { RedisClient } from './link.ts';
import { forEachField } from './scan-keys.ts';
import { nodeValue, rowField } from './values.ts';

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
  const drops: Drop[] = [];
  await forEachField(client, keys.rows, (field, row) => {
    const drop = dropOf(rowField(field), row, (from, to) => ids.has(from) || ids.has(to));
    if (drop !== null) drops.push(drop);
  });
  await dropArcs(client, keys, drops, Number.MAX_SAFE_INTEGER);
  for (let from = 0; from < urls.length; from += fieldsPerStep) {
    await client.hdel(keys.nodes, ...urls.slice(from, from + fieldsPerStep));
  }
  await client.unlink(keys.deltas);
  await client.hincrby(keys.meta, 'tick', 1);
  return ids.size;
}
