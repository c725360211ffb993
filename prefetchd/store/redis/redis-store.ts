// Stores a graph in Redis or Valkey that several nodes learn together. In one round trip, a node adds what it learned
// and reads what the others added; a script makes each addition atomic (flush-script.ts, keys.ts).
//
// Guarantees: an addition counts once, even if its reply was lost and the addition is sent again. No call hangs on an
// unresponsive Redis (connection.ts). If Redis lost its data, or all data since a snapshot, each node gives its whole
// graph: every count is raised to the largest that any node has, then all nodes load the result.
//
// One thing is lost: of two nodes' counts for a link in the second before Redis lost its data, only the larger is left.

import { randomBytes, randomUUID } from 'node:crypto';
import { PrefetchdError, type PrefetchdErrorCode } from '../../errors.ts';
import { DeltaBuilder } from '../../model/delta/delta-builder.ts';
import type { GraphDelta, UrlDelta } from '../../model/delta/graph-delta.ts';
import type { Salt } from '../../model/salt.ts';
import { checkAddition, checkSamePredictor } from '../addition.ts';
import type { GraphStore, StoreIdentity, StoreNeed } from '../graph-store.ts';
import { checkStoreOptions, type StoreOptions, type StoreSettings } from '../store-options.ts';
import { type RedisClient, RedisConnection, type RedisConnectionOptions } from './connection.ts';
import { type RedisKeys, redisKeys } from './keys.ts';
import { redisPlace } from './location.ts';
import { inOne, metaOf, readGraph, unknownFormat } from './read-graph.ts';
import { sharedSalt } from './shared-salt.ts';

export interface RedisStoreOptions extends StoreOptions, RedisConnectionOptions {
  /** How long the news is kept for other nodes, ms: several polling intervals. A node that is further behind loads
   *  the whole graph. */
  newsLifeMs?: number;
}

const defaultNewsLifeMs = 60_000;
/** How long fingerprints of an era are kept after its end. */
const minuteMs = 60_000;
/** Limit on the URLs, and on the arcs, that one call of the script changes. */
const partSize = 1000;

/** How much of the graph the model of this node has: all additions up to number `tick`. */
interface NewsPosition {
  /** Random name of the graph (flush-script.ts); '' if no graph is known. */
  generation: string;
  forgotten: number;
  tick: number;
  /** Id of the entry of addition `tick` in the news. */
  id: string;
}

/** Arguments of the script, see flush-script.ts. */
interface ScriptOptions {
  /** Number of an addition, which counts once; 0 for a change that may be sent again. */
  number?: number;
  mode?: 'add' | 'raise' | 'forget';
  /** The URL to forget. */
  forget?: string;
  place?: NewsPosition;
}

/** An entry of the news: its id, and the names and values of its fields in turn (flush-script.ts). */
type NewsEntry = [id: string, fields: string[]];

export class RedisStore implements GraphStore {
  readonly name: string;
  readonly isShared = true;
  /** An addition of this many arcs takes Redis some ten milliseconds. */
  readonly mostAtOnce = partSize;
  readonly #options: StoreSettings & { newsLifeMs: number };
  readonly #connection: RedisConnection;
  readonly #keys: RedisKeys;
  readonly #node = randomBytes(9).toString('base64url');
  #need: StoreNeed = null;
  #place: NewsPosition = { generation: '', forgotten: 0, tick: 0, id: '0-0' };
  /** For URLs whose arcs were loaded late, the number of the last addition in them (read-graph.ts). */
  #ticks: ReadonlyMap<string, number> = new Map();
  /** Numbers of the deltas that were sent and may have arrived. */
  readonly #numbers = new WeakMap<GraphDelta, number>();
  #lastNumber = 0;
  #salt: Salt | null = null;
  #saltLifeMs = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | null = null;

  /** Connects on the first call. @throws PrefetchdError `invalid-option` */
  constructor(url: string, options: RedisStoreOptions = {}) {
    const place = redisPlace(url);
    this.name = place.name;
    const { newsLifeMs = defaultNewsLifeMs } = options;
    this.#options = { ...checkStoreOptions(options), newsLifeMs };
    this.#connection = new RedisConnection(place, options);
    this.#keys = redisKeys(place.prefix);
  }

  get need(): StoreNeed {
    return this.#need;
  }

