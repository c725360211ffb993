// A graph in Redis or Valkey, which several nodes learn together. Each adds what it learned, and reads in
// the same round trip what the others added; a script does each addition at once (redis-scripts.ts).
//
// Guarantees: an addition counts once, also when its answer was lost and it is given again. `add` is one round
// trip, however much there is. No call waits for a Redis that is silent (redis-link.ts). When Redis lost
// everything, one node is asked for its whole graph (`need`), and nothing counts twice.
//
// Limit: a delta of more than 1,000 arcs goes in chunks. A node that dies in the midst of them leaves the
// first ones; what others gave in the second before Redis lost everything may be missing afterwards.

import { randomBytes } from 'node:crypto';
import { PrefetchdError, type PrefetchdErrorCode } from '../errors.ts';
import type { GraphDelta } from '../graph-delta.ts';
import { isOver, newSalt, type Salt } from '../salt.ts';
import { checkDelta } from './delta-rows.ts';
import type { GraphStore, StoreIdentity } from './graph-store.ts';
import {
  type ChunkAnswer,
  chunkAnswer,
  type Flow,
  type FlowState,
  flowOf,
  mergeInto,
  wholeFlowOf,
} from './redis-flow.ts';
import { type RedisKeys, redisKeys } from './redis-keys.ts';
import { RedisLink, type RedisLinkOptions } from './redis-link.ts';
import { readMeta, readSnapshot, saltOfText } from './redis-load.ts';
import { redisPlace } from './redis-place.ts';
import { prune } from './redis-prune.ts';
import { RedisReader } from './redis-reader.ts';
import { readStream, streamEntries } from './redis-stream.ts';
import { checkSamePredictor } from './same-predictor.ts';
import { checkStoreOptions, isTooMuch, type StoreOptions } from './store-options.ts';

export interface RedisStoreOptions extends StoreOptions, Partial<RedisLinkOptions> {
  /** Chunks that a node which is behind finds; one that is further behind loads everything. */
  maxStreamEntries?: number;
}

const linkDefaults: RedisLinkOptions = {
  timeoutMs: 1000,
  retryMs: 250,
  maxRetryMs: 10_000,
  clock: () => performance.now(),
  random: Math.random,
};
const defaultMaxStreamEntries = 2000;
/** Chunks of a whole graph in one round trip. */
const chunksAtOnce = 16;
/** A salt that `add` read along is good for so long. */
const saltKnownMs = 2000;

export class RedisStore implements GraphStore {
  readonly name: string;
  readonly #options: Required<StoreOptions> & { maxStreamEntries: number };
  readonly #link: RedisLink;
  readonly #keys: RedisKeys;
  readonly isShared = true;
  readonly #node = randomBytes(9).toString('base64url');
  readonly #reader: RedisReader;
  /** Number of the next chunk. */
  #next = 1;
  /** Given, and not known to have arrived. */
  #unsettled: Flow | null = null;
  #saltRead: { salt: Salt; atMs: number } | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #pruning: Promise<unknown> | null = null;
  #closing: Promise<void> | null = null;

