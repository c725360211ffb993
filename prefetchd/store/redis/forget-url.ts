// Deletes a URL and everything below it (forgotten.ts) from Redis, with their arcs, while nodes may be running. Arcs
// are deleted first: an arc whose target is missing is skipped when the graph is loaded (columns.ts). The chunk
// number is then advanced as if a chunk had been trimmed, so each node reloads everything and forgets the URL too.

import { isForgotten } from '../forgotten.ts';
import { type Drop, dropArcs, dropOf } from './drop.ts';
import type { RedisKeys } from './keys.ts';
import type { RedisClient } from './link.ts';
import { forEachField } from './scan-keys.ts';
import { nodeValue, rowField } from './values.ts';

const fieldsPerStep = 500;

/** @returns the number of URLs deleted */
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
