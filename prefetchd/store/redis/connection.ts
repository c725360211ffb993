// Keeps a connection to Redis by ioredis, which reconnects by itself, waiting longer after each failure. Calls run one
// after the other, and none hangs: each reply must come within `timeoutMs`, and without a connection calls fail at
// once. No command is queued or resent, because only the caller knows which commands must not count twice.
//
// Errors of ioredis include the arguments of their command, among them the password and the salt, so only their text
// leaves this file.

import { Cluster, Redis } from 'ioredis';
import { PrefetchdError, type PrefetchdErrorCode, storeError } from '../../errors.ts';
import type { RedisPlace } from './location.ts';

export type Pipeline = ReturnType<Redis['pipeline']>;

/** A call of many commands may take this many times `timeoutMs`. */
const timeoutsPerCall = 10;

export class RedisConnection {
  readonly #name: string;
  readonly #client: Redis;
  /** The last error of the connection itself since it was ready; a call only learns that the connection was closed. */
  #lastError: Error | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | null = null;

  /** @param timeoutMs Longest wait for a reply, ms */
  constructor({ name, server, isCluster }: RedisPlace, timeoutMs: number) {
    this.#name = name;
    const redisOptions = {
      ...server,
      connectTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      commandTimeout: timeoutsPerCall * timeoutMs,
      maxRetriesPerRequest: 0,
      disableClientInfo: true,
    };
    // A Redis that is not ready says so to each command, so there is no check before.
    const options = { lazyConnect: true, enableOfflineQueue: false, enableReadyCheck: false };
    const cluster = isCluster && new Cluster([server], { ...options, redisOptions });
    this.#client = (cluster || new Redis({ ...redisOptions, ...options })) as Redis;
    const keep = (error: Error | null = null) => {
      this.#lastError = error;
    };
    for (const event of ['error', 'node error', 'ready']) this.#client.on(event, keep);
  }

  /** Runs `work` after all earlier calls. @throws PrefetchdError with `code`, or a PrefetchdError that `work` throws */
  async call<Result>(
    code: PrefetchdErrorCode,
    work: (client: Redis) => Promise<Result>,
  ): Promise<Result> {
    if (this.#closing !== null) throw new PrefetchdError(code, `${this.#name} is closed`);
    const turn = this.#turn.then(async () => {
      if (this.#client.status === 'wait') await this.#client.connect();
      return await work(this.#client);
    });
    this.#turn = turn.catch(() => {});
    return await turn.catch((error) => {
      if (error instanceof PrefetchdError) throw error;
      throw storeError(code, this.#name, this.#causeOf(error));
    });
  }

  /** Closes the connection once all calls that were begun have ended. */
  close(): Promise<void> {
    this.#closing ??= this.#turn.then(() => this.#client.disconnect());
    return this.#closing;
  }

  /** Returns the cause of a call's error: the socket's own error if there is one, because errors of calls only say that
   *  there is no connection. Of an AggregateError of several connection attempts, it returns the first. */
  #causeOf(error: Error): Error {
    const isVague = /is closed|max retries|isn't (ready|writeable)/i.test(error.message);
    const plain = isVague ? (this.#lastError ?? new Error('the connection was lost')) : error;
    const first = plain instanceof AggregateError ? plain.errors[0] : plain;
    const message = first.message || String(first.code ?? plain.name);
    return Object.assign(new Error(message), { name: plain.name });
  }
}

/** Sends a pipeline, and returns the replies to all its commands. */
export async function inOne(commands: Pipeline): Promise<unknown[]> {
  const results = (await commands.exec()) ?? [];
  return results.map(([error, reply]) => {
    if (error !== null) throw error;
    return reply;
  });
}
