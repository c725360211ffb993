// Reads the stream: chunks of all nodes in the order added, numbered consecutively. A missing number means the reader
// was too slow and the chunk was trimmed.

import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import { deltaOfChunk } from './encoding.ts';
import type { ChunkMode } from './flow.ts';
import type { RedisClient, RedisPipeline } from './link.ts';

/** Last entry read. */
export interface StreamPlace {
  id: string;
  /** 0: before the first one. */
  tick: number;
}

export interface StreamEntry extends StreamPlace {
  node: string;
  seq: number;
  /** Clock of the node that sent it, ms since the epoch. */
  timeMs: number;
  /** Age of the store, half-lives. */
  age: number;
  /** See flow.ts. */
  mode: ChunkMode;
  window: number;
  chunk: Buffer;
}

export const entriesPerRead = 256;

export function readStream<Client extends RedisClient | RedisPipeline>(
  client: Client,
  key: string,
  { id }: StreamPlace,
): ReturnType<Client['xrangeBuffer']> {
  const read = client.xrangeBuffer(key, `(${id}`, '+', 'COUNT', entriesPerRead);
  return read as ReturnType<Client['xrangeBuffer']>;
}

export function streamEntries(reply: unknown): StreamEntry[] {
  return (reply as [Buffer, Buffer[]][]).map(([id, fields]) => {
    const values = new Map<string, Buffer>();
    for (let at = 0; at + 1 < fields.length; at += 2) {
      values.set(String(fields[at]), fields[at + 1] as Buffer);
    }
    const text = (name: string) => String(values.get(name) ?? '');
    return {
      id: String(id),
      tick: Number(text('n')),
      node: text('o'),
      seq: Number(text('s')),
      timeMs: Number(text('t')),
      age: Number(text('a')),
      mode: text('m') as ChunkMode,
      window: Number(text('w')),
      chunk: values.get('d') ?? Buffer.alloc(0),
    };
  });
}

/** A delta aged to `nowMs`. */
export function deltaOfEntry(
  { chunk, window, timeMs }: StreamEntry,
  predictor: string,
  nowMs: number,
  halfLifeMs: number | null,
): GraphDelta {
  const delta = { predictor, window, ...deltaOfChunk(chunk) };
  if (halfLifeMs === null || nowMs <= timeMs) return delta;
  const worth = 2 ** ((timeMs - nowMs) / halfLifeMs);
  return {
    ...delta,
    accesses: delta.accesses.map((count) => count * worth),
    graphs: delta.graphs.map((arcs) => ({
      ...arcs,
      counts: arcs.counts.map((count) => count * worth),
    })),
  };
}
