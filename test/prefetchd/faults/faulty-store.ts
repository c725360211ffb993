// A store in front of a real one that fails, hangs or loses its answer when it is told to. An addition whose
// answer was lost counts once when the same object is given again, as the contract of stores demands; another
// object with the same content would count twice, and a test sees it. Additions come one URL at a time.

import { PrefetchdError } from '../../../prefetchd/errors.ts';
import type { GraphDelta } from '../../../prefetchd/model/delta/graph-delta.ts';
import type { Salt } from '../../../prefetchd/model/salt.ts';
import type {
  GraphParts,
  GraphStore,
  StoreIdentity,
  StoreNeed,
} from '../../../prefetchd/store/graph-store.ts';

type Call = 'load' | 'add' | 'salt' | 'restore' | 'close';

/** `before`: nothing is done; `after`: it is done, and its answer is lost. */
export type Fault = 'before' | 'after';

export class FaultyStore implements GraphStore {
  /** Each addition is a small piece, so that any may be the one that fails. */
  readonly mostAtOnce = 1;
  readonly faults: { [call in Call]?: Fault } = {};
  /** Calls that came to it. */
  readonly calls: Call[] = [];
  readonly #inner: GraphStore;
  readonly #holds: { [call in Call]?: Promise<void> } = {};
  readonly #added = new WeakMap<GraphDelta, GraphDelta[]>();

  constructor(inner: GraphStore) {
    this.#inner = inner;
  }

  /** The call waits until the hold is let go. */
  hold(call: Call): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#holds[call] = promise;
    return () => {
      delete this.#holds[call];
      resolve();
    };
  }

  /** All calls, or none. */
  fail(fault: Fault | null): void {
    for (const call of ['load', 'add', 'salt', 'restore'] as const) {
      if (fault === null) delete this.faults[call];
      else this.faults[call] = fault;
    }
  }

  get name(): string {
    return this.#inner.name;
  }

  get isShared(): boolean {
    return this.#inner.isShared;
  }

  get need(): StoreNeed {
    return this.#inner.need ?? null;
  }

  identity(): Promise<StoreIdentity | null> {
    return this.#inner.identity();
  }

  load(nowMs: number, parts: GraphParts): Promise<boolean> {
    return this.#call('load', () => this.#inner.load(nowMs, parts));
  }

  add(delta: GraphDelta, nowMs: number): Promise<GraphDelta[]> {
    return this.#call('add', async () => {
      const before = this.#added.get(delta);
      if (before !== undefined) return before;
      const others = await this.#inner.add(delta, nowMs);
      this.#added.set(delta, others);
      return others;
    });
  }

  salt(nowMs: number, lifeMs: number, own?: Salt): Promise<Salt> {
    return this.#call('salt', () => this.#inner.salt(nowMs, lifeMs, own));
  }

  restore(whole: GraphDelta, nowMs: number, news: readonly GraphDelta[]): Promise<void> {
    return this.#call('restore', async () => this.#inner.restore?.(whole, nowMs, news));
  }

  close(): Promise<void> {
    return this.#call('close', () => this.#inner.close());
  }

  async #call<Result>(call: Call, work: () => Promise<Result>): Promise<Result> {
    this.calls.push(call);
    await this.#holds[call];
    const fault = this.faults[call];
    const error = () => new PrefetchdError('store-unwritable', `${this.name} is made to fail`);
    if (fault === 'before') throw error();
    const result = await work();
    if (fault === 'after') throw error();
    return result;
  }
}
