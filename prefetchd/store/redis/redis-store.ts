// A graph in Redis or Valkey, which several nodes learn together. Each adds what it learned, and reads in
// the same round trip what the others added; a script does each addition at once (scripts.ts).
//
// Guarantees: an addition counts once, also when its answer was lost and it is given again. `add` is one round
// trip, however much there is. No call waits for a Redis that is silent (link.ts). When Redis lost
// everything, one node is asked for its whole graph (`need`), and nothing counts twice.
//
// Limit: a delta of more than 1,000 arcs goes in chunks. A node that dies in the midst of them leaves the
// first ones. Of what a node gave in the second before Redis lost everything, so much is missing afterwards as
// it cannot give again, being dead, or having given more than outbox.ts keeps.

import { randomBytes } from 'node:crypto';
import { PrefetchdError, type PrefetchdErrorCode } from '../../errors.ts';
import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import { isOver, newSalt, type Salt } from '../../model/salt.ts';
import type { GraphStore, StoreIdentity } from '../graph-store.ts';
import { checkStoreOptions, type StoreOptions } from '../store-options.ts';
import { type Chunk, wholeFlow } from './flow.ts';
import { forget } from './forget-url.ts';
import { type RedisKeys, redisKeys } from './keys.ts';
import { RedisLink, type RedisLinkOptions } from './link.ts';
import { readMeta, readSnapshot, saltOfText, saltText } from './load-graph.ts';
import { redisPlace } from './location.ts';
import { RedisOutbox } from './outbox.ts';
import { RedisReader } from './reader.ts';
import { roundTrip } from './round-trip.ts';
import { RedisUpkeep } from './upkeep.ts';

export interface RedisStoreOptions extends StoreOptions, Partial<RedisLinkOptions> {
  /** Chunks that a node which is behind finds; one that is further behind loads everything. */
  maxStreamEntries?: number;
  /** How long news waits for other nodes, ms: several times as long as they take to ask. */
  newsLifeMs?: number;
}

const linkDefaults: RedisLinkOptions = {
  timeoutMs: 1000,
  retryMs: 250,
  maxRetryMs: 10_000,
  clock: () => performance.now(),
  random: Math.random,
};
const defaultMaxStreamEntries = 2000;
const defaultNewsLifeMs = 60_000;
/** Chunks of a whole graph in one round trip. */
const chunksAtOnce = 16;
/** A salt that the last `add` read along is good for so long. */
const saltKnownMs = 60_000;

export class RedisStore implements GraphStore {
  readonly name: string;
  readonly #options: Required<StoreOptions> & { maxStreamEntries: number; newsLifeMs: number };
  readonly #link: RedisLink;
  readonly #keys: RedisKeys;
  readonly isShared = true;
  readonly #node = randomBytes(9).toString('base64url');
  readonly #reader: RedisReader;
  readonly #outbox = new RedisOutbox();
  readonly #upkeep: RedisUpkeep;
  /** What is to be given again before anything else. */
  #again: readonly Chunk[] = [];
  /** Another node gives the whole that this one was asked for. */
  #isOutrun = false;
  #saltRead: { salt: Salt; atMs: number } | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | null = null;

