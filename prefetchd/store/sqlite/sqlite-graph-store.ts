// A store in an SQLite file, which several processes may share. All SQL runs in a worker thread, so no flush, check
// or checkpoint blocks the event loop. The thread keeps the process alive only while a call waits for it. If it dies,
// pending calls fail and the next call starts a new thread.

import { Worker } from 'node:worker_threads';
import { wholeNumber } from '../../../options/kinds.ts';
import { checked } from '../../../options/options.ts';
import { invalidOption, PrefetchdError, type PrefetchdErrorCode } from '../../errors.ts';
import type { ArcColumns, GraphDelta } from '../../model/delta/graph-delta.ts';
import type { Salt } from '../../model/salt.ts';
import type { GraphStore, StoreIdentity, StoreNeed } from '../graph-store.ts';
import { checkStoreOptions, type StoreOptions } from '../store-options.ts';
import {
  buffersOf,
  type FromSqlite,
  type SqliteRequest,
  type SqliteWorkerData,
  type ToSqlite,
} from './worker-messages.ts';

export interface SqliteStoreOptions extends StoreOptions {
  /** Longest wait for another process's write lock, ms. */
  busyTimeoutMs?: number;
  /** For a damaged file: refuse it, or rename it to FILE.damaged-<n> and begin an empty one. */
  onDamaged?: 'refuse' | 'set-aside';
  /** Receives messages for the operator. */
  onNotice?: (message: string) => void;
}

/** Per addition: taken from the graph and sent to the thread in less than a millisecond. */
const mostAtOnce = 1000;

/** For the thread, whose objects live no longer than an addition. */
const maxYoungGenerationSizeMb = 4;

interface Waiting {
  code: PrefetchdErrorCode;
  resolve: (result: unknown) => void;
  reject: (error: PrefetchdError) => void;
}

export class SqliteStore implements GraphStore {
  readonly isShared = false;
  readonly mostAtOnce = mostAtOnce;
  readonly name: string;
  readonly #data: SqliteWorkerData;
  readonly #onNotice: (message: string) => void;
  #worker: Worker | null = null;
  #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #closing: Promise<void> | null = null;
  #need: StoreNeed = null;

  /** The first call opens the file, creating it if needed. @throws PrefetchdError `invalid-option` */
  constructor(path: string, options: SqliteStoreOptions = {}) {
    const { busyTimeoutMs = 5000, onDamaged = 'refuse', onNotice = () => {}, ...rest } = options;
    checked(wholeNumber({}), busyTimeoutMs, invalidOption, { name: 'busyTimeoutMs' });
    this.name = `sqlite:${path}`;
    this.#data = { path, options: { ...checkStoreOptions(rest), busyTimeoutMs, onDamaged } };
    this.#onNotice = onNotice;
  }

  identity(): Promise<StoreIdentity | null> {
    return this.#call('store-unreadable', { call: 'identity' });
  }

  async load(nowMs: number): Promise<GraphDelta | null> {
    const delta = await this.#call<GraphDelta | null>('store-unreadable', { call: 'load', nowMs });
    if (this.#need === 'forget') this.#need = null;
    return delta;
  }

  /** The caller keeps the delta: its columns are copied once, in less than 1 ms for 20,000 arcs. */
  async add(delta: GraphDelta, nowMs: number): Promise<GraphDelta[]> {
    const copy = copyOf(delta);
    const request = { call: 'add' as const, delta: copy, nowMs };
    this.#need =
      (await this.#call<'forget' | null>('store-unwritable', request, buffersOf(copy))) ??
      this.#need;
    return [];
  }

  get need(): StoreNeed {
    return this.#need;
  }

  async look(): Promise<void> {
    this.#need = await this.#call<StoreNeed>('store-unwritable', { call: 'look' });
  }

  async restore(whole: GraphDelta, nowMs: number, news: readonly GraphDelta[]): Promise<void> {
    const copies = [whole, ...news].map(copyOf);
    const [delta, ...rest] = copies as [GraphDelta, ...GraphDelta[]];
    const request = { call: 'restore' as const, delta, news: rest, nowMs };
    await this.#call('store-unwritable', request, copies.flatMap(buffersOf));
    this.#need = null;
  }

  salt(nowMs: number, lifeMs: number, own?: Salt): Promise<Salt> {
    return this.#call('store-unwritable', { call: 'salt', nowMs, lifeMs, ...(own && { own }) });
  }

  expire(nowMs: number, saltLifeMs: number): Promise<void> {
    return this.#call('store-unwritable', { call: 'expire', nowMs, saltLifeMs });
  }

  forget(url: string): Promise<number> {
    return this.#call('store-unwritable', { call: 'forget', url });
  }

  async beginServing(): Promise<string | null> {
    const other = await this.#call<string | null>('store-unwritable', { call: 'begin-serving' });
    if (other === null) return null;
    return `${other} has ${this.#data.path} open too: both add to it, but neither hints what the other learned before it starts again; let one process serve it, or share a Redis`;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    // A thread that died has nothing open.
    await this.#send('store-unwritable', { call: 'close' }).catch(() => {});
    worker.ref();
    await ended;
  }

  async #call<Result>(
    code: PrefetchdErrorCode,
    request: SqliteRequest,
    buffers: ArrayBuffer[] = [],
  ): Promise<Result> {
    if (this.#closing !== null) {
      throw new PrefetchdError(code, `the store ${this.name} is closed`);
    }
    return (await this.#send(code, request, buffers)) as Result;
  }

  #send(
    code: PrefetchdErrorCode,
    request: SqliteRequest,
    buffers: ArrayBuffer[] = [],
  ): Promise<unknown> {
    this.#worker ??= this.#started();
    const worker = this.#worker;
    worker.ref();
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { code, resolve, reject });
      const message: ToSqlite = { id, ...request };
      worker.postMessage(message, buffers);
    });
  }

  #started(): Worker {
    // Process flags that select the main program do not apply to the thread.
    const worker = new Worker(workerFile(), {
      workerData: this.#data,
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb },
    });
    let cause: unknown;
    worker.on('message', (message: FromSqlite) => this.#receive(message));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = null;
      const { path } = this.#data;
      const lost = this.#waiting;
      this.#waiting = new Map();
      for (const { code, reject } of lost.values()) {
        const text = `the worker thread of ${path} ended before it answered; the next call starts another`;
        reject(new PrefetchdError(code, text, { cause }));
      }
    });
    return worker;
  }

  #receive(message: FromSqlite): void {
    if ('notice' in message) {
      this.#onNotice(message.notice);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (this.#waiting.size === 0) this.#worker?.unref();
    if (waiting === undefined) return;
    if ('result' in message) {
      waiting.resolve(message.result);
      return;
    }
    const { code, message: text, cause } = message.error;
    waiting.reject(new PrefetchdError(code ?? waiting.code, text, { cause }));
  }
}

/** Beside this file, with the same extension: TypeScript in the repository, JavaScript in the package. */
function workerFile(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./worker.${extension}`, import.meta.url);
}

/** A copy in which each column has its own buffer. */
function copyOf(delta: GraphDelta): GraphDelta {
  return {
    ...delta,
    kinds: delta.kinds.slice(),
    accesses: delta.accesses.slice(),
    graphs: delta.graphs.map(
      ({ from, to, counts, clients, seen }): ArcColumns => ({
        from: from.slice(),
        to: to.slice(),
        counts: counts.slice(),
        clients: clients.slice(),
        seen: seen.slice(),
      }),
    ),
  };
}
