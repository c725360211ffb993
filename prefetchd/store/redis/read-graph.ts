// Reads the whole graph while other processes add to it. The URLs, and then the arcs of some URLs at a time, are read
// between two reads of the number of the last addition, and read again if that number has changed. (Transactions are
// not used, because a full Redis refuses them.) Afterwards a process reads from the stream `news` what others added;
// of that it leaves out what the arcs of a URL already contained (`ticks`), so nothing is missing or counts twice.

import type { Redis } from 'ioredis';
import { DeltaBuilder } from '../../model/delta/delta-builder.ts';
import { neverNext } from '../../model/delta/graph-delta.ts';
import { ageingAt, unitOf } from '../forward-decay.ts';
import type { StoreIdentity } from '../graph-store.ts';
import { inOne, type Pipeline } from './connection.ts';
import { storeFormat } from './flush-script.ts';
import type { RedisKeys } from './keys.ts';

/** Contents of the Redis hash `meta` (keys.ts), which describes the stored graph. */
export interface RedisMeta extends StoreIdentity {
  /** Random name of the graph, which changes if the graph is lost or URLs are deleted (flush-script.ts). */
  generation: string;
  graphs: number;
  /** Number of the last addition, and the rounded time (`newsMs`) of its entry in `news`, the stream of additions. */
  tick: number;
  newsMs: number;
  asOfMs: number;
  /** Number of half-lives that passed from the graph's first addition to its last (`age`), and until all counts were
   *  last scaled down (`base`). */
  age: number;
  base: number;
  /** Era (number of the salt that pseudonyms are made with) of the last addition with client fingerprints; 0: none. */
  era: number;
}

type HashFields = Record<string, string>;

/** Number of URLs whose arcs are read by one request, and converted in one turn of the event loop. */
const urlsAtOnce = 100;
const tries = 100;

/** Parses the hash `meta`; null if nothing was added yet. */
export function metaOf(fields: HashFields): RedisMeta | null {
  const { format, predictor, generation, ...rest } = fields;
  if (format === undefined) return null;
  if (format !== storeFormat) {
    const way = 'name another prefix (redis://...?prefix=NAME), or delete its keys';
    const fault = `its format is ${format}, and this prefetchd knows ${storeFormat} alone`;
    throw new Error(`${fault}: ${way}, and learn again or \`train\``);
  }
  const numbers = Object.entries(rest).map(([name, value]) => [name, Number(value)]);
  return { predictor, generation, ...Object.fromEntries(numbers) };
}

/**
 * Reads the graph; null if nothing was added yet. Additions are numbered (`meta.tick` is the last). As other processes
 * may add to the graph after `meta` was read, the arcs that leave some URLs may be newer than `meta`: `ticks` maps each
 * of these URLs to the number of the last addition that its arcs may include.
 * @param asked.era Era (number of the salt) of the client fingerprints to read; undefined: that of the last addition
 */
export async function readGraph(
  client: Redis,
  keys: RedisKeys,
  asked: { nowMs: number; halfLifeMs: number | null; era: number | undefined },
) {
  const all = await steadily(client, keys, (reads) =>
    reads.hgetall(keys('meta')).zrange(keys('url'), 0, '-1', 'WITHSCORES').hgetall(keys('kind')),
  );
  const [, fields, scores, kinds] = all as [unknown, HashFields, string[], HashFields];
  const meta = metaOf(fields);
  if (meta === null) return null;
  const era = asked.era ?? meta.era;
  const decay = { asOfMs: meta.asOfMs, exponent: meta.age - meta.base };
  const unit = unitOf(ageingAt(decay, asked.nowMs, asked.halfLifeMs));
  const built = new DeltaBuilder({ ...meta, era }, meta.graphs);
  const [accesses, kindOf] = [new Map(pairsOf(scores)), new Map(Object.entries(kinds))];
  for (const [url, score] of accesses) {
    built.count(built.url(url, Number(kindOf.get(url) ?? 0)), Number(score) / unit);
  }
  const urls = [...accesses.keys()];
  const ticks = new Map<string, number>();
  for (let start = 0; start < urls.length; start += urlsAtOnce) {
    const rows = urls
      .slice(start, start + urlsAtOnce)
      .flatMap((url) => Array.from({ length: meta.graphs }, (_, graph) => ({ url, graph })));
    const replies = await steadily(client, keys, (reads) => {
      for (const { url, graph } of rows) {
        reads.zrange(keys('arc', graph, url), 0, '-1', 'REV', 'WITHSCORES');
        reads.hgetall(keys('seen', graph, url)).hgetall(keys('clients', era, graph, url));
      }
    });
    const [generation, tick] = replies.shift() as string[];
    if (generation !== meta.generation) {
      throw new Error('its graph was lost or replaced while it was read');
    }
    const isLate = Number(tick) > meta.tick;
    for (const { url, graph } of rows) {
      if (isLate) ticks.set(url, Number(tick));
      const [arcs, ...values] = replies.splice(0, 3) as [string[], HashFields, HashFields];
      const [seenOf, clientsOf] = values.map((fields) => new Map(Object.entries(fields)));
      for (const [to, count] of pairsOf(arcs)) {
        if (!isLate && !accesses.has(to)) continue; // the URL `to` was dropped as too weak
        const clients = JSON.parse(clientsOf?.get(to) ?? '[]');
        const seen = Number(seenOf?.get(to) ?? 0);
        // `seen` counts clients of an arc; only if it is more than those in `clients`, it stems from an earlier salt.
        const earlier = seen % neverNext <= clients.length ? seen & neverNext : seen;
        const arc = { count: Number(count) / unit, clients, seen: earlier };
        // A URL that another process adds during this reading gets its kind and accesses later, from the stream `news`.
        built.arc(graph, built.url(url, 0), built.url(to, 0), arc);
      }
    }
  }
  return { delta: built.delta(), meta, ticks };
}

/** Splits a list of members, each followed by its score, into pairs. */
function pairsOf(list: readonly string[]): [member: string, score: string][] {
  const pairAt = (_: unknown, at: number) => list.slice(2 * at, 2 * at + 2) as [string, string];
  return Array.from({ length: list.length / 2 }, pairAt);
}

/** Repeats the reads until `generation` and `tick` (the graph's name, and number of its last addition) are the same
 *  before and after. @returns these two, and the replies */
async function steadily(client: Redis, keys: RedisKeys, ask: (reads: Pipeline) => void) {
  for (let attempt = 0; attempt < tries; attempt++) {
    const reads = client.pipeline().hmget(keys('meta'), 'generation', 'tick') as Pipeline;
    ask(reads);
    const replies = await inOne(reads.hmget(keys('meta'), 'generation', 'tick'));
    if (String(replies.at(0)) === String(replies.pop())) return replies;
  }
  throw new Error('it is written to all the time');
}
