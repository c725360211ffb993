// What one node sends: the numbered chunks of a delta. A chunk keeps its number however often it is sent, so it
// counts once in the store and once at every node that reads it (reader.ts).

import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import { chunksOf } from './encoding.ts';
import type { RedisKeys } from './keys.ts';
import type { RedisPipeline } from './link.ts';

/**
 * `whole`: part of a whole graph that is supplied again, for nodes that do not know it; `news`: the part of it that
 * even nodes that knew the graph have not seen, sent to them only; `done`: the end of both.
 */
export type ChunkMode = 'delta' | 'whole' | 'news' | 'done';

export interface Chunk {
  mode: ChunkMode;
  /** Number within its node; 0 for an empty chunk that only queries the state. */
  seq: number;
  /** Numbers before it may be missing. */
  isFirst: boolean;
  /** Time its counts are aged to. */
  nowMs: number;
  bytes: Buffer;
}

/** Identifies the graph that a delta belongs to. */
export interface FlowKind {
  predictor: string;
  window: number;
  graphs: number;
}

/** What a node knows of the graph. */
export interface FlowState {
  node: string;
  /** Empty if unknown. */
  generation: string;
  /** The node's model contains everything in the generation. */
  knowsAll: boolean;
  halfLifeMs: number | null;
  maxStreamEntries: number;
  newsLifeMs: number;
  maxArcsPerUrl: number;
  /** Name of the new generation, if this chunk founds one. */
  fresh: string;
}

/** Reply of the merge script (scripts.ts explains the statuses). */
export interface ChunkAnswer {
  status:
    | 'added'
    | 'founded'
    | 'twice'
    | 'claimed'
    | 'moved'
    | 'lost'
    | 'gap'
    | 'predictor'
    | 'format';
  /** For `predictor` and `format`: the stored value. */
  generation: string;
  tick: number;
  /** Stream entry; empty if nothing was added. */
  id: string;
  isRestoring: boolean;
  /** Last entry of the stream. */
  lastId: string;
  nodes: number;
  arcs: number;
}

const empty = { seq: 0, isFirst: true, bytes: Buffer.alloc(0) };

/** @param first number of the first chunk */
export function flowOf(delta: GraphDelta, nowMs: number, first: number): Chunk[] {
  return chunksOf(delta).map((bytes, at) => {
    return { mode: 'delta', seq: first + at, isFirst: at === 0, nowMs, bytes };
  });
}

export function questionAt(nowMs: number): Chunk {
  return { ...empty, mode: 'delta', nowMs };
}

/** @param told the part of the whole graph that is new to other nodes */
export function wholeFlow(whole: readonly Chunk[], told: readonly Chunk[], nowMs: number): Chunk[] {
  const as = (mode: ChunkMode, chunks: readonly Chunk[]) =>
    chunks.map((chunk) => ({ ...chunk, mode }));
  return [...as('news', told), ...as('whole', whole), { ...empty, mode: 'done', nowMs }];
}

/** @param within number of the last chunk of each other node that the model contains */
export function mergeInto(
  pipeline: RedisPipeline,
  keys: RedisKeys,
  { mode, seq, isFirst, nowMs, bytes }: Chunk,
  { predictor, window, graphs }: FlowKind,
  state: FlowState,
  within: ReadonlyMap<string, number>,
): void {
  pipeline.mergeChunk(
    keys.meta,
    keys.nodes,
    keys.rows,
    keys.deltas,
    keys.flows,
    state.node,
    state.generation,
    state.knowsAll ? 1 : 0,
    state.fresh,
    predictor,
    window,
    state.halfLifeMs ?? 0,
    nowMs,
    mode,
    graphs,
    [...within].map((pair) => pair.join(' ')).join(' '),
    state.maxStreamEntries,
    seq,
    isFirst ? 1 : 0,
    bytes,
    state.newsLifeMs,
    state.maxArcsPerUrl,
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
