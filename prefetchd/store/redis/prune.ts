// Drops the weakest data when a store is too large, in small steps while other nodes write. A lock that expires
// ensures that one node does it. Data changed after the weakest were chosen is kept.

import { strongest } from '../strongest.ts';
import { type Drop, dropArcs, dropOf } from './drop.ts';
import type { RedisKeys } from './keys.ts';
import type { RedisClient } from './link.ts';
import { readMeta } from './load-graph.ts';
import { RedisRows } from './rows.ts';

const lockMs = 60_000;
const fieldsPerStep = 500;

export interface PruneLimits {
  maxNodes: number;
  /** For all graphs together. */
  maxArcs: number;
}

/** @returns number of URLs and arcs deleted; null if another node is pruning */
export async function prune(
  client: RedisClient,
  keys: RedisKeys,
  limits: PruneLimits,
): Promise<number | null> {
  if ((await client.set(keys.prune, '1', 'PX', lockMs, 'NX')) === null) return null;
  const meta = await readMeta(client, keys);
  if (meta === null) return 0;
  const rows = await RedisRows.read(client, keys);
  const { urls, accesses, graphs } = await rows.columns(meta.age, meta.era, meta.graphs, Infinity);
  const stays = strongest({ accesses, graphs }, { ...limits, least: 0 });
  const ids = urls.map((url) => rows.nodes.get(url)?.id as number);
  const staying = graphs.map(({ from, to }, graph) => {
    const targets = new Map<number, Set<number>>();
    from.forEach((place, at) => {
      if (stays.arcs[graph]?.[at] !== 1) return;
      const id = ids[place] as number;
      const ofUrl = targets.get(id) ?? new Set();
      targets.set(id, ofUrl.add(ids[to[at] as number] as number));
    });
    return targets;
  });
  const drops: Drop[] = [];
  for (const { field, row } of rows.arcs()) {
    const targets = staying[field.graph]?.get(field.from);
    const drop = dropOf(field, row, (_, to) => targets?.has(to) !== true);
    if (drop !== null) drops.push(drop);
  }
  const { tick } = meta.last;
  let gone = await dropArcs(client, keys, drops, tick);
  const weak = urls.filter((_, place) => stays.urls[place] !== 1);
  for (let from = 0; from < weak.length; from += fieldsPerStep) {
    gone += Number(
      await client.pruneNodes(keys.nodes, tick, ...weak.slice(from, from + fieldsPerStep)),
    );
  }
  await client.del(keys.prune);
  return gone;
}
