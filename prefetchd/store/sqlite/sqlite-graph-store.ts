// A store in an SQLite file, which several processes may share. All SQL runs in a worker thread, so no flush, check
// or checkpoint blocks the event loop. The thread keeps the process alive only while a call waits for it. If it dies,
// pending calls fail and the next call starts a new thread.

import { Worker } from 'node:worker_threads';
import { wholeNumber } from '../../../options/kinds.ts';
import { checked } from '../../../options/options.ts';
import { invalidOption, PrefetchdError, type PrefetchdErrorCode } from '../../errors.ts';
import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import type { Salt } from '../../model/salt.ts';
import type { GraphStore, StoreIdentity, StoreNeed } from '../graph-store.ts';
import { checkStoreOptions, type StoreOptions } from '../store-options.ts';
import type { SqliteFile, SqliteFileOptions } from './graph-file.ts';

export interface SqliteGraphStoreOptions extends StoreOptions {
  /** Longest wait for another process's write lock, ms. */
  busyTimeoutMs?: number;
  /** For a damaged file: refuse it, or rename it to FILE.damaged-<n> and begin an empty one. */
  onDamaged?: 'refuse' | 'set-aside';
  /** Receives messages for the operator. */
  onNotice?: (message: string) => void;
}

export interface SqliteWorkerData {
  path: string;
  options: Omit<SqliteFileOptions, 'onNotice'>;
}

type FileCall = keyof SqliteFile;

/** A call of a method of the file. */
export interface ToSqlite {
  id: number;
  call: FileCall;
  args: unknown[];
}

export type FromSqlite =
  | { id: number; result: unknown }
  | { id: number; error: { code: PrefetchdErrorCode | null; message: string; cause: unknown } }
  | { notice: string };

interface PendingCall {
  code: PrefetchdErrorCode;
  resolve: (result: unknown) => void;
  reject: (error: PrefetchdError) => void;
}

export class SqliteGraphStore implements GraphStore {
  readonly isShared = false;
  /** URLs and arcs per addition; taking them from the graph and copying them to the thread takes under a ms. */
  readonly mostAtOnce = 1000;
  readonly name: string;
  readonly #data: SqliteWorkerData;
  readonly #onNotice: (message: string) => void;
  #worker: Worker | null = null;
  #waiting = new Map<number, PendingCall>();
  #lastId = 0;
  #closing: Promise<void> | null = null;
  #need: StoreNeed = null;

  /** The first call opens the file, creating it if needed. @throws PrefetchdError `invalid-option` */
  constructor(path: string, options: SqliteGraphStoreOptions = {}) {
    const { busyTimeoutMs = 5000, onDamaged = 'refuse', onNotice = () => {}, ...rest } = options;
    checked(wholeNumber({}), busyTimeoutMs, invalidOption, { name: 'busyTimeoutMs' });
    this.name = `sqlite:${path}`;
    this.#data = { path, options: { ...checkStoreOptions(rest), busyTimeoutMs, onDamaged } };
    this.#onNotice = onNotice;
  }

  get need(): StoreNeed {
    return this.#need;
  }

  identity(): Promise<StoreIdentity | null> {
    return this.#call('store-unreadable', 'identity');
  }

  async load(nowMs: number): Promise<GraphDelta | null> {
    const delta = await this.#call('store-unreadable', 'load', nowMs);
    if (this.#need === 'forget') this.#need = null;
    return delta;
  }

  async add(delta: GraphDelta, nowMs: number): Promise<GraphDelta[]> {
    this.#need = (await this.#call('store-unwritable', 'add', delta, nowMs)) ?? this.#need;
    return [];
  }

  async look(): Promise<void> {
    this.#need = await this.#call('store-unwritable', 'look');
  }

  async restore(whole: GraphDelta, nowMs: number, news: readonly GraphDelta[]): Promise<void> {
    await this.#call('store-unwritable', 'restore', whole, nowMs, news);
    this.#need = null;
  }

  salt(nowMs: number, lifeMs: number, own?: Salt): Promise<Salt> {
    return this.#call('store-unwritable', 'salt', nowMs, lifeMs, own);
  }

  forget(url: string): Promise<number> {
    return this.#call('store-unwritable', 'forget', url);
  }

  async beginServing(): Promise<string | null> {
    if (!(await this.#call('store-unwritable', 'beginServing'))) return null;
    return `another process has ${this.#data.path} open too: both add to it, but neither hints what the other learned before it starts again; let one process serve it, or share a Redis`;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    // A thread that died has no file open.
    await this.#send('store-unwritable', 'close', []).catch(() => {});
    worker.ref();
    await ended;
  }

  async #call<Name extends FileCall>(
    code: PrefetchdErrorCode,
    call: Name,
    ...args: Parameters<SqliteFile[Name]>
  ): Promise<ReturnType<SqliteFile[Name]>> {
    if (this.#closing !== null) {
      throw new PrefetchdError(code, `the store ${this.name} is closed`);
    }
    return (await this.#send(code, call, args)) as ReturnType<SqliteFile[Name]>;
  }

  #send(code: PrefetchdErrorCode, call: FileCall, args: unknown[]): Promise<unknown> {
    this.#worker ??= this.#started();
    const worker = this.#worker;
    worker.ref();
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { code, resolve, reject });
      const message: ToSqlite = { id, call, args };
      worker.postMessage(message);
    });
  }

  #started(): Worker {
    // The process's own flags are not passed on, because those that select the main program do not apply to the thread.
    const worker = new Worker(workerFile(), { workerData: this.#data, execArgv: [] });
    let cause: unknown;
    worker.on('message', (message: FromSqlite) => this.#receive(message));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = null;
      const lost = this.#waiting;
      this.#waiting = new Map();
      for (const { code, reject } of lost.values()) {
        const text = `the worker thread of ${this.#data.path} ended before it answered; the next call starts another`;
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

/** File of the worker, beside this file and with the same extension: .ts in the repository, .js in the package. */
function workerFile(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./worker.${extension}`, import.meta.url);
}
