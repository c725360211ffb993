// The connection to Redis. No call hangs: connecting and each reply must complete within `timeoutMs`, and after a
// failure all calls fail at once until the next retry is due (a circuit breaker). No command is queued or resent
// implicitly: only the caller knows which commands must not count twice.
//
// Connections are made on demand, when the breaker permits, so a single backoff covers connecting and calls. Errors
// of ioredis include the arguments of their command, among them the password and the salt, so only their text leaves
// this file.

import { isIP } from 'node:net';
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

export interface RedisLinkOptions {
  /** Longest wait for Redis, ms. */
  timeoutMs: number;
  /** Wait before the first retry, ms; it doubles with each failure up to `maxRetryMs`. */
  retryMs: number;
  maxRetryMs: number;
  /** Trusted CA certificates, PEM; absent: those that Node trusts. */
  ca?: string | Buffer;
  /** Returns a monotonic time, ms. */
  clock: () => number;
  /** Returns a random number, 0..1, which varies the waits. */
  random: () => number;
}

/** Number of timeouts that a call of many commands may take in total. */
const timeoutsPerCall = 10;
const oldestVersion = [6, 2] as const;

export class RedisLink {
  readonly name: string;
  readonly #options: RedisLinkOptions;
  readonly #client: RedisClient;
  /** The connection's own error; a call only learns that the connection was closed. */
  #lastError: Error | null = null;
  #failures = 0;
  #retryAtMs = Number.NEGATIVE_INFINITY;
  #connecting: Promise<void> | null = null;

  constructor(place: RedisPlace, options: RedisLinkOptions) {
    this.name = place.name;
    this.#options = options;
    this.#client = clientOf(place, options) as unknown as RedisClient;
    const onError = (error: Error) => {
      this.#lastError = error;
    };
    this.#client.on('error', onError);
    this.#client.on('node error', onError);
  }

  /** @throws PrefetchdError with `code`, or a PrefetchdError that `work` throws */
  async call<Result>(
    code: PrefetchdErrorCode,
    work: (client: RedisClient) => Promise<Result>,
  ): Promise<Result> {
    const waitMs = this.#retryAtMs - this.#options.clock();
    if (waitMs > 0) {
      const why = this.#lastError === null ? '' : ` (${textOf(this.#lastError)})`;
      throw this.#error(code, `failed before${why}; next attempt in ${Math.ceil(waitMs)} ms`, null);
    }
    try {
      await this.#connect();
      const result = await work(this.#client);
      this.#failures = 0;
      return result;
    } catch (error) {
      if (error instanceof PrefetchdError) throw error;
      const cause = this.#causeOf(error as Error);
      this.#lastError = cause;
      this.#rest();
      const verb = code === 'store-unreadable' ? 'read' : 'written to';
      throw this.#error(code, `cannot be ${verb}: ${textOf(cause)}`, cause);
    }
  }

  /** Closes the connection; pending calls fail. */
  close(): void {
    this.#client.disconnect();
  }

  async #connect(): Promise<void> {
    if (this.#client.status === 'ready') return;
    // The error is kept if another call is already connecting, because it may be the reason why that fails.
    if (this.#connecting === null) this.#lastError = null;
    await this.#connected();
    const { serverInfo } = this.#client as unknown as {
      serverInfo?: { redis_version?: string };
    };
    const version = serverInfo?.redis_version;
    if (version !== undefined && isOlder(version)) {
      this.#client.disconnect();
      throw new Error(`it is Redis ${version}; 6.2 or later, or Valkey, is needed`);
    }
  }

  /** Joins a connection attempt that is already under way. */
  #connected(): Promise<void> {
    // The handshake has four replies, and a Cluster that is not ready would wait for ever.
    const { timeoutMs } = this.#options;
    this.#connecting ??= within(4 * timeoutMs, this.#client.connect())
      .catch((error) => {
        // A client that has ended and is closed once more keeps the next failure's reason to itself.
        if (this.#client.status !== 'end') this.#client.disconnect();
        throw error;
      })
      .finally(() => {
        this.#connecting = null;
      });
    return this.#connecting;
  }

  #rest(): void {
    const { retryMs, maxRetryMs, clock, random } = this.#options;
    const waitMs = Math.min(maxRetryMs, retryMs * 2 ** Math.min(this.#failures++, 30));
    this.#retryAtMs = clock() + waitMs * (0.5 + 0.5 * random());
  }

  /** The socket's own error if there is one, because calls only report that the connection was closed. */
  #causeOf(error: Error): Error {
    const isVague = /connection is closed|max retries|isn't (ready|writeable)/i.test(error.message);
    const plain = isVague && this.#lastError !== null ? this.#lastError : error;
    const cause = new Error(textOf(plain));
    cause.name = plain.name;
    return cause;
  }

  #error(code: PrefetchdErrorCode, what: string, cause: Error | null): PrefetchdError {
    return new PrefetchdError(code, `${this.name} ${what}`, cause === null ? {} : { cause });
  }
}

function within<Result>(timeoutMs: number, promise: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function clientOf(place: RedisPlace, { timeoutMs, ca }: RedisLinkOptions): Redis | Cluster {
  const scripts = { flushGraph: { lua: flushScript, numberOfKeys: 5 } };
  const { host, port, database, username, password } = place;
  const options = {
    ...(username !== '' && { username }),
    ...(password !== '' && { password }),
    ...(place.isTls && { tls: tlsOptions(host, ca) }),
    connectTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    commandTimeout: timeoutsPerCall * timeoutMs,
    autoResendUnfulfilledCommands: false,
    disableClientInfo: true,
    lazyConnect: true,
  };
  if (!place.isCluster) {
    return new Redis({
      ...options,
      host,
      port,
      db: database,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: null,
      scripts,
    });
  }
  return new Cluster([{ host, port }], {
    redisOptions: { ...options, maxRetriesPerRequest: 0 },
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: null,
    slotsRefreshTimeout: timeoutMs,
    maxRedirections: 3,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    scripts,
  });
}

/** The certificate is verified, as by default in Node. */
function tlsOptions(host: string, ca: string | Buffer | undefined): ConnectionOptions {
  // An IP address is not a valid server name (RFC 6066 3).
  return { ...(isIP(host) === 0 && { servername: host }), ...(ca !== undefined && { ca }) };
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < oldestVersion[0] || (major === oldestVersion[0] && minor < oldestVersion[1]);
}

/** The message of an error; for an AggregateError of several connection attempts, that of the first. */
function textOf(error: Error): string {
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [error];
  return first?.message || String((first as NodeJS.ErrnoException | undefined)?.code ?? error.name);
}
