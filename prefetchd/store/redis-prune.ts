// When there is too much, one node drops the weakest, in small steps and beside everything else: a lock
// that ends by itself says who. What was added to after the weakest were chosen stays.

import type { RedisKeys } from './redis-keys.ts';
import type { RedisClient } from './redis-link.ts';
import { readMeta } from './redis-load.ts';
import { RedisRows } from './redis-rows.ts';
import { arcFieldText } from './redis-values.ts';
import { strongest } from './strongest.ts';

const lockMs = 60_000;
const fieldsPerStep = 500;
/** Where the tick stands in a value, from 1 on as Lua counts. */
const tickInNode = 5;
const tickInArc = 1;

export interface PruneLimits {
  maxNodes: number;
  /** Of all graphs together. */
  maxArcs: number;
}

/** @returns how many URLs and arcs went; null: another node is at it */
export async function prune(
  client: RedisClient,
  keys: RedisKeys,
  limits: PruneLimits,
): Promise<number | null> {
  if ((await client.set(keys.prune, '1', 'PX', lockMs, 'NX')) === null) return null;
  const meta = await readMeta(client, keys);
  if (meta === null) return 0;
  const rows = await RedisRows.read(client, keys);
  const { urls, accesses, graphs } = rows.columns(meta.age, meta.era, meta.graphs, Infinity);
  const stays = strongest({ accesses, graphs }, { ...limits, least: 0 });
  const stayingIds = new Set<number>();
  const goneUrls: string[] = [];
  urls.forEach((url, place) => {
    if (stays.urls[place] === 1) stayingIds.add(rows.nodes.get(url)?.id as number);
    else goneUrls.push(url);
  });
  const goneArcs = new Set(rows.arcs.keys());
  const idOf = (place: number) => rows.nodes.get(urls[place] as string)?.id as number;
  graphs.forEach(({ from, to }, graph) => {
    from.forEach((place, at) => {
      if (stays.arcs[graph]?.[at] !== 1) return;
      const field = { graph, from: idOf(place), to: idOf(to[at] as number) };
      goneArcs.delete(arcFieldText(field));
    });
  });
  const { tick } = meta.last;
  const arcFields = Array.from(goneArcs, (field) => Buffer.from(field, 'latin1'));
  const arcs = await drop(client, keys.arcs, tickInArc, tick, arcFields);
  const nodes = await drop(client, keys.nodes, tickInNode, tick, goneUrls);
  await client.del(keys.prune);
  return arcs + nodes;
}

async function drop(
  client: RedisClient,
  key: string,
  tickAt: number,
  tick: number,
  fields: (string | Buffer)[],
): Promise<number> {
  let gone = 0;
  for (let from = 0; from < fields.length; from += fieldsPerStep) {
    const part = fields.slice(from, from + fieldsPerStep);
    gone += Number(await client.pruneFields(key, tickAt, tick, ...part));
  }
  return gone;
}
