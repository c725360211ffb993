// What one node sends: a delta's chunks with their numbers, which it keeps however often and however it is given.
// So what had arrived counts once, and who heard of it takes it in once (reader.ts).

import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import { chunksOf } from './encoding.ts';
import type { RedisKeys } from './keys.ts';
import type { RedisPipeline } from './link.ts';

/**
 * `whole`: a part of a whole graph that is given again, which is no news for who knew it; `news`: what
 * is in that graph and is news for them, told to them only; `done`: the end of both.
 */
export type ChunkMode = 'delta' | 'whole' | 'news' | 'done';

export interface Chunk {
  mode: ChunkMode;
  /** Of its node; 0: it is empty, and asks how things stand. */
  seq: number;
  /** Numbers before it may have been left out. */
  isFirst: boolean;
  /** To which its counts are aged. */
  nowMs: number;
  bytes: Buffer;
}

/** Of the delta, whose it is. */
export interface FlowKind {
  predictor: string;
  window: number;
  graphs: number;
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
  newsLifeMs: number;
  maxArcsPerUrl: number;
  /** Name of a generation, should this chunk found one. */
  fresh: string;
}

/** Answer of the merge script (scripts.ts says what the words mean). */
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

const empty = { seq: 0, isFirst: true, bytes: Buffer.alloc(0) };

/** @param first number of its first chunk */
export function flowOf(delta: GraphDelta, nowMs: number, first: number): Chunk[] {
  return chunksOf(delta).map((bytes, at) => {
    return { mode: 'delta', seq: first + at, isFirst: at === 0, nowMs, bytes };
  });
}

export function questionAt(nowMs: number): Chunk {
  return { ...empty, mode: 'delta', nowMs };
}

/** @param told what of the whole is news for others */
export function wholeFlow(whole: readonly Chunk[], told: readonly Chunk[], nowMs: number): Chunk[] {
  const as = (mode: ChunkMode, chunks: readonly Chunk[]) =>
    chunks.map((chunk) => ({ ...chunk, mode }));
  return [...as('news', told), ...as('whole', whole), { ...empty, mode: 'done', nowMs }];
}

/** @param within other nodes, with the number of the last chunk of each that the model holds */
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
