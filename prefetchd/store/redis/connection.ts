// Keeps a connection to Redis by ioredis, which reconnects by itself, waiting longer after each failure. No call hangs:
// each reply must come within `timeoutMs`, and without a connection calls fail at once. No command is queued or resent,
// because only the caller knows which commands must not count twice.
//
// Errors of ioredis include the arguments of their command, among them the password and the salt, so only their text
// leaves this file.

import { isIP } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import { Cluster, Redis } from 'ioredis';
import { PrefetchdError, type PrefetchdErrorCode } from '../../errors.ts';
import { flushScript } from './flush-script.ts';
import type { RedisPlace } from './location.ts';

export type Pipeline = ReturnType<Redis['pipeline']>;
export type RedisClient = Omit<Redis, 'pipeline'> & {
  /** A pipeline with the script as a command, which takes five keys and two arguments. */
  pipeline(): Pipeline & { flushGraph(...keysAndArguments: string[]): Pipeline };
};

export interface RedisConnectionOptions {
  /** Longest wait for Redis, ms. */
  timeoutMs?: number;
  /** Wait before the first retry, ms; it doubles with each failure up to ten seconds. */
  retryMs?: number;
  /** Trusted CA certificates, PEM; absent: those that Node trusts. */
  ca?: string | Buffer;
}

const maxRetryMs = 10_000;
/** A call of many commands may take this many times `timeoutMs`. */
const timeoutsPerCall = 10;

export class RedisConnection {
  readonly #name: string;
  readonly #timeoutMs: number;
  readonly #client: RedisClient;
  /** The last error of the connection itself; a call only learns that the connection was closed. */
  #lastError: Error | null = null;

  constructor(place: RedisPlace, options: RedisConnectionOptions) {
    this.#name = place.name;
    this.#timeoutMs = options.timeoutMs ?? 1000;
    this.#client = clientOf(place, options, this.#timeoutMs) as unknown as RedisClient;
    const onError = (error: Error) => {
      this.#lastError = error;
    };
    this.#client.on('error', onError);
    this.#client.on('node error', onError);
    this.#client.on('ready', () => {
      this.#lastError = null;
    });
  }

  /** Runs `work` on the connection. @throws PrefetchdError with `code`, or a PrefetchdError that `work` throws */
  async call<Result>(
    code: PrefetchdErrorCode,
    work: (client: RedisClient) => Promise<Result>,
  ): Promise<Result> {
    try {
      if (this.#client.status === 'wait') await this.#connected();
      return await work(this.#client);
    } catch (error) {
      if (error instanceof PrefetchdError) throw error;
      const cause = this.#causeOf(error as Error);
      const verb = code === 'store-unreadable' ? 'read' : 'written to';
      throw new PrefetchdError(code, `${this.#name} cannot be ${verb}: ${cause.message}`, {
        cause,
      });
    }
  }

  /** Closes the connection; pending calls fail. */
  close(): void {
    this.#client.disconnect();
  }

  /** Waits for the first connection, which may take a few replies; without a limit a Cluster might wait for ever. */
  #connected(): Promise<unknown> {
    const waitMs = 4 * this.#timeoutMs;
    const late = wait(waitMs, null, { ref: false }).then(() => {
      throw new Error(`no answer in ${waitMs} ms`);
    });
    return Promise.race([this.#client.connect(), late]);
  }

  /** The socket's own error if there is one, because errors of calls only say that there is no connection. */
  #causeOf(error: Error): Error {
    const isVague = /is closed|max retries|isn't (ready|writeable)/i.test(error.message);
    const plain = isVague ? (this.#lastError ?? new Error('the connection was lost')) : error;
    const cause = new Error(textOf(plain));
    cause.name = plain.name;
    return cause;
  }
}

function clientOf(
  place: RedisPlace,
  { retryMs = 250, ca }: RedisConnectionOptions,
  timeoutMs: number,
): Redis | Cluster {
  const { host, port, database, username, password } = place;
  const redisOptions = {
    ...(username !== '' && { username }),
    ...(password !== '' && { password }),
    ...(place.isTls && { tls: tlsOptions(host, ca) }),
    connectTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    commandTimeout: timeoutsPerCall * timeoutMs,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    disableClientInfo: true,
  };
  const waitMs = (failures: number) =>
    Math.min(maxRetryMs, retryMs * 2 ** (failures - 1)) * (0.5 + 0.5 * Math.random());
  const options = {
    lazyConnect: true,
    enableOfflineQueue: false,
    scripts: { flushGraph: { lua: flushScript, numberOfKeys: 5 } },
  };
  if (!place.isCluster) {
    return new Redis({
      ...redisOptions,
      ...options,
      host,
      port,
      db: database,
      retryStrategy: waitMs,
    });
  }
  return new Cluster([{ host, port }], {
    ...options,
    redisOptions,
    clusterRetryStrategy: waitMs,
    slotsRefreshTimeout: timeoutMs,
    maxRedirections: 3,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
  });
}

/** Options of TLS. The certificate is verified, as by default in Node. */
function tlsOptions(host: string, ca: string | Buffer | undefined): ConnectionOptions {
  // An IP address is not a valid server name (RFC 6066 3).
  return { ...(isIP(host) === 0 && { servername: host }), ...(ca !== undefined && { ca }) };
}

/** The message of an error; for an AggregateError of several connection attempts, that of the first. */
function textOf(error: Error): string {
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [error];
  return first?.message || String((first as NodeJS.ErrnoException | undefined)?.code ?? error.name);
}
