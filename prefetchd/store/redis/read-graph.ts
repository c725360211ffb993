// Reads the whole graph while other nodes add to it. The URLs, and then the arcs of some URLs at a time, are read
// between two reads of the number of the last addition, and read again if that number has changed. (Transactions are
// not used, because a full Redis refuses them.) Of the news that a node reads afterwards, it leaves out what the arcs
// of a URL already contained (`ticks`), so nothing is missing and nothing counts twice.

import { DeltaBuilder } from '../../model/delta/delta-builder.ts';
import { type GraphDelta, neverNext } from '../../model/delta/graph-delta.ts';
import { ageingAt, unitOf } from '../forward-decay.ts';
import type { StoreIdentity } from '../graph-store.ts';
import type { Pipeline, RedisClient } from './connection.ts';
import { storeFormat } from './flush-script.ts';
import type { RedisKeys } from './keys.ts';
import { saltOfText } from './shared-salt.ts';

export interface RedisMeta extends StoreIdentity {
  generation: string;
  forgotten: number;
  graphs: number;
  /** Number of the last addition. */
  tick: number;
  /** Id of that addition's entry in the news. */
  id: string;
  asOfMs: number;
  exponent: number;
  /** Era of the last addition with fingerprints; 0 if there was none. */
  era: number;
}

export interface RedisSnapshot {
  delta: GraphDelta;
  meta: RedisMeta;
  /** For each URL whose arcs were read later than the rest, the number of the last addition in them. */
  ticks: Map<string, number>;
}

type HashFields = Record<string, string>;

/** Number of URLs whose arcs are read together, and converted without a pause. */
const urlsAtOnce = 100;
const tries = 100;

/** Parses the hash `meta`; null if nothing was added yet. */
export function metaOf(fields: HashFields): RedisMeta | null {
  if (fields.format === undefined) return null;
  if (fields.format !== storeFormat) throw unknownFormat(fields.format);
  const number = (name: string) => Number(fields[name]);
  return {
    predictor: fields.predictor ?? '',
    window: number('window'),
    generation: fields.generation ?? '',
    forgotten: number('forgotten'),
    graphs: number('graphs'),
    tick: number('tick'),
    id: `${fields.newsMs}-${fields.tick}`,
    asOfMs: number('asOfMs'),
    exponent: number('age') - number('base'),
    era: number('era'),
  };
}

export function unknownFormat(format: string): Error {
  const way = 'name another prefix (redis://...?prefix=NAME), or delete its keys';
  return new Error(
    `its format is ${format}, and this prefetchd knows ${storeFormat} alone: ${way}, and learn again or \`train\``,
  );
}

export async function readGraph(
  client: RedisClient,
  keys: RedisKeys,
  { nowMs, halfLifeMs }: { nowMs: number; halfLifeMs: number | null },
): Promise<RedisSnapshot | null> {
  const [, ...all] = await steadily(client, keys, (reads) =>
    reads
      .hgetall(keys.meta)
      .zrange(keys.url, 0, '-1', 'WITHSCORES')
      .hgetall(keys.kind)
      .getBuffer(keys.salt),
  );
  const [fields, scores, kinds, salt] = all as [HashFields, string[], HashFields, Buffer | null];
  const meta = metaOf(fields);
  if (meta === null) return null;
  const era = salt === null ? meta.era : saltOfText(salt).era;
  const unit = unitOf(ageingAt(meta, nowMs, halfLifeMs));
  const built = new DeltaBuilder({ ...meta, era }, meta.graphs);
  const urls = scores.filter((_, at) => at % 2 === 0);
  for (const [at, url] of urls.entries()) {
    const kind = Number(Object.hasOwn(kinds, url) ? kinds[url] : 0);
    built.count(built.url(url, kind), Number(scores[2 * at + 1]) / unit);
  }
  const stored = new Set(urls);
  /** The index of a URL. One that was added meanwhile gets its kind and accesses from the news. */
  const indexOf = (url = '') => built.url(url, 0);
  const ticks = new Map<string, number>();
  for (let start = 0; start < urls.length; start += urlsAtOnce) {
    const some = urls.slice(start, start + urlsAtOnce);
    const replies = (await steadily(client, keys, (reads) => {
      for (let graph = 0; graph < meta.graphs; graph++) {
        reads.hmget(keys.seen(graph), ...some).hmget(keys.clients(era, graph), ...some);
        for (const url of some) reads.zrange(keys.arc(graph, url), 0, '-1', 'REV', 'WITHSCORES');
      }
    })) as (string | null)[][];
    const [generation, forgotten, tick] = replies.shift() ?? [];
    if (generation !== meta.generation || Number(forgotten) !== meta.forgotten) {
      throw new Error('its graph was lost or replaced while it was read');
    }
    const isLate = Number(tick) > meta.tick;
    if (isLate) for (const url of some) ticks.set(url, Number(tick));
    for (let graph = 0; graph < meta.graphs; graph++) {
      const [seens, clients, ...rows] = replies.splice(0, 2 + some.length);
      for (const [nth, arcs] of rows.entries()) {
        const [seenOf, clientsOf] = [rowOf<number>(seens?.[nth]), rowOf<number[]>(clients?.[nth])];
        for (let at = 0; at < arcs.length; at += 2) {
          const to = arcs[at] as string;
          if (!isLate && !stored.has(to)) continue; // the URL is too weak to be kept
          const [prints, seen] = [clientsOf.get(to) ?? [], seenOf.get(to) ?? 0];
          // A number not above that of the current fingerprints counts only these, not the clients of an earlier era.
          const earlier = seen % neverNext <= prints.length ? seen & neverNext : seen;
          const arc = { count: Number(arcs[at + 1]) / unit, clients: prints, seen: earlier };
          built.arc(graph, indexOf(some[nth]), indexOf(to), arc);
        }
      }
    }
  }
  return { delta: built.delta(), meta, ticks };
}

/** Parses a list of URLs, each followed by its value. */
function rowOf<Value>(text: string | null | undefined): Map<string, Value> {
  const list = JSON.parse(text ?? '[]');
  const row = new Map<string, Value>();
  for (let at = 0; at < list.length; at += 2) row.set(list[at], list[at + 1]);
  return row;
}

/** Reads again until `generation`, `forgotten` and `tick` stayed the same. @returns these, and the replies */
async function steadily(client: RedisClient, keys: RedisKeys, ask: (reads: Pipeline) => void) {
  for (let attempt = 0; attempt < tries; attempt++) {
    const look = (reads: Pipeline) => reads.hmget(keys.meta, 'generation', 'forgotten', 'tick');
    const reads = client.pipeline();
    look(reads);
    ask(reads);
    look(reads);
    const replies = await inOne(reads);
    const after = replies.pop();
    if (String(replies[0]) === String(after)) return replies;
  }
  throw new Error('it is written to all the time');
}

/** The replies to all commands of a pipeline. */
export async function inOne(commands: Pipeline): Promise<unknown[]> {
  const results = (await commands.exec()) ?? [];
  return results.map(([error, reply]) => {
    if (error !== null) throw error;
    return reply;
  });
}
