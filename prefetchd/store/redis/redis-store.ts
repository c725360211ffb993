// A graph in Redis or Valkey that several nodes learn together. Each node adds what it learned and reads what the
// others added in the same round trip; a script makes each addition atomic (scripts.ts).
//
// Guarantees: an addition counts once, even if its reply was lost and it is sent again. `add` takes one round trip,
// whatever its size. No call waits for an unresponsive Redis (link.ts). If Redis loses everything, one node is asked
// for its whole graph (`need`), and nothing counts twice.
//
// Limits: a delta of more than 1,000 arcs is sent in chunks, and a node that dies between them leaves the first ones.
// Of what a node added in the second before Redis lost its data, whatever the node cannot send again is lost: because
// it died, or because it sent more than outbox.ts keeps.

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
  /** Chunks kept for nodes that are behind; a node further behind loads everything. */
  maxStreamEntries?: number;
  /** How long news waits for other nodes, ms: several polling intervals. */
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
/** Chunks of a whole graph per round trip. */
const chunksAtOnce = 16;
/** How long the salt read with the last `add` stays valid. */
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
  /** Chunks to send again before anything else. */
  #again: readonly Chunk[] = [];
  /** Another node supplies the whole graph that this one was asked for. */
  #isOutrun = false;
  #saltRead: { salt: Salt; atMs: number } | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | null = null;

  /** Connects on the first call. @throws PrefetchdError `invalid-option` */
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

  /** Updated by each `add`; see graph-store.ts for the values. */
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
        const why = 'lost its data; this process must restore its whole graph first';
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
   * Supply the whole graph to a store that lost it; deltas continue from the moment the graph was taken. If it
   * throws, pass the same graph again. Does nothing unless `need` is `whole`. If another node was faster, only the
   * news is added to that node's graph.
   * @param news the part that was never added, passed as the last delta; other nodes do not know it
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

  /** Send chunks of a whole graph or of its news. */
  async #give(chunks: readonly Chunk[], whole: GraphDelta, nowMs: number): Promise<void> {
    const { answers } = await this.#send(chunks, whole, nowMs);
    const outcome = this.#reader.gave(answers);
    if (outcome === 'given') return;
    const wasOutrun = this.#isOutrun;
    this.#isOutrun = outcome === 'outrun';
    if (!this.#isOutrun || wasOutrun) throw this.#lostAgain();
  }

  #lostAgain(): PrefetchdError {
    const why = 'lost the graph again while it was being restored';
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
    // Never longer than its original lifetime.
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