  /** Connects when it is first asked for something. @throws PrefetchdError `invalid-option` */
  constructor(url: string, options: RedisStoreOptions = {}) {
    const place = redisPlace(url);
    this.name = place.name;
    this.#options = {
      ...checkStoreOptions(options),
      maxStreamEntries: options.maxStreamEntries ?? defaultMaxStreamEntries,
      newsLifeMs: options.newsLifeMs ?? defaultNewsLifeMs,
    };
    this.#link = new RedisLink(place, { ...linkDefaults, ...options });
    this.#keys = redisKeys(place.prefix);
    this.#reader = new RedisReader(this.#node);
    this.#upkeep = new RedisUpkeep(this.#link, this.#keys, this.#options);
  }

  /** Known after each `add`; graph-store.ts says what the words mean. */
  get need(): 'load' | 'whole' | null {
    return this.#reader.need;
  }

  async identity(): Promise<StoreIdentity | null> {
    this.#checkOpen('store-unreadable');
    const meta = await this.#link.call('store-unreadable', (client) =>
      readMeta(client, this.#keys),
    );
    return meta === null ? null : { predictor: meta.predictor, window: meta.window };
  }

  load(nowMs: number): Promise<GraphDelta | null> {
    return this.#inTurn('store-unreadable', async () => {
      const options = { nowMs, ...this.#options };
      const snapshot = await this.#link.call('store-unreadable', (client) =>
        readSnapshot(client, this.#keys, options),
      );
      this.#reader.loaded(snapshot);
      return snapshot?.delta ?? null;
    });
  }

  add(delta: GraphDelta, nowMs: number): Promise<GraphDelta[]> {
    return this.#inTurn('store-unwritable', async () => {
      if (this.need === 'whole') {
        const why = 'lost what was kept; this process is to give its whole graph first';
        throw new PrefetchdError('store-unwritable', `${this.name} ${why}`);
      }
      const flow = this.#outbox.flowOf(delta, nowMs);
      const give = () => this.#send([...this.#again, ...flow], delta, nowMs);
      let sent = await give();
      if (this.#reader.moved(sent.answers)) {
        this.#again = this.#outbox.recent;
        sent = await give();
        if (this.#reader.moved(sent.answers)) throw this.#lostAgain();
      }
      const { answers, entries } = sent;
      const ageing = { predictor: delta.predictor, nowMs, halfLifeMs: this.#options.halfLifeMs };
      const others = this.#reader.take(answers, entries, ageing);
      if (this.#reader.need !== 'whole') {
        this.#outbox.arrived(delta, nowMs);
        this.#again = [];
      }
      this.#upkeep.added(answers, delta.graphs.length);
      return others;
    });
  }

  /**
   * Give the whole graph to a store that lost it; learning goes on in deltas from the moment at which it was
   * taken. When it throws, give the same again. Nothing happens when `need` is not `whole`. When another
   * node was quicker, its graph gets what of this one is news.
   * @param news what of it was never added, as the delta that was given last: others have not heard of it
   * @throws PrefetchdError `store-unwritable`
   */
  restore(whole: GraphDelta, nowMs: number, news: readonly GraphDelta[] = []): Promise<void> {
    return this.#inTurn('store-unwritable', async () => {
      if (this.need !== 'whole') return;
      const flows = news.flatMap((delta) => this.#outbox.flowOf(delta, nowMs));
      const told = [...this.#outbox.recent, ...flows];
      const chunks = wholeFlow(this.#outbox.flowOf(whole, nowMs), told, nowMs);
      for (let from = 0; from < chunks.length && !this.#isOutrun; from += chunksAtOnce) {
        await this.#give(chunks.slice(from, from + chunksAtOnce), whole, nowMs);
      }
      for (let from = 0; from < told.length && this.#isOutrun; from += chunksAtOnce) {
        await this.#give(told.slice(from, from + chunksAtOnce), whole, nowMs);
      }
      this.#isOutrun = false;
      this.#again = [];
      this.#reader.restored();
      this.#outbox.drop(whole);
      for (const delta of news) this.#outbox.arrived(delta, nowMs);
    });
  }

  /** Of a whole graph, or of what is news of it. */
  async #give(chunks: readonly Chunk[], whole: GraphDelta, nowMs: number): Promise<void> {
    const { answers } = await this.#send(chunks, whole, nowMs);
    const outcome = this.#reader.gave(answers);
    if (outcome === 'given') return;
    const wasOutrun = this.#isOutrun;
    this.#isOutrun = outcome === 'outrun';
    if (!this.#isOutrun || wasOutrun) throw this.#lostAgain();
  }

  #lostAgain(): PrefetchdError {
    const why = 'lost the graph again while it was given';
    return new PrefetchdError('store-unwritable', `${this.name} ${why}`);
  }

  async salt(nowMs: number, lifeMs: number, own?: Salt): Promise<Salt> {
    this.#checkOpen('store-unwritable');
    const salt = await this.#sharedSalt(nowMs, lifeMs, own);
    this.#upkeep.inEra(salt.era, nowMs);
    return salt;
  }

  async #sharedSalt(nowMs: number, lifeMs: number, own?: Salt): Promise<Salt> {
    const read = this.#saltRead;
    this.#saltRead = null;
    const ageMs = nowMs - (read?.atMs ?? Number.NaN);
    if (read !== null && ageMs >= 0 && ageMs < saltKnownMs && !isOver(read.salt, nowMs, lifeMs)) {
      return read.salt;
    }
    const fresh = newSalt(nowMs);
    const [mostMs, next] = [Math.ceil(lifeMs), saltText(fresh)];
    // Never longer than it would have been kept, had it not been lost.
    const left = own === undefined ? mostMs : Math.ceil(own.madeMs + lifeMs - nowMs);
    const leftMs = Math.max(1, Math.min(mostMs, left));
    const text = await this.#link.call('store-unwritable', (client) =>
      client.sharedSaltBuffer(this.#keys.salt, nowMs, mostMs, next, saltText(own ?? fresh), leftMs),
    );
    return saltOfText(text as Buffer);
  }

  forget(url: string): Promise<number> {
    return this.#inTurn('store-unwritable', () =>
      this.#link.call('store-unwritable', (client) => forget(client, this.#keys, url)),
    );
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      await this.#turn;
      await this.#upkeep.settled();
      this.#link.close();
    })();
    return this.#closing;
  }

  async #send(chunks: readonly Chunk[], delta: GraphDelta, nowMs: number) {
    const { state, within, place, need } = this.#reader;
    const trip = {
      ...{ chunks, delta, nowMs, within, place: need === 'whole' ? null : place },
      state: {
        ...this.#options,
        ...state,
        node: this.#node,
        fresh: randomBytes(9).toString('base64url'),
      },
    };
    const answer = await this.#link
      .call('store-unwritable', (client) => roundTrip(client, this.#keys, this.name, trip))
      .catch((error: PrefetchdError) => {
        if (error.code === 'store-mismatch') this.#outbox.drop(delta);
        throw error;
      });
    this.#saltRead = answer.salt === null ? null : { salt: answer.salt, atMs: nowMs };
    return answer;
  }

  async #inTurn<Result>(code: PrefetchdErrorCode, work: () => Promise<Result>): Promise<Result> {
    this.#checkOpen(code);
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  #checkOpen(code: PrefetchdErrorCode): void {
    if (this.#closing !== null) throw new PrefetchdError(code, `${this.name} is closed`);
  }
}
