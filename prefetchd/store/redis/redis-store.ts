// A graph in Redis or Valkey that several nodes learn together. In one round trip, a node adds what it learned and
// reads what the others added; a script makes each addition atomic (flush-script.ts, keys.ts).
//
// Guarantees: an addition counts once, even if its reply was lost and the addition is sent again. No call hangs on an
// unresponsive Redis (link.ts). If Redis lost its data, or all data since a snapshot, each node gives its whole graph:
// every count is raised to the largest that any node has, then all nodes load the result.
//
// Limit: of two nodes' counts for the same link in the second before Redis lost its data, only the larger is left.

import { randomBytes, randomUUID } from 'node:crypto';
import { PrefetchdError, type PrefetchdErrorCode } from '../../errors.ts';
import { DeltaBuilder } from '../../model/delta/delta-builder.ts';
import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import { isOver, type Salt } from '../../model/salt.ts';
import { checkDelta } from '../delta-rows.ts';
import type { GraphStore, StoreIdentity, StoreNeed } from '../graph-store.ts';
import { checkSamePredictor } from '../same-predictor.ts';
import {
  checkStoreOptions,
  isTooMuch,
  type StoreOptions,
  type StoreSettings,
} from '../store-options.ts';
import { deltaOfText, partsOf, textOfDelta } from './delta-text.ts';
import { forget, prune } from './drop.ts';
import { type RedisKeys, redisKeys } from './keys.ts';
import { type RedisClient, RedisLink, type RedisLinkOptions } from './link.ts';
import { redisPlace } from './location.ts';
import { inOne, metaOf, type RedisMeta, readGraph, unknownFormat } from './read-graph.ts';
import { saltOfText, sharedSalt } from './shared-salt.ts';

export interface RedisStoreOptions extends StoreOptions, Partial<RedisLinkOptions> {
  /** How long the news is kept for other nodes, ms: several polling intervals. A node that is further behind loads
   *  the whole graph. */
  newsLifeMs?: number;
}

const linkDefaults: RedisLinkOptions = {
  timeoutMs: 1000,
  retryMs: 250,
  maxRetryMs: 10_000,
  clock: () => performance.now(),
  random: Math.random,
};
const defaultNewsLifeMs = 60_000;
/** How long the salt that was read with the last `add` is used, and fingerprints of an era that is over are kept. */
const minuteMs = 60_000;

/** How much of the graph the model of this node has: all additions up to number `tick`. */
interface NewsPosition {
  /** Random name of the graph (flush-script.ts); '' if no graph is known. */
  generation: string;
  forgotten: number;
  tick: number;
  /** Id of the addition's entry in the news. */
  id: string;
}

/** Arguments of the script, see flush-script.ts. */
interface ScriptOptions {
  /** Number of an addition, which counts once; 0 for a change that may be sent again. */
  number?: number;
  mode?: 'add' | 'raise' | 'drop';
  place?: NewsPosition;
}

/** An entry of the news: its id, and the names and values of its fields in turn (flush-script.ts). */
type NewsEntry = [id: string, fields: string[]];

export class RedisStore implements GraphStore {
  readonly name: string;
  readonly isShared = true;
  /** An addition of this many arcs takes Redis some ten milliseconds. */
  readonly mostAtOnce = 1000;
  readonly #options: StoreSettings & { newsLifeMs: number };
  readonly #link: RedisLink;
  readonly #keys: RedisKeys;
  readonly #node = randomBytes(9).toString('base64url');
  #need: StoreNeed = null;
  #place: NewsPosition = { generation: '', forgotten: 0, tick: 0, id: '0-0' };
  /** For URLs whose arcs were loaded late, the last addition in them (read-graph.ts). */
  #ticks: ReadonlyMap<string, number> = new Map();
  /** Numbers of the deltas that were sent and may have arrived. */
  readonly #numbers = new WeakMap<GraphDelta, number>();
  #lastNumber = 0;
  #salt: { salt: Salt; atMs: number } | null = null;
  #saltLifeMs = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | null = null;