  /** Connects when it is first asked for something. @throws PrefetchdError `invalid-option` */
  constructor(url: string, options: RedisStoreOptions = {}) {
    const place = redisPlace(url);
    this.name = place.name;
    this.#options = {
      ...checkStoreOptions(options),
      maxStreamEntries: options.maxStreamEntries ?? defaultMaxStreamEntries,
    };
    this.#link = new RedisLink(place, { ...linkDefaults, ...options });
    this.#keys = redisKeys(place.prefix);
    this.#reader = new RedisReader(this.#node);
  }

  /**
   * What the store needs before anything else, known after each `add`. `load`: it cannot tell what others
   * added; load everything in place of the model. `whole`: what was kept is gone, and this process is the one
   * to give all it knows (`restore`); the delta that was given last is not kept, being in that.
   */
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
      const flow = this.#flowOf(delta, (first) => flowOf(delta, nowMs, first));
      const { answers, entries } = await this.#send(flow, 0, flow.chunks.length);
      this.#unsettled = null;
      this.#pruneIfNeeded(answers, delta);
      const { predictor } = delta;
      const { halfLifeMs } = this.#options;
      return this.#reader.take(answers, entries, { predictor, nowMs, halfLifeMs });
    });
  }

  /**
   * Give the whole graph to a store that lost it; learning goes on in deltas from the moment at which it was
   * taken. When it throws, give the same again. Nothing happens when `need` is not `whole`.
   * @param news what of it was never added, as the delta that was given last: others have not heard of it
   * @throws PrefetchdError `store-unwritable`
   */
  restore(whole: GraphDelta, nowMs: number, news: readonly GraphDelta[] = []): Promise<void> {
    return this.#inTurn('store-unwritable', async () => {
      if (this.need !== 'whole') return;
      const flow = this.#flowOf(whole, (first) => wholeFlowOf(whole, news, nowMs, first));
      const { length } = flow.chunks;
      for (let from = 0; from < length && this.need === 'whole'; from += chunksAtOnce) {
        const { answers } = await this.#send(flow, from, Math.min(from + chunksAtOnce, length));
        if (this.#reader.gave(answers)) continue;
        const why = 'lost the graph again while it was given';
        throw new PrefetchdError('store-unwritable', `${this.name} ${why}`);
      }
      this.#reader.restored();
      this.#unsettled = null;
    });
  }

  async salt(nowMs: number, lifeMs: number): Promise<Salt> {
    this.#checkOpen('store-unwritable');
    const read = this.#saltRead;
    this.#saltRead = null;
    const ageMs = nowMs - (read?.atMs ?? Number.NaN);
    if (read !== null && ageMs >= 0 && ageMs < saltKnownMs && !isOver(read.salt, nowMs, lifeMs)) {
      return read.salt;
    }
    const fresh = Buffer.concat([Buffer.from(`${nowMs} `), newSalt(nowMs).bytes]);
    const text = await this.#link.call('store-unwritable', (client) =>
      client.sharedSaltBuffer(this.#keys.salt, nowMs, Math.ceil(lifeMs), fresh),
    );
    return saltOfText(text as Buffer);
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      await this.#turn;
      await this.#pruning;
      this.#link.close();
    })();
    return this.#closing;
  }

  /** The one that did not settle, when it is given again; one that is not is given up. */
  #flowOf(delta: GraphDelta, make: (first: number) => Flow): Flow {
    if (this.#unsettled?.delta === delta) return this.#unsettled;
    checkDelta(delta); // what is wrong with it is found before anything is sent
    const flow = make(this.#next);
    this.#next += flow.chunks.length;
    this.#unsettled = flow;
    return flow;
  }

  /** One round trip. */
  async #send(flow: Flow, from: number, to: number) {
    const state: FlowState = {
      ...this.#options,
      ...this.#reader.state,
      node: this.#node,
      fresh: randomBytes(9).toString('base64url'),
    };
    const { place } = this.#reader;
    const reads = place !== null && flow.chunks[0]?.mode === 'delta';
    const replies = await this.#link.call('store-unwritable', async (client) => {
      const pipeline = client.pipeline();
      pipeline.getBuffer(this.#keys.salt);
      if (reads) readStream(pipeline, this.#keys.deltas, place);
      for (let index = from; index < to; index++) {
        mergeInto(pipeline, this.#keys, flow, index, state);
      }
      const results = (await pipeline.exec()) ?? [];
      const failed = results.find(([error]) => error !== null);
      if (failed !== undefined) throw failed[0];
      const answers = results.slice(reads ? 2 : 1).map(([, reply]) => chunkAnswer(reply));
      this.#check(answers, flow);
      return { salt: results[0]?.[1] as Buffer | null, stream: results[1]?.[1], answers };
    });
    const salt = replies.salt === null ? null : saltOfText(replies.salt);
    this.#saltRead = salt === null ? null : { salt, atMs: flow.nowMs };
    return { answers: replies.answers, entries: reads ? streamEntries(replies.stream) : [] };
  }

  /** @throws PrefetchdError `store-mismatch` */
  #check(answers: ChunkAnswer[], { delta }: Flow): void {
    for (const { status, generation, tick } of answers) {
      if (status === 'predictor') {
        this.#unsettled = null;
        checkSamePredictor(this.name, { predictor: generation, graphs: tick }, delta);
      }
      if (status === 'format') {
        throw new Error(`its format is ${generation}; this prefetchd knows 1`);
      }
      if (status === 'gap') throw new Error('it took a later chunk before an earlier one');
    }
  }

  #pruneIfNeeded(answers: ChunkAnswer[], delta: GraphDelta): void {
    const { nodes, arcs } = answers.at(-1) as ChunkAnswer;
    const graphs = delta.graphs.length;
    if (this.#pruning !== null || !isTooMuch(this.#options, { nodes, arcs, graphs })) return;
    const { maxNodes, maxArcs } = this.#options;
    this.#pruning = this.#link
      .call('store-unwritable', (client) =>
        prune(client, this.#keys, { maxNodes, maxArcs: maxArcs * graphs }),
      )
      .catch(() => {}) // the next addition finds it too much again
      .finally(() => {
        this.#pruning = null;
      });
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