  identity(): Promise<StoreIdentity | null> {
    return this.#inTurn('store-unreadable', async (client) => {
      const meta = metaOf(await client.hgetall(this.#keys.meta));
      return meta && { predictor: meta.predictor, window: meta.window };
    });
  }

  load(nowMs: number): Promise<GraphDelta | null> {
    return this.#inTurn('store-unreadable', async (client) => {
      const graph = await readGraph(client, this.#keys, { nowMs, ...this.#options });
      if (this.#need === 'whole') return graph?.delta ?? null;
      this.#need = null;
      if (graph === null) return null; // if a graph was known before, the next `add` finds that it is lost
      this.#place = graph.meta;
      this.#ticks = graph.ticks;
      return graph.delta;
    });
  }

  add(delta: GraphDelta, nowMs: number): Promise<GraphDelta[]> {
    return this.#inTurn('store-unwritable', async (client) => {
      if (this.#need === 'whole') {
        throw this.#error('lost its data; this process must restore its whole graph first');
      }
      const others = await this.#add(client, delta, nowMs);
      if (this.need !== 'whole') this.#numbers.delete(delta);
      return others;
    });
  }

  async #add(client: RedisClient, delta: GraphDelta, nowMs: number): Promise<GraphDelta[]> {
    checkAddition(delta, this.name, null);
    const earlier = this.#numbers.get(delta);
    const number = earlier ?? ++this.#lastNumber;
    this.#numbers.set(delta, number);
    const sent = await this.#send(client, delta, nowMs, { number });
    const { status, graph, entries, age } = sent;
    if (status === 'lost' || status === 'forgotten') {
      if (earlier === undefined) this.#numbers.delete(delta); // the delta was not added
      this.#need = status === 'lost' ? 'whole' : 'forget';
      return [];
    }
    if (graph.tick < this.#place.tick) {
      this.#need = 'whole'; // Redis was restored to an earlier state
      return [];
    }
    this.#place = { ...graph, tick: this.#place.tick, id: this.#place.id };
    return this.#need === 'load' ? [] : this.#read(entries, { age, tick: graph.tick });
  }

  #read(entries: readonly NewsEntry[], now: { age: number; tick: number }): GraphDelta[] {
    const deltas: GraphDelta[] = [];
    for (const [id, [, node, , age, , text = '']] of entries) {
      const tick = Number(id.split('-')[1]);
      const isOwn = node === this.#node;
      if (tick !== this.#place.tick + 1 || (text === '' && !isOwn)) {
        this.#need = 'load';
        return [];
      }
      this.#place = { ...this.#place, tick, id };
      if (!isOwn) deltas.push(this.#heard(text, tick, 2 ** (Number(age) - now.age)));
    }
    if (this.#place.tick < now.tick) this.#need = 'load'; // an entry expired unread
    return this.#need === null ? deltas : [];
  }

  /** The delta in another node's addition. @param worth what its counts are worth now, because they have aged */
  #heard(text: string, tick: number, worth: number): GraphDelta {
    const delta = JSON.parse(text) as GraphDelta;
    for (const url of delta.urls) url.accesses *= worth;
    for (const arc of delta.graphs.flat()) {
      const isRead = tick <= (this.#ticks.get(delta.urls[arc.from]?.url ?? '') ?? 0);
      arc.count = isRead ? 0 : arc.count * worth;
    }
    return delta;
  }

  /** Adds the news, which other nodes cannot have, then raises every count to that of the whole graph, which includes
   *  the news. After an error, pass the same graph again. */
  restore(whole: GraphDelta, nowMs: number, news: readonly GraphDelta[] = []): Promise<void> {
    return this.#inTurn('store-unwritable', async (client) => {
      if (this.#need !== 'whole') return;
      const nothing = { ...whole, urls: [], graphs: whole.graphs.map(() => []) };
      const place = { ...this.#place, generation: '' };
      this.#place = (await this.#send(client, nothing, nowMs, { place })).graph;
      const give = async (delta: GraphDelta, options: ScriptOptions) => {
        const { status } = await this.#send(client, delta, nowMs, options);
        if (status === 'added') return;
        throw this.#error('lost the graph again, or URLs of it, while it was restored');
      };
      for (const delta of news) {
        if (this.#numbers.has(delta)) continue;
        this.#numbers.set(delta, ++this.#lastNumber);
        await give(delta, { number: this.#lastNumber });
      }
      for (const part of partsOf(whole)) await give(part, { mode: 'raise' });
      for (const delta of news) this.#numbers.delete(delta);
      this.#need = 'load';
    });
  }

  salt(nowMs: number, lifeMs: number, own?: Salt): Promise<Salt> {
    return this.#inTurn('store-unwritable', async (client) => {
      this.#saltLifeMs = lifeMs;
      this.#salt = await sharedSalt(client, this.#keys.salt, { nowMs, lifeMs, own });
      return this.#salt;
    });
  }

  forget(url: string): Promise<number> {
    return this.#inTurn('store-unwritable', async (client) => {
      const place = metaOf(await client.hgetall(this.#keys.meta));
      if (place === null) return 0;
      const graphs = Array.from({ length: place.graphs }, () => []);
      const nothing = { ...place, era: 0, urls: [], graphs };
      const options = { mode: 'forget', forget: url, place } as const;
      const { status, gone } = await this.#send(client, nothing, place.asOfMs, options);
      if (status !== 'added') throw this.#error('was changed meanwhile; call again');
      return gone;
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#turn.then(() => this.#connection.close());
    return this.#closing;
  }

  async #send(
    client: RedisClient,
    delta: GraphDelta,
    nowMs: number,
    { number = 0, mode = 'add', forget = '', place = this.#place }: ScriptOptions,
  ) {
    const keys = this.#keys;
    const { halfLifeMs, ...options } = this.#options;
    const saltLeftMs = (this.#salt?.madeMs ?? 0) + this.#saltLifeMs - nowMs;
    const isPresent = this.#salt?.era === delta.era;
    const ask = {
      ...{ ...options, mode, number, forget, nowMs, node: this.#node, fresh: randomUUID() },
      ...{ generation: place.generation, forgotten: place.forgotten },
      ...(halfLifeMs !== null && { halfLifeMs }),
      clientsLifeMs: isPresent ? Math.max(1, Math.ceil(saltLeftMs)) : minuteMs,
    };
    const commands = client
      .pipeline()
      .flushGraph(
        ...[keys.meta, keys.url, keys.kind, keys.news, keys.flush(this.#node)],
        ...[JSON.stringify(ask), textOfDelta(delta)],
      );
    if (number > 0) commands.xrange(keys.news, `(${place.id}`, '+');
    const [reply, entries = []] = (await inOne(commands)) as [string[], NewsEntry[]];
    const [status, name = '', forgotten, tick, id = '', age, gone] = reply;
    if (status === 'format') throw unknownFormat(name);
    if (status === 'predictor') {
      checkSamePredictor(delta, this.name, { predictor: name, graphs: Number(forgotten) });
    }
    return {
      status,
      graph: { generation: name, forgotten: Number(forgotten), tick: Number(tick), id },
      age: Number(age),
      entries,
      gone: Number(gone),
    };
  }

  #inTurn<Result>(
    code: PrefetchdErrorCode,
    work: (client: RedisClient) => Promise<Result>,
  ): Promise<Result> {
    if (this.#closing !== null) {
      return Promise.reject(new PrefetchdError(code, `${this.name} is closed`));
    }
    const turn = this.#turn.then(() => this.#connection.call(code, work));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  #error(why: string): PrefetchdError {
    return new PrefetchdError('store-unwritable', `${this.name} ${why}`);
  }
}

/** A delta as the JSON that the script and the other nodes read. */
function textOfDelta(delta: GraphDelta): string {
  const urls = delta.urls.map((one) => ({ ...one, url: one.url.toWellFormed() }));
  return JSON.stringify({ ...delta, urls });
}

/** Splits a large delta into parts of at most 1000 URLs or arcs each. */
function* partsOf(delta: GraphDelta): Generator<GraphDelta> {
  const { urls, graphs } = delta;
  for (let start = 0; start < urls.length; start += partSize) {
    yield { ...delta, urls: urls.slice(start, start + partSize), graphs: graphs.map(() => []) };
  }
  for (const [graph, arcs] of graphs.entries()) {
    for (let start = 0; start < arcs.length; start += partSize) {
      const part = new DeltaBuilder(delta, graphs.length);
      const indexOf = (at: number) => {
        const { url, kind } = urls[at] as UrlDelta;
        return part.url(url, kind);
      };
      for (const arc of arcs.slice(start, start + partSize)) {
        part.arc(graph, indexOf(arc.from), indexOf(arc.to), arc);
      }
      yield part.delta();
    }
  }
}
