// Keeps a store in an SQLite file, which several processes may share. All SQL runs in a worker thread, because a second
// of a busy site (100 accesses, 300 arcs) takes 5 ms, each tenth one with a checkpoint 30 to 70 ms. The thread keeps the
// process alive only while a call waits for it. If it dies, pending calls fail and the next call starts a new thread.

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { PrefetchdError, type PrefetchdErrorCode } from '../../errors.ts';
import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import type { Salt } from '../../model/salt.ts';
import type { GraphParts, GraphStore, StoreIdentity, StoreNeed } from '../graph-store.ts';
import { checkStoreOptions, type StoreOptions } from '../store-options.ts';
import type { SqliteFile, SqliteFileOptions, SqliteFileSettings } from './graph-file.ts';
import { arriving, type GraphPart } from './read-graph.ts';

export type SqliteGraphStoreOptions = StoreOptions & Partial<SqliteFileSettings>;

export interface SqliteWorkerData {
  path: string;
  options: Omit<SqliteFileOptions, 'onNotice'>;
}

type FileCall = keyof SqliteFile;

/** Message that calls a method of graph-file.ts in the thread; answers come in the order of the calls. */
export interface ToSqlite {
  call: FileCall;
  args: unknown[];
}

type SqliteAnswer =
  | { result: unknown }
  | { error: { code?: PrefetchdErrorCode; message: string; cause: unknown } };

/** What the thread sends; the parts of a graph come before the answer to `load`. */
export type FromSqlite = SqliteAnswer | { part: GraphPart } | { notice: string };

interface WaitingCall {
  /** Called with the thread's answer; null: the thread ended without one. */
  resolve: (answer: SqliteAnswer | null) => void;
  /** Receives the parts of a graph, which come before the answer; undefined: the call loads no graph. */
  take: ((part: GraphPart) => void) | undefined;
}

export class SqliteGraphStore implements GraphStore {
  readonly isShared = false;
  /** Limit on URLs and arcs per addition: 1000 are taken from the graph and copied to the thread in a millisecond. */
  readonly mostAtOnce = 1000;
  readonly name: string;
  need: StoreNeed = null;
  readonly #data: SqliteWorkerData;
  readonly #onNotice: (message: string) => void;
  #worker: Worker | null = null;
  /** The calls that were not answered yet, in their order. */
  readonly #waiting: WaitingCall[] = [];
  #closing: Promise<void> | null = null;

  /** Makes a store; its first call opens the file, or creates it. @throws PrefetchdError `invalid-option` */
  constructor(path: string, options: SqliteGraphStoreOptions = {}) {
    const { busyTimeoutMs = 5000, onDamaged = 'refuse', onNotice = () => {}, ...rest } = options;
    this.name = `sqlite:${path}`;
    this.#data = { path, options: { ...checkStoreOptions(rest), busyTimeoutMs, onDamaged } };
    this.#onNotice = onNotice;
  }

  identity(): Promise<StoreIdentity | null> {
    return this.#call('store-unreadable', 'identity');
  }

  async load(nowMs: number): Promise<GraphDelta | null> {
    let whole: GraphDelta | null = null;
    const isThere = await this.loadParts(nowMs, {
      begin(graph, graphs) {
        whole = { ...graph, graphs: Array.from({ length: graphs }, () => []) };
      },
      arcs(graph, arcs) {
        for (const arc of arcs) whole?.graphs[graph]?.push(arc);
      },
    });
    return isThere ? whole : null;
  }

  async loadParts(nowMs: number, parts: GraphParts): Promise<boolean> {
    const isThere = await this.#call('store-unreadable', 'load', nowMs, arriving(parts));
    if (this.need !== 'whole') this.need = null;
    return isThere;
  }

  async add(delta: GraphDelta, nowMs: number): Promise<GraphDelta[]> {
    this.need = await this.#call('store-unwritable', 'add', delta, nowMs);
    return [];
  }

  addOnce(delta: GraphDelta, nowMs: number, name: string): Promise<boolean> {
    return this.#call('store-unwritable', 'addOnce', delta, nowMs, name);
  }

  async look(): Promise<void> {
    this.need = await this.#call('store-unreadable', 'look');
  }

  async restore(whole: GraphDelta, nowMs: number, news: readonly GraphDelta[]): Promise<void> {
    await this.#call('store-unwritable', 'restore', whole, nowMs, news);
    this.need = null;
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
    await this.#send('close', []);
    worker.ref();
    await ended;
  }

  async #call<Name extends FileCall>(
    code: PrefetchdErrorCode,
    call: Name,
    ...args: Partial<Parameters<SqliteFile[Name]>>
  ): Promise<ReturnType<SqliteFile[Name]>> {
    if (this.#closing !== null) throw new PrefetchdError(code, `the store ${this.name} is closed`);
    const answer = await this.#send(call, args);
    if (answer !== null && 'result' in answer) return answer.result as ReturnType<SqliteFile[Name]>;
    const lost = `the worker thread of ${this.#data.path} ended before it answered; the next call starts another`;
    const { code: own = code, message, cause } = answer?.error ?? { message: lost, cause: null };
    throw new PrefetchdError(own, message, { cause });
  }

  /** Sends a call to the thread. @param args arguments of the method; a function in them receives parts of a graph */
  #send(call: FileCall, args: unknown[]): Promise<SqliteAnswer | null> {
    const take = args.find((arg) => typeof arg === 'function') as WaitingCall['take'];
    this.#worker ??= this.#started();
    this.#worker.ref();
    this.#worker.postMessage({ call, args: args.filter((arg) => arg !== take) } satisfies ToSqlite);
    return new Promise((resolve) => this.#waiting.push({ resolve, take }));
  }

  #started(): Worker {
    // The process's own flags are not passed on, because those that select the main program do not apply to the thread.
    const worker = new Worker(workerFile, { workerData: this.#data, execArgv: [] });
    worker.on('message', (message: FromSqlite) => {
      if ('notice' in message) this.#onNotice(message.notice);
      else if ('part' in message) this.#waiting[0]?.take?.(message.part);
      else this.#waiting.shift()?.resolve(message);
      if (this.#waiting.length === 0) worker.unref();
    });
    worker.on('error', () => {}); // pending calls fail in `exit`
    worker.on('exit', () => {
      this.#worker = null;
      for (const { resolve } of this.#waiting.splice(0)) resolve(null);
    });
    return worker;
  }
}

/** The file that the thread runs; its extension is .ts in the repository, .js in the package. */
const workerFile = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);
