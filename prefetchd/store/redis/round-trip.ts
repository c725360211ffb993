// One round trip: sends this node's chunks and, in the same pipeline, reads the stream and the salt.

import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import type { Salt } from '../../model/salt.ts';
import { checkSamePredictor } from '../same-predictor.ts';
import {
  type Chunk,
  type ChunkAnswer,
  chunkAnswer,
  type FlowState,
  mergeInto,
  questionAt,
} from './flow.ts';
import type { RedisKeys } from './keys.ts';
import type { RedisClient } from './link.ts';
import { saltOfText, unknownFormat } from './load-graph.ts';
import { readStream, type StreamEntry, type StreamPlace, streamEntries } from './stream.ts';

export interface RoundTrip {
  /** Empty: only query the state. */
  chunks: readonly Chunk[];
  /** Identifies the predictor of the graph. */
  delta: GraphDelta;
  nowMs: number;
  state: FlowState;
  /** Where to start reading the stream; null: do not read it. */
  place: StreamPlace | null;
  /** Number of the last chunk that the model contains, for each other node. */
  within: ReadonlyMap<string, number>;
}

export interface RoundTripAnswer {
  answers: ChunkAnswer[];
  entries: StreamEntry[];
  salt: Salt | null;
}

const nobody: ReadonlyMap<string, number> = new Map();

/** @throws PrefetchdError `store-mismatch` if `name` contains the graph of another predictor */
export async function roundTrip(
  client: RedisClient,
  keys: RedisKeys,
  name: string,
  trip: RoundTrip,
): Promise<RoundTripAnswer> {
  const { chunks, delta, nowMs, state, place, within } = trip;
  const { predictor, window, graphs } = delta;
  const kind = { predictor, window, graphs: graphs.length };
  const pipeline = client.pipeline();
  pipeline.getBuffer(keys.salt);
  if (place !== null) readStream(pipeline, keys.deltas, place);
  (chunks.length === 0 ? [questionAt(nowMs)] : chunks).forEach((chunk, index) => {
    mergeInto(pipeline, keys, chunk, kind, state, index === 0 ? within : nobody);
  });
  const results = (await pipeline.exec()) ?? [];
  const failed = results.find(([error]) => error !== null);
  if (failed !== undefined) throw failed[0];
  const replies = results.map(([, reply]) => reply);
  const salt = replies.shift() as Buffer | null;
  const entries = place === null ? [] : streamEntries(replies.shift());
  const answers = replies.map(chunkAnswer);
  for (const { status, generation, tick } of answers) {
    if (status === 'predictor') {
      checkSamePredictor(name, { predictor: generation, graphs: tick }, delta);
    }
    if (status === 'format') throw unknownFormat(generation);
    if (status === 'gap') throw new Error('it accepted a later chunk before an earlier one');
  }
  return { answers, entries, salt: salt === null ? null : saltOfText(salt) };
}
