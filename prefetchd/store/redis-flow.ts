// What one node sends: a delta's chunks with their numbers, kept until Redis has said that it has them all. Given
// again they bear the same numbers, so what had arrived counts once.

import type { GraphDelta } from '../graph-delta.ts';
import type { RedisKeys } from './redis-keys.ts';
import type { RedisPipeline } from './redis-link.ts';
import { chunksOf } from './redis-wire.ts';

/**
 * `whole`: a part of a whole graph that is given again, which is no news for who knew it; `news`: what
 * is in that graph and is news for them, told to them only; `done`: the end of both.
 */
export type ChunkMode = 'delta' | 'whole' | 'news' | 'done';

export interface Flow {
  delta: GraphDelta;
  /** To which its counts are aged. */
  nowMs: number;
  chunks: Array<{ mode: ChunkMode; bytes: Buffer }>;
  /** Number of the first chunk. */
  first: number;
}

/** What a node knows of the graph. */
export interface FlowState {
  node: string;
  /** Empty: none. */
  generation: string;
  /** Its model holds all that the generation held. */
  knowsAll: boolean;
  halfLifeMs: number | null;
  maxStreamEntries: number;
  /** Other nodes, with the number of the last chunk of each that the model holds. */
  within: ReadonlyMap<string, number>;
  /** Name of a generation, should this chunk found one. */
  fresh: string;
}

/** Answer of the merge script (redis-scripts.ts says what the words mean). */
export interface ChunkAnswer {
  status: 'added' | 'founded' | 'twice' | 'claimed' | 'lost' | 'gap' | 'predictor' | 'format';
  /** For `predictor` and `format`: the one that is kept. */
  generation: string;
  tick: number;
  /** In the stream; empty: nothing was added. */
  id: string;
  isRestoring: boolean;
  /** Last entry of the stream. */
  lastId: string;
  nodes: number;
  arcs: number;
}

/** An empty chunk has no number, and asks how things stand. */
const empty = Buffer.alloc(0);

export function flowOf(delta: GraphDelta, nowMs: number, first: number): Flow {
  const chunks = chunksOf(delta).map((bytes) => ({ mode: 'delta' as const, bytes }));
  if (chunks.length === 0)
    return { delta, nowMs, chunks: [{ mode: 'delta', bytes: empty }], first };
  return { delta, nowMs, chunks, first };
}

export function wholeFlowOf(
  delta: GraphDelta,
  news: readonly GraphDelta[],
  nowMs: number,
  first: number,
): Flow {
  const told = news.flatMap(chunksOf).map((bytes) => ({ mode: 'news' as const, bytes }));
  const given = chunksOf(delta).map((bytes) => ({ mode: 'whole' as const, bytes }));
  const chunks = [...told, ...given, { mode: 'done' as const, bytes: empty }];
  return { delta, nowMs, chunks, first };
}

export function mergeInto(
  pipeline: RedisPipeline,
  keys: RedisKeys,
  flow: Flow,
  index: number,
  state: FlowState,
): void {
  const { predictor, window, graphs } = flow.delta;
  const { mode, bytes } = flow.chunks[index] as Flow['chunks'][number];
  pipeline.mergeChunk(
    keys.meta,
    keys.nodes,
    keys.arcs,
    keys.deltas,
    keys.flows,
    state.node,
    state.generation,
    state.knowsAll ? 1 : 0,
    state.fresh,
    predictor,
    window,
    state.halfLifeMs ?? 0,
    flow.nowMs,
    mode,
    graphs.length,
    index === 0 ? [...state.within].map((pair) => pair.join(' ')).join(' ') : '',
    state.maxStreamEntries,
    bytes.length === 0 ? 0 : flow.first + index,
    index === 0 ? 1 : 0,
    bytes,
  );
}

export function chunkAnswer(reply: unknown): ChunkAnswer {
  const [status, generation, tick, id, restoring, lastId, nodes, arcs] = reply as unknown[];
  return {
    status: String(status) as ChunkAnswer['status'],
    generation: String(generation),
    tick: Number(tick),
    id: String(id ?? ''),
    isRestoring: Number(restoring) === 1,
    lastId: String(lastId ?? ''),
    nodes: Number(nodes),
    arcs: Number(arcs),
  };
}
