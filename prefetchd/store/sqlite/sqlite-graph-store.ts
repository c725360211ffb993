// Keeps a store in an SQLite file, which several processes may share. All SQL runs in a worker thread: to store what a
// busy site causes in a second (100 accesses, 300 arcs) takes 5 ms, each tenth time, with a checkpoint, 30 to 70 ms.
// The thread keeps the process alive only while a call waits for it. If it dies, its call fails, and the next call
// starts a new thread.

import { on } from 'node:events';
import { extname } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { PrefetchdError, type PrefetchdErrorCode, storeError } from '../../errors.ts';
import type { GraphParts, GraphStore, StoreNeed } from '../graph-store.ts';
import { checkStoreOptions, type StoreOptions } from '../store-options.ts';
import type { SqliteFile, SqliteFileOptions, SqliteFileSettings } from './graph-file.ts';
import { arriving } from './read-graph.ts';

export type SqliteGraphStoreOptions = StoreOptions & Partial<SqliteFileSettings>;

export type SqliteWorkerData = [path: string, options: Omit<SqliteFileOptions, 'onNotice'>];

/** Has the SQLite thread call a method of SqliteFile (graph-file.ts), and answer through the port. */
export type ToSqlite = [answers: MessagePort, call: FileCall, ...args: unknown[]];
type FileCall = Exclude<keyof SqliteFile, 'need'>;

/** Messages of the SQLite thread: the answer to a call, and before it the parts of a loaded graph, and notices. */
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
    this.#data = [path, { ...checkStoreOptions(rest), busyTimeoutMs, onDamaged }];
    this.#onNotice = onNotice;
  }

  load(nowMs: number, parts: GraphParts): Promise<boolean> {
    const take = arriving(parts, (notice) => this.#onNotice(`${this.name}: ${notice}`));
    return this.#call(take, 'load', nowMs) as Promise<boolean>;
  }

  close(): Promise<void> {
    const closed = () => this.#call(() => {}, 'close') as Promise<void>;
    this.#closing ??= this.#worker === null ? Promise.resolve() : closed();
    return this.#closing;
  }

  #inThread<Name extends FileCall>(name: Name) {
    return (...args: Parameters<SqliteFile[Name]>) =>
      this.#call(() => {}, name, ...args) as Promise<ReturnType<SqliteFile[Name]>>;
  }

  /** Has the SQLite thread call a method of SqliteFile, after all earlier calls. @param take Receives a loaded graph */
  async #call(take: (part: string) => void, call: FileCall, ...args: unknown[]): Promise<unknown> {
    const isRead = ['identity', 'load', 'look'].includes(call);
    const code = isRead ? 'store-unreadable' : 'store-unwritable';
    if (this.#closing !== null) throw new PrefetchdError(code, `the store ${this.name} is closed`);
    // An open MessagePort keeps the process alive; it is closed, too, when the worker thread ends.
    const { port1: answers, port2 } = new MessageChannel();
    try {
      this.#worker ??= this.#started();
      this.#worker.postMessage([port2, call, ...args] satisfies ToSqlite, [port2]);
      const messages = on(answers, 'message', { close: ['close'] });
      for await (const [message] of messages as AsyncIterable<[FromSqlite]>) {
        if ('error' in message) {
          throw new PrefetchdError(message.error.code, message.error.message, message.error);
        }
        if ('result' in message) {
          this.need = message.need;
          return message.result;
        }
        if ('notice' in message) this.#onNotice(message.notice);
        else take(message.part);
        await immediate(); // requests that came meanwhile are served before the next part is taken
      }
    } catch (error) {
      throw storeError(code, this.name, error as Error);
    } finally {
      answers.close();
    }
    const lost = `the worker thread of ${this.name} ended before it answered; the next call starts another`;
    throw new PrefetchdError(code, lost);
  }

  #started(): Worker {
    // The process's own flags are not passed on, because those that select the main program do not apply to the thread.
    const worker = new Worker(workerFile, { workerData: this.#data, execArgv: [] });
    worker.unref();
    worker.on('error', () => {}); // the call that waits reports the error
    worker.on('exit', () => {
      this.#worker = null;
    });
    return worker;
  }
}

/** The file that the thread runs; its extension is .ts in the repository, .js in the package. */
const workerFile = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);
