// Loads the whole graph exactly while others add to it. It notes the position in the stream, reads all values in
// small steps, and then reads the stream entries added meanwhile; each is applied to those values that were read
// before it came (rows.ts). The result is the state after the last entry read, with nothing missing or counted twice,
// and the stream continues from there.

import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import { type Salt, saltOf } from '../../model/salt.ts';
import type { StoreIdentity } from '../graph-store.ts';
import type { RedisKeys } from './keys.ts';
import type { RedisClient } from './link.ts';
import { RedisRows } from './rows.ts';
import {
  entriesPerRead,
  readStream,
  type StreamEntry,
  type StreamPlace,
  streamEntries,
} from './stream.ts';
import { storeFormat } from './values.ts';

export interface RedisMeta extends StoreIdentity {
  generation: string;
  graphs: number;
  /** Half-lives since the graph was founded, at `clockMs`. */
  age: number;
  clockMs: number;
  /** Latest era with fingerprints; 0 for none. */
  era: number;
  /** A node is supplying the whole graph; the stored one is incomplete. */
  isRestoring: boolean;
  last: StreamPlace;
}

export interface RedisSnapshot {
  delta: GraphDelta;
  meta: RedisMeta;
  /** The snapshot is the state after this entry. */
  place: StreamPlace;
  /** By node: number of its last chunk in the snapshot. */
  flows: Map<string, number>;
  rows: RedisRows;
}

const tries = 3;

/** Null if nothing was added yet. */
export async function readMeta(client: RedisClient, keys: RedisKeys): Promise<RedisMeta | null> {
  const meta = await client.hgetall(keys.meta);
  if (meta.format === undefined) return null;
  if (meta.format !== storeFormat) throw unknownFormat(meta.format);
  return {
    predictor: meta.predictor ?? '',
    window: Number(meta.window),
    generation: meta.generation ?? '',
    graphs: Number(meta.graphs),
    age: Number(meta.age),
    clockMs: Number(meta.clockMs),
    era: Number(meta.era),
    isRestoring: Number(meta.restoreByMs) > 0,
    last: { id: meta.lastId ?? '0-0', tick: Number(meta.tick) },
  };
}

export function unknownFormat(format: string): Error {
  return new Error(`its format is ${format}; this prefetchd knows ${storeFormat}`);
}

export async function readSnapshot(
  client: RedisClient,
  keys: RedisKeys,
  options: { nowMs: number; halfLifeMs: number | null; maxArcsPerUrl: number },
): Promise<RedisSnapshot | null> {
  for (let attempt = 1; attempt <= tries; attempt++) {
    const begun = await readMeta(client, keys);
    if (begun === null) return null;
    const rows = await RedisRows.read(client, keys);
    const flows = new Map<string, number>();
    for (const [node, flow] of Object.entries(await client.hgetall(keys.flows))) {
      flows.set(node, Number.parseInt(flow, 10));
    }
    const place = await catchUp(client, keys, begun.last, (entry) => {
      if (entry.mode !== 'news') rows.apply(entry.chunk, entry.tick, entry.age);
      flows.set(entry.node, Math.max(entry.seq, flows.get(entry.node) ?? 0));
    });
    const [meta, salt] = [await readMeta(client, keys), await client.getBuffer(keys.salt)];
    if (place === null || meta?.generation !== begun.generation) continue;
    const { predictor, window, graphs, age, clockMs } = meta;
    const era = salt === null ? meta.era : saltOfText(salt).era;
    // Never negative: a lagging clock makes nothing younger.
    const sinceMs = Math.max(0, options.nowMs - clockMs);
    const ageNow = age + (options.halfLifeMs === null ? 0 : sinceMs / options.halfLifeMs);
    const columns = await rows.columns(ageNow, era, graphs, options.maxArcsPerUrl);
    return { delta: { predictor, window, era, ...columns }, meta, place, flows, rows };
  }
  throw new Error(`its graph was lost or replaced while it was read, ${tries} times`);
}

/** @returns the last entry; null if entries are missing */
async function catchUp(
  client: RedisClient,
  keys: RedisKeys,
  from: StreamPlace,
  take: (entry: StreamEntry) => void,
): Promise<StreamPlace | null> {
  let place = from;
  for (;;) {
    const entries = streamEntries(await readStream(client, keys.deltas, place));
    for (const entry of entries) {
      if (entry.tick !== place.tick + 1) return null;
      take(entry);
      place = { id: entry.id, tick: entry.tick };
    }
    if (entries.length < entriesPerRead) return place;
  }
}

/** Creation time in ms, a space, 16 bytes. */
export function saltText({ madeMs, bytes }: Salt): Buffer {
  return Buffer.concat([Buffer.from(`${madeMs} `), bytes]);
}

export function saltOfText(text: Buffer) {
  const space = text.indexOf(' ');
  return saltOf(text.subarray(space + 1), Number(text.toString('latin1', 0, space)));
}
