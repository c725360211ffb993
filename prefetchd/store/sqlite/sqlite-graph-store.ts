// Keeps a store in an SQLite file, which several processes may share. All SQL runs in a worker thread: to store what a
// busy site causes in a second (100 accesses, 300 arcs) takes 5 ms, each tenth time, with a checkpoint, 30 to 70 ms.
// The thread keeps the process alive only while a call waits for it. If it dies, its call fails, and the next call
// starts a new thread.

import { on, once } from 'node:events';
import { extname } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { PrefetchdError, type PrefetchdErrorCode, storeError } from '../../errors.ts';
import type { GraphParts, GraphStore, StoreNeed } from '../graph-store.ts';
import { checkStoreOptions, type StoreOptions } from '../store-options.ts';
import type { SqliteFile, SqliteFileOptions, SqliteFileSettings } from './graph-file.ts';
import { arriving } from './read-graph.ts';

export type SqliteGraphStoreOptions = StoreOptions & Partial<SqliteFileSettings>;

export interface SqliteWorkerData {
  path: string;
  options: Omit<SqliteFileOptions, 'onNotice'>;
}

/** The methods of SqliteFile (graph-file.ts), which run in a worker thread, the SQLite thread, on request. */
type FileCall = Exclude<keyof SqliteFile, 'need'>;
export type ToSqlite = [call: FileCall, ...args: unknown[]];

/** Messages of the SQLite thread: answers to calls, and before them the parts of a loaded graph, and notices. */
export type FromSqlite =
  | { result: unknown; need: StoreNeed }
  | { error: { code: PrefetchdErrorCode; message: string; cause: unknown } }
  | { part: string }
  | { notice: string };

export class SqliteGraphStore implements GraphStore {
  readonly isShared = false;
  /** Limit on URLs and arcs per addition: 1000 are taken from the graph and copied to the thread in a millisecond. */
  readonly mostAtOnce = 1000;
  readonly name: string;
  need: StoreNeed = null;
  readonly #data: SqliteWorkerData;
  readonly #onNotice: (message: string) => void;
  #worker: Worker | null = null;
  /** Resolves when all calls that were begun have ended; each waits for those before it. */
  #turn: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | null = null;

  readonly identity = this.#inThread('identity');
  readonly add = this.#inThread('add');
  readonly addOnce = this.#inThread('addOnce');
  readonly look = this.#inThread('look');
  readonly restore = this.#inThread('restore');
  readonly salt = this.#inThread('salt');
  readonly forget = this.#inThread('forget');
  readonly beginServing = this.#inThread('beginServing');

  /** Makes a store; its first call opens the file, or creates it. @throws PrefetchdError `invalid-option` */
  constructor(path: string, options: SqliteGraphStoreOptions = {}) {
    const { busyTimeoutMs = 5000, onDamaged = 'refuse', onNotice = () => {}, ...rest } = options;
    this.name = `sqlite:${path}`;
    this.#data = { path, options: { ...checkStoreOptions(rest), busyTimeoutMs, onDamaged } };
    this.#onNotice = onNotice;
  }

  load(nowMs: number, parts: GraphParts): Promise<boolean> {
    return this.#call(arriving(parts), 'load', nowMs) as Promise<boolean>;
  }

  close(): Promise<void> {
    this.#closing ??= this.#turn.then(async () => {
      if (this.#worker === null) return;
      const ended = once(this.#worker, 'exit');
      this.#worker.ref();
      this.#worker.postMessage(['close'] satisfies ToSqlite);
      await ended;
    });
    return this.#closing;
  }

  #inThread<Name extends FileCall>(name: Name) {
    return (...args: Parameters<SqliteFile[Name]>) =>
      this.#call(() => {}, name, ...args) as Promise<ReturnType<SqliteFile[Name]>>;
  }

  /** Has the SQLite thread call a method of SqliteFile, after all earlier calls. @param take Receives a loaded graph */
  async #call(take: (part: string) => void, ...message: ToSqlite): Promise<unknown> {
    const isRead = ['identity', 'load', 'look'].includes(message[0]);
    const code = isRead ? 'store-unreadable' : 'store-unwritable';
    if (this.#closing !== null) throw new PrefetchdError(code, `the store ${this.name} is closed`);
    const turn = this.#turn.then(() => this.#answer(take, message));
    this.#turn = turn.catch(() => {});
    const answer = await turn.catch((cause) => {
      throw storeError(code, this.name, cause);
    });
    if (answer === null) {
      const lost = `the worker thread of ${this.name} ended before it answered; the next call starts another`;
      throw new PrefetchdError(code, lost);
    }
    if ('error' in answer) {
      throw new PrefetchdError(answer.error.code, answer.error.message, answer.error);
    }
    this.need = answer.need;
    return answer.result;
  }

  /** Sends a call to the SQLite thread. @returns its last message, the answer; null: the thread ended without one */
  async #answer(take: (part: string) => void, message: ToSqlite) {
    this.#worker ??= this.#started();
    const worker = this.#worker;
    const answers = on(worker, 'message', { close: ['exit'] });
    worker.ref();
    worker.postMessage(message);
    const faults: unknown[] = [];
    for await (const [answer] of answers as AsyncIterable<[FromSqlite]>) {
      if (!('notice' in answer) && !('part' in answer)) {
        worker.unref();
        if (faults.length > 0) throw faults[0];
        return answer;
      }
      // If `take` throws, all other parts are received nevertheless, or the next call would take them for its own.
      try {
        if ('notice' in answer) this.#onNotice(answer.notice);
        else if (faults.length === 0) take(answer.part);
      } catch (error) {
        faults.push(error);
      }
      await immediate(); // requests that came meanwhile are served before the next part is taken
    }
    return null;
  }

  #started(): Worker {
    // The process's own flags are not passed on, because those that select the main program do not apply to the thread.
    const worker = new Worker(workerFile, { workerData: this.#data, execArgv: [] });
    worker.on('error', () => {}); // the call that waits fails
    worker.on('exit', () => {
      this.#worker = null;
    });
    return worker;
  }
}

/** The file that the thread runs; its extension is .ts in the repository, .js in the package. */
const workerFile = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);