  /** Connects on the first call. @throws PrefetchdError `invalid-option` */
  constructor(url: string, options: RedisStoreOptions = {}) {
    const place = redisPlace(url);
    this.name = place.name;
    const { newsLifeMs = defaultNewsLifeMs } = options;
    this.#options = { ...checkStoreOptions(options), newsLifeMs };
    this.#link = new RedisLink(place, { ...linkDefaults, ...options });
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
      if (graph === null) return null; // if a graph was known, the next `add` finds that it is lost
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
    checkDelta(delta);
    const earlier = this.#numbers.get(delta);
    const number = earlier ?? ++this.#lastNumber;
    this.#numbers.set(delta, number);
    const { status, graph, entries, age, size } = await this.#send(client, delta, nowMs, {
      number,
    });
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
    if (isTooMuch(this.#options, { ...size, graphs: delta.graphs.length })) {
      // If pruning fails, it is tried again after the next addition.
      this.#inTurn('store-unwritable', (client) =>
        prune(client, this.#keys, this.#options, (...gone) => this.#drop(client, ...gone)),
      ).catch(() => {});
    }
    return this.#need === 'load' ? [] : this.#read(entries, { ...delta, age, tick: graph.tick });
  }

  #read(
    entries: readonly NewsEntry[],
    now: { predictor: string; age: number; tick: number },
  ): GraphDelta[] {
    const deltas: GraphDelta[] = [];
    for (const [id, [, node, , age, , window, , delta = '']] of entries) {
      const tick = Number(id.split('-')[1]);
      const isOwn = node === this.#node;
      if (tick !== this.#place.tick + 1 || (delta === '' && !isOwn)) {
        this.#need = 'load';
        return [];
      }
      this.#place = { ...this.#place, tick, id };
      if (isOwn) continue;
      const news = deltaOfText(delta, now.predictor, Number(window), 2 ** (Number(age) - now.age));
      const isRead = (url = 0) => tick <= (this.#ticks.get(news.urls[url] as string) ?? 0);
      for (const { from, counts } of news.graphs) {
        from.forEach((url, arc) => {
          if (isRead(url)) counts[arc] = 0;
        });
      }
      deltas.push(news);
    }
    if (this.#place.tick < now.tick) this.#need = 'load'; // an entry expired unread
    return this.#need === null ? deltas : [];
  }

  /** Adds the news, which other nodes cannot have, then raises every count to that of the whole graph, which includes
   *  the news. After an error, pass the same graph again. */
  restore(whole: GraphDelta, nowMs: number, news: readonly GraphDelta[] = []): Promise<void> {
    return this.#inTurn('store-unwritable', async (client) => {
      if (this.#need !== 'whole') return;
      const nothing = new DeltaBuilder(whole, whole.graphs.length).delta();
      const nowhere = { ...this.#place, generation: '' };
      const { graph, isFounded } = await this.#send(client, nothing, nowMs, { place: nowhere });
      this.#place = graph;
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
      this.#need = isFounded ? null : 'load';
    });
  }

  salt(nowMs: number, lifeMs: number, own?: Salt): Promise<Salt> {
    return this.#inTurn('store-unwritable', async (client) => {
      this.#saltLifeMs = lifeMs;
      const read = this.#salt;
      const ageMs = nowMs - (read?.atMs ?? Number.NaN);
      const isFresh = read !== null && ageMs >= 0 && ageMs < minuteMs;
      if (isFresh && !isOver(read.salt, nowMs, lifeMs)) return read.salt;
      const salt = await sharedSalt(client, this.#keys.salt, { nowMs, lifeMs, own });
      this.#salt = { salt, atMs: nowMs };
      return salt;
    });
  }

  forget(url: string): Promise<number> {
    return this.#inTurn('store-unwritable', (client) =>
      forget(client, this.#keys, url, (...gone) => this.#drop(client, ...gone)),
    );
  }

  close(): Promise<void> {
    this.#closing ??= this.#turn.then(() => this.#link.close());
    return this.#closing;
  }

  async #drop(client: RedisClient, gone: GraphDelta, meta: RedisMeta): Promise<void> {
    for (const part of partsOf(gone)) {
      await this.#send(client, part, meta.asOfMs, { mode: 'drop', place: meta });
    }
  }

  async #send(
    client: RedisClient,
    delta: GraphDelta,
    nowMs: number,
    { number = 0, mode = 'add', place = this.#place }: ScriptOptions,
  ) {
    const keys = this.#keys;
    const { halfLifeMs, maxArcsPerUrl, newsLifeMs } = this.#options;
    const fresh = randomUUID();
    const { salt } = this.#salt ?? {};
    const isPresent = salt !== undefined && salt.era === delta.era;
    const ask = {
      ...{ mode, number, nowMs, node: this.#node, fresh, maxArcsPerUrl, newsLifeMs },
      ...{ generation: place.generation, forgotten: place.forgotten },
      ...{ predictor: delta.predictor, window: delta.window },
      ...(halfLifeMs !== null && { halfLifeMs }),
      clientsLifeMs: isPresent
        ? Math.max(1, Math.ceil(salt.madeMs + this.#saltLifeMs - nowMs))
        : minuteMs,
    };
    const commands = client
      .pipeline()
      .flushGraph(
        ...[keys.meta, keys.url, keys.kind, keys.news, keys.flush(this.#node)],
        ...[JSON.stringify(ask), textOfDelta(delta)],
      )
      .getBuffer(keys.salt);
    if (number > 0) commands.xrange(keys.news, `(${place.id}`, '+');
    const replies = (await inOne(commands)) as [string[], Buffer | null, NewsEntry[]];
    const [reply, text, entries = []] = replies;
    const [status, name = '', forgotten, tick, id = '', age, arcs, nodes] = reply;
    if (status === 'format') throw unknownFormat(name);
    if (status === 'predictor') {
      checkSamePredictor(this.name, { predictor: name, graphs: Number(forgotten) }, delta);
    }
    this.#salt = text && { salt: saltOfText(text), atMs: nowMs };
    return {
      status,
      graph: { generation: name, forgotten: Number(forgotten), tick: Number(tick), id },
      isFounded: name === fresh,
      age: Number(age),
      size: { arcs: Number(arcs), nodes: Number(nodes) },
      entries,
    };
  }

  #inTurn<Result>(
    code: PrefetchdErrorCode,
    work: (client: RedisClient) => Promise<Result>,
  ): Promise<Result> {
    if (this.#closing !== null) {
      return Promise.reject(new PrefetchdError(code, `${this.name} is closed`));
    }
    const turn = this.#turn.then(() => this.#link.call(code, work));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  #error(why: string): PrefetchdError {
    return new PrefetchdError('store-unwritable', `${this.name} ${why}`);
  }
}
