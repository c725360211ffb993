// Stores a graph in Redis or Valkey that several processes learn together; each is a node. In one round trip, a node
// adds what it learned, and reads the salt and what the others added; a script makes each addition atomic
// (flush-script.ts, keys.ts).
//
// Guarantees: an addition counts once, even if its reply was lost and the addition is sent again. No call hangs on an
// unresponsive Redis (connection.ts). If Redis lost its data, or all data since a snapshot, each node gives its whole
// graph: every count is raised to the largest that any node has, then all nodes load the result.
//
// One thing is lost: of two nodes' counts for a link in the second before Redis lost its data, only the larger is left.

import { randomBytes, randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { PrefetchdError } from '../../errors.ts';
import { DeltaBuilder } from '../../model/delta/delta-builder.ts';
import type { GraphDelta, UrlDelta } from '../../model/delta/graph-delta.ts';
import { isOver, newSalt, type Salt, saltOf } from '../../model/salt.ts';
import { checkAddition, checkSamePredictor, digestOf } from '../addition.ts';
import type { GraphParts, GraphStore, StoreIdentity, StoreNeed } from '../graph-store.ts';
import { checkStoreOptions, type StoreOptions, type StoreSettings } from '../store-options.ts';
import { inOne, RedisConnection } from './connection.ts';
import { flushScript } from './flush-script.ts';
import { type RedisKeys, redisKeys } from './keys.ts';
import { redisPlace } from './location.ts';
import { metaOf, type RedisMeta, readGraph } from './read-graph.ts';

export interface RedisStoreOptions extends StoreOptions {
  /** How long the stream `news`, the log of recent additions, is kept for the other processes to read, ms: several
   *  polling intervals. A process that is further behind loads the whole graph. */
  newsLifeMs?: number;
  /** Longest wait for a reply, ms. */
  timeoutMs?: number;
}

/** How long Redis keeps the number of a process's last addition, and the name of an import, seconds, so that their
 *  repetition does not count. The value of an import is its digest while it is being added, then `allAdded`. */
const [flushLifeS, importLifeS] = [7 * 24 * 60 * 60, 400 * 24 * 60 * 60];
const allAdded = 'added';

/** Limit on the URLs, and on the arcs, that one call of the Lua script changes: some ten milliseconds of Redis. */
const partSize = 1000;

/** The fields of a request to the Lua script, where they differ from those that `#send` sends with every request. */
type Change = Partial<
  Record<'forget' | 'generation' | 'node', string> & Record<'number' | 'keptS', number>
>;

export class RedisStore implements GraphStore {
  readonly name: string;
  readonly isShared = true;
  readonly mostAtOnce = partSize;
  readonly #options: StoreSettings & { newsLifeMs: number };
  readonly #connection: RedisConnection;
  readonly #keys: RedisKeys;
  readonly #node = randomBytes(9).toString('base64url');
  need: StoreNeed = null;
  /** How far this process has read the stored graph (its random name is `generation`): up to addition number `tick`,
   *  whose entry in the stream `news` has the time `newsMs`. */
  #place = { generation: '', tick: 0, newsMs: 0 };
  /** For URLs whose arcs were loaded later than the rest: the number of the last addition that these arcs contain. */
  #ticks: ReadonlyMap<string, number> = new Map();
  /** For each delta that was sent and may have arrived, its number, by which Redis recognises a repetition. */
  readonly #numbers = new WeakMap<GraphDelta, number>();
  #lastNumber = 0;
  #salt: Salt | null = null;
  /** The salt that came with the last addition, and answers the next question for it; null: Redis is asked. */
  #read: Salt | null = null;

  /** Connects on the first call. @throws PrefetchdError `invalid-option` */
  constructor(url: string, options: RedisStoreOptions = {}) {
    const place = redisPlace(url);
    this.name = place.name;
    const { newsLifeMs = 60_000, timeoutMs = 1000 } = options;
    this.#options = { ...checkStoreOptions(options), newsLifeMs };
    this.#connection = new RedisConnection(place, timeoutMs);
    this.#keys = redisKeys(place.prefix);
  }

  identity(): Promise<StoreIdentity | null> {
    return this.#connection.call('store-unreadable', async (client) => {
      const meta = metaOf(await client.hgetall(this.#keys('meta')));
      return meta && { predictor: meta.predictor, window: meta.window };
    });
  }

  load(nowMs: number, parts: GraphParts): Promise<boolean> {
    return this.#connection.call('store-unreadable', async (client) => {
      const options = { ...this.#options, nowMs, era: this.#salt?.era };
      const graph = await readGraph(client, this.#keys, options);
      this.need = null;
      if (graph === null) return false; // if a graph was known before, the next `add` finds that it is lost
      [this.#place, this.#ticks] = [graph.meta, graph.ticks];
      parts.begin(graph.delta, graph.delta.graphs.length);
      for (const [at, arcs] of graph.delta.graphs.entries()) parts.arcs(at, arcs);
      return true;
    });
  }

  add(delta: GraphDelta, nowMs: number): Promise<GraphDelta[]> {
    return this.#connection.call('store-unwritable', async (client) => {
      if (this.need === 'whole') {
        throw this.#error('lost its data; this process must restore its whole graph first');
      }
      checkAddition(delta, this.name, null);
      const earlier = this.#numbers.get(delta);
      const number = earlier ?? ++this.#lastNumber;
      this.#numbers.set(delta, number);
      const { status, meta, ...found } = await this.#send(client, delta, nowMs, { number });
      const isRefused = status === 'lost' || status === 'forgotten';
      if (isRefused && earlier === undefined) this.#numbers.delete(delta); // the delta was not added
      // A lower number of additions than this process has read means that Redis was restored to an earlier state.
      if (isRefused || meta === null || meta.tick < this.#place.tick) {
        this.need = status === 'forgotten' ? 'forget' : 'whole';
        return [];
      }
      this.#numbers.delete(delta);
      this.#place = { ...this.#place, generation: found.generation };
      return this.need === 'load' ? [] : this.#heard(found.entries, meta);
    });
  }

  /** Adds the delta in numbered parts. Under the name of the import Redis keeps the number of the last part, so each
   *  counts once, and a later call goes on where one was interrupted. */
  addOnce(delta: GraphDelta, nowMs: number, name: string): Promise<boolean> {
    return this.#connection.call('store-unwritable', async (client) => {
      checkAddition(delta, this.name, null);
      const [key, digest] = [this.#keys('import', name), digestOf(delta)];
      await client.set(key, digest, 'EX', importLifeS, 'NX');
      const begun = await client.get(key);
      if (begun === allAdded) return false;
      if (begun !== digest) {
        throw this.#error(`has a part of another file as ${name}; give that file again`);
      }
      const once = { node: `import:${name}`, generation: '', keptS: importLifeS };
      let number = 0;
      for (const part of partsOf(delta)) {
        await this.#send(client, part, nowMs, { ...once, number: ++number });
      }
      await client.set(key, allAdded, 'EX', importLifeS);
      return true;
    });
  }

  /**
   * Returns what other processes added, by new entries of the stream `news`; if one is missing, the graph is reloaded.
   * @param entries Each has an id, and the names and values of its fields in turn (flush-script.ts)
   */
  #heard(entries: [id: string, fields: string[]][], now: RedisMeta): GraphDelta[] {
    const deltas: GraphDelta[] = [];
    for (const [id, [, node, , age, , text = '']] of entries) {
      const [newsMs = 0, tick = 0] = id.split('-').map(Number);
      const isOwn = node === this.#node;
      if (tick !== this.#place.tick + 1 || (text === '' && !isOwn)) {
        this.need = 'load';
        return [];
      }
      this.#place = { ...this.#place, tick, newsMs };
      if (!isOwn) deltas.push(this.#deltaOf(text, tick, 2 ** (Number(age) - now.age)));
    }
    if (this.#place.tick < now.tick) this.need = 'load'; // an entry of `news` expired unread
    return this.need === null ? deltas : [];
  }

  /** Reads the delta in another process's addition. @param worth What a count of 1 in that addition is worth now, as it
   *  has aged */
  #deltaOf(text: string, tick: number, worth: number): GraphDelta {
    const delta = JSON.parse(text) as GraphDelta;
    for (const url of delta.urls) url.accesses *= worth;
    for (const arc of delta.graphs.flat()) {
      const isRead = tick <= (this.#ticks.get(delta.urls[arc.from]?.url ?? '') ?? 0);
      arc.count = isRead ? 0 : arc.count * worth;
    }
    return delta;
  }

  /** Gives Redis, which lost its graph, that of this process: adds the deltas `news`, which only this process has, then
   *  raises every count to that of `whole`, which includes `news`. After an error, pass the same graph again. */
  restore(whole: GraphDelta, nowMs: number, news: readonly GraphDelta[] = []): Promise<void> {
    return this.#connection.call('store-unwritable', async (client) => {
      if (this.need !== 'whole') return;
      const nothing = new DeltaBuilder(whole, whole.graphs.length).delta();
      const { generation } = await this.#send(client, nothing, nowMs, { generation: '' });
      this.#place = { generation, tick: 0, newsMs: 0 };
      const send = async (delta: GraphDelta, number = 0) => {
        const { status } = await this.#send(client, delta, nowMs, { number });
        if (status !== 'added') throw this.#error('lost the graph again while it was restored');
      };
      for (const delta of news) {
        if (this.#numbers.has(delta)) continue;
        this.#numbers.set(delta, ++this.#lastNumber);
        await send(delta, this.#lastNumber);
      }
      for (const part of partsOf(whole)) await send(part);
      this.need = 'load';
    });
  }

  /** Returns the current salt. If several processes replace it at once, the last new salt prevails, and the others read
   *  that with their next addition. */
  salt(nowMs: number, lifeMs: number, own?: Salt): Promise<Salt> {
    return this.#connection.call('store-unwritable', async (client) => {
      const key = this.#keys('salt');
      let salt = this.#read;
      this.#read = null;
      if (salt === null || isOver(salt, nowMs, lifeMs)) salt = saltOfText(await client.get(key));
      if (salt === null || isOver(salt, nowMs, lifeMs)) {
        const next = (salt === null && own) || newSalt(nowMs);
        const leftMs = Math.max(1, Math.ceil(Math.min(lifeMs, next.madeMs + lifeMs - nowMs)));
        const text = `${next.madeMs} ${Buffer.from(next.bytes).toString('hex')} ${next.era}`;
        if (salt !== null) await client.set(key, text, 'PX', leftMs);
        else await client.set(key, text, 'PX', leftMs, 'NX');
        salt = saltOfText(await client.get(key)) ?? next;
      }
      this.#salt = salt;
      return salt;
    });
  }

  forget(url: string): Promise<number> {
    return this.#connection.call('store-unwritable', async (client) => {
      const meta = metaOf(await client.hgetall(this.#keys('meta')));
      if (meta === null) return 0;
      const nothing = new DeltaBuilder({ ...meta, era: 0 }, meta.graphs).delta();
      return (await this.#send(client, nothing, meta.asOfMs, { forget: url, generation: '' })).gone;
    });
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** Runs the Lua script (flush-script.ts), then reads `meta` (the state of the stored graph), the salt and, for an
   *  addition of this process, the new entries of the stream `news`. */
  async #send(client: Redis, delta: GraphDelta, nowMs: number, change: Change) {
    const keys = this.#keys;
    const { generation, tick, newsMs } = this.#place;
    const own = { generation, node: this.#node, number: 0, keptS: flushLifeS, ...change };
    const halfLifeMs = this.#options.halfLifeMs ?? undefined; // Lua would take a null for true
    const ask = { ...this.#options, halfLifeMs, nowMs, fresh: randomUUID(), ...own };
    const text = JSON.stringify(delta, (_, value) => value?.toWellFormed?.() ?? value);
    const commands = client.pipeline();
    commands.eval(flushScript, 1, keys('meta'), JSON.stringify(ask), text);
    commands.hgetall(keys('meta')).get(keys('salt'));
    const isAddition = ask.number > 0 && ask.node === this.#node;
    if (isAddition) commands.xrange(keys('news'), `(${newsMs}-${tick}`, '+');
    const [reply, fields, salt, news] = await inOne(commands);
    this.#read = saltOfText(salt as string | null);
    const [status, stored = '', gone = 0] = reply as [string, string?, number?];
    const meta = metaOf(fields as Record<string, string>);
    if (meta !== null) checkSamePredictor(delta, this.name, meta);
    const entries = (news ?? []) as [id: string, fields: string[]][];
    return { status, generation: stored, gone, meta, entries };
  }

  #error(why: string): PrefetchdError {
    return new PrefetchdError('store-unwritable', `${this.name} ${why}`);
  }
}

function saltOfText(text: string | null): Salt | null {
  const [madeMs, bytes = ''] = text?.split(' ') ?? [];
  return madeMs === undefined ? null : saltOf(Buffer.from(bytes, 'hex'), Number(madeMs));
}

/** Splits a large delta into parts, each with the accesses of at most 1000 URLs and at most 1000 arcs of each graph. */
function* partsOf(delta: GraphDelta): Generator<GraphDelta> {
  const { urls, graphs } = delta;
  const longest = Math.max(urls.length, ...graphs.map(({ length }) => length));
  for (let start = 0; start < longest; start += partSize) {
    const part = new DeltaBuilder(delta, graphs.length);
    const indexOf = ({ url, kind }: UrlDelta) => part.url(url, kind);
    for (const url of urls.slice(start, start + partSize)) part.count(indexOf(url), url.accesses);
    for (const [graph, arcs] of graphs.entries()) {
      for (const { from, to, ...arc } of arcs.slice(start, start + partSize)) {
        const [source, target] = [urls[from], urls[to]] as [UrlDelta, UrlDelta];
        part.arc(graph, indexOf(source), indexOf(target), arc);
      }
    }
    yield part.delta();
  }
}
