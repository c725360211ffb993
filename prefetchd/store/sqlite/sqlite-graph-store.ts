// Keeps a store in an SQLite file, which several processes may share. All SQL runs in a worker thread, because a second
// of a busy site (100 accesses, 300 arcs) takes 5 ms, each tenth one with a checkpoint 30 to 70 ms. The thread keeps the
// process alive only while a call waits for it. If it dies, pending calls fail and the next call starts a new thread.

import { extname } from 'node:path';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { wholeNumber } from '../../../options/kinds.ts';
import { checked } from '../../../options/options.ts';
import { invalidOption, PrefetchdError, type PrefetchdErrorCode } from '../../errors.ts';
import type { GraphDelta, StoredGraph } from '../../model/delta/graph-delta.ts';
import type { Salt } from '../../model/salt.ts';
import type { GraphStore, StoreIdentity, StoreNeed } from '../graph-store.ts';
import { checkStoreOptions, type StoreOptions } from '../store-options.ts';
import type { SqliteFile, SqliteFileOptions } from './graph-file.ts';
import { ArrivingGraph, type GraphPart } from './read-graph.ts';

export interface SqliteGraphStoreOptions extends StoreOptions {
  /** Longest wait for another process's write lock, ms. */
  busyTimeoutMs?: number;
  /** What to do with a damaged file: refuse it, or rename it to FILE.damaged-<n> and begin an empty one. */
  onDamaged?: 'refuse' | 'set-aside';
  /** Receives messages for the operator. */
  onNotice?: (message: string) => void;
}

export interface SqliteWorkerData {
  path: string;
  options: Omit<SqliteFileOptions, 'onNotice'>;
}

type FileCall = keyof SqliteFile;

/** A call of a method of the file, with a port of its own for the answer. */
export interface ToSqlite {
  call: FileCall;
  args: unknown[];
  port: MessagePort;
}

/** The parts of a graph come before the result of `load`. */
export type FromSqlite =
  | { part: GraphPart }
  | { result: unknown }
  | { error: { code: PrefetchdErrorCode | null; message: string; cause: unknown } };

export class SqliteGraphStore implements GraphStore {
  readonly isShared = false;
  /** Limit on URLs and arcs per addition, which are taken from the graph and copied to the thread within a ms. */
  readonly mostAtOnce = 1000;
  readonly name: string;
  readonly #data: SqliteWorkerData;
  readonly #onNotice: (message: string) => void;
  #worker: Worker | null = null;
  #closing: Promise<void> | null = null;
  #need: StoreNeed = null;

  /** Makes a store, whose first call opens the file, or creates it. @throws PrefetchdError `invalid-option` */
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

  async load(nowMs: number): Promise<StoredGraph | null> {
    const graph = new ArrivingGraph();
    const take = (part: GraphPart) => graph.take(part);
    const isThere = await this.#call('store-unreadable', 'load', nowMs, take);
    if (this.#need === 'forget') this.#need = null;
    return isThere ? graph.whole : null;
  }

  async add(delta: GraphDelta, nowMs: number): Promise<GraphDelta[]> {
    this.#need = await this.#call('store-unwritable', 'add', delta, nowMs);
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

  /** Calls the thread; a function among the arguments, the last, gets the parts of a graph. The open port keeps the
   *  process alive; it closes when the thread dies. */
  async #send(code: PrefetchdErrorCode, call: FileCall, args: unknown[]): Promise<unknown> {
    this.#worker ??= this.#started();
    const { port1, port2 } = new MessageChannel();
    const give = args.findLast((arg) => typeof arg === 'function');
    const answered = new Promise<Exclude<FromSqlite, { part: unknown }> | null>((resolve) => {
      port1.on('message', (message: FromSqlite) => {
        if ('part' in message) give?.(message.part);
        else resolve(message);
      });
      port1.on('close', () => resolve(null));
    });
    const plain = args.filter((arg) => arg !== give);
    const message: ToSqlite = { call, args: plain, port: port2 };
    this.#worker.postMessage(message, [port2]);
    const answer = await answered;
    port1.close();
    if (answer === null) {
      const text = `the worker thread of ${this.#data.path} ended before it answered; the next call starts another`;
      throw new PrefetchdError(code, text);
    }
    if ('result' in answer) return answer.result;
    const { code: own, message: text, cause } = answer.error;
    throw new PrefetchdError(own ?? code, text, { cause });
  }

  #started(): Worker {
    // The process's own flags are not passed on, because those that select the main program do not apply to the thread.
    const worker = new Worker(workerFile, { workerData: this.#data, execArgv: [] });
    worker.on('message', this.#onNotice);
    worker.on('error', () => {}); // calls that wait fail
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    worker.unref();
    return worker;
  }
}

/** The extension is .ts in the repository, .js in the package. */
const workerFile = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);
