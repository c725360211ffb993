// Deletes URLs and arcs: the weakest when a store is too large, or those that an operator wants to be forgotten.

import { DeltaBuilder } from '../../model/delta/delta-builder.ts';
import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import { isForgotten } from '../forgotten.ts';
import { strongest } from '../strongest.ts';
import type { RedisKeys } from './keys.ts';
import type { RedisClient } from './link.ts';
import { metaOf, type RedisMeta, readGraph } from './read-graph.ts';

const lockMs = 60_000;

/** Deletes the arcs of a delta, and those of its URLs that have accesses. */
type Drop = (gone: GraphDelta, meta: RedisMeta) => Promise<void>;

/** Deletes the weakest URLs and arcs. If several nodes prune at the same time, only one does it. */
export async function prune(
  client: RedisClient,
  keys: RedisKeys,
  { maxNodes, maxArcs }: { maxNodes: number; maxArcs: number },
  drop: Drop,
): Promise<void> {
  if ((await client.set(keys.prune, '1', 'PX', lockMs, 'NX')) === null) return;
  const graph = await readGraph(client, keys, { nowMs: 0, halfLifeMs: null });
  if (graph !== null) {
    const most = { maxNodes, maxArcs: maxArcs * graph.meta.graphs };
    const stays = strongest(graph.delta, { ...most, least: 0 });
    await drop(
      partOf(graph.delta, {
        url: (url) => stays.urls[url] !== 1,
        arc: (graph, arc) => stays.arcs[graph]?.[arc] !== 1,
      }),
      graph.meta,
    );
  }
  await client.del(keys.prune);
}

/** Running nodes drop their memory and load the graph, both before and after the deletion, so whatever they add
 *  during it was learned during it. @returns the number of URLs deleted */
export async function forget(
  client: RedisClient,
  keys: RedisKeys,
  forgotten: string,
  drop: Drop,
): Promise<number> {
  if (metaOf(await client.hgetall(keys.meta)) === null) return 0;
  await client.hincrby(keys.meta, 'forgotten', 1);
  await client.unlink(keys.news);
  const graph = await readGraph(client, keys, { nowMs: 0, halfLifeMs: null });
  if (graph === null) return 0;
  const { urls, graphs } = graph.delta;
  const goes = urls.map((url) => isForgotten(url, forgotten));
  const isEnd = (url = 0) => goes[url] === true;
  await drop(
    partOf(graph.delta, {
      url: isEnd,
      arc: (nth, arc) => isEnd(graphs[nth]?.from[arc]) || isEnd(graphs[nth]?.to[arc]),
    }),
    graph.meta,
  );
  await client.hincrby(keys.meta, 'forgotten', 1);
  return goes.filter(Boolean).length;
}

function partOf(
  delta: GraphDelta,
  has: { url: (url: number) => boolean; arc: (graph: number, arc: number) => boolean },
): GraphDelta {
  const { urls, kinds, graphs } = delta;
  const part = new DeltaBuilder(delta, graphs.length);
  const indexOf = (url = 0) => part.url(urls[url] as string, kinds[url] ?? 0);
  for (const url of urls.keys()) if (has.url(url)) part.count(indexOf(url), 1);
  for (const [graph, { from, to }] of graphs.entries()) {
    for (const [arc, source] of from.entries()) {
      if (!has.arc(graph, arc)) continue;
      part.arc(graph, indexOf(source), indexOf(to[arc]), { count: 0, clients: [], seen: 0 });
    }
  }
  return part.delta();
}
