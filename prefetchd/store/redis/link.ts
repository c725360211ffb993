// The connection to Redis. Whatever Redis does, a call ends: connecting, and every answer, must come within
// `timeoutMs`, and after a failure calls fail at once until it is time for the next try (a breaker). Nothing
// is queued or sent again behind our back: who calls decides that, knowing what counts twice.
//
// A connection is made when a call needs one, and the breaker says when that may be: so there is one backoff, not
// one for connecting and one for calls. A library's breaker (cockatiel, opossum) would bring events, half-open
// races and timers of its own for what is one number here, the time of the next try.
//
// Errors of ioredis carry the arguments of their command, the password and the salt among them; only
// their text leaves this file.

import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { Cluster, Redis } from 'ioredis';
import { PrefetchdError, type PrefetchdErrorCode } from '../../errors.ts';
import type { RedisPlace } from './location.ts';
import { mergeScript } from './lua/scripts.ts';
import {
  dropArcsScript,
  endErasScript,
  pruneNodesScript,
  saltScript,
} from './lua/upkeep-scripts.ts';

/** What ioredis makes of our scripts. */
interface Scripts<Answer> {
  mergeChunk(...keysAndValues: (string | number | Buffer)[]): Answer;
  sharedSaltBuffer(...keysAndValues: (string | number | Buffer)[]): Answer;
  pruneNodes(...keysAndValues: (string | number | Buffer)[]): Answer;
  dropArcs(...keysAndValues: (string | number | Buffer)[]): Answer;
  endErasOfRows(...keysAndValues: (string | number | Buffer)[]): Answer;
}

type Pipeline = ReturnType<Redis['pipeline']>;
export type RedisPipeline = Pipeline & Scripts<Pipeline>;
export type RedisClient = Omit<Redis, 'pipeline'> &
  Scripts<Promise<unknown>> & { pipeline(): RedisPipeline };

export interface RedisLinkOptions {
  /** Longest silence of Redis while we wait for it, ms. */
  timeoutMs: number;
  /** Before the first retry, ms; doubles with each failure up to `maxRetryMs`. */
  retryMs: number;
  maxRetryMs: number;
  /** Certificates to trust, PEM; absent: those Node trusts. */
  ca?: string | Buffer;
  /** Monotonic, ms. */
  clock: () => number;
  /** 0..1 */
  random: () => number;
}

/** A call of many commands may go on for so many times the longest silence. */
const timeoutsPerCall = 10;
const oldestVersion = [6, 2] as const;

export class RedisLink {
  readonly name: string;
  readonly #options: RedisLinkOptions;
  readonly #client: RedisClient;
  /** The last word of the connection itself; calls only learn that it closed. */
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

  /** @throws PrefetchdError with `code`, or what `work` throws of that kind */
  async call<Result>(
    code: PrefetchdErrorCode,
    work: (client: RedisClient) => Promise<Result>,
  ): Promise<Result> {
    const waitMs = this.#retryAtMs - this.#options.clock();
    if (waitMs > 0) {
      const why = this.#lastError === null ? '' : ` (${textOf(this.#lastError)})`;
      throw this.#error(
        code,
        `failed before${why}; it is tried again in ${Math.ceil(waitMs)} ms`,
        null,
      );
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

  /** What is under way fails. */
  close(): void {
    this.#client.disconnect();
  }

  async #connect(): Promise<void> {
    if (this.#client.status === 'ready') return;
    this.#lastError = null;
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

  /** Also when another call is connecting already. */
  #connected(): Promise<void> {
    // A greeting is four answers; a Cluster that is not ready would let us wait for ever.
    const { timeoutMs } = this.#options;
    this.#connecting ??= within(4 * timeoutMs, this.#client.connect())
      .catch((error) => {
        this.#client.disconnect();
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

  /** The socket's own error where there is one: calls are told no more than that it closed. */
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
  const scripts = {
    mergeChunk: { lua: mergeScript, numberOfKeys: 5 },
    sharedSalt: { lua: saltScript, numberOfKeys: 1 },
    pruneNodes: { lua: pruneNodesScript, numberOfKeys: 1 },
    dropArcs: { lua: dropArcsScript, numberOfKeys: 2 },
    endErasOfRows: { lua: endErasScript, numberOfKeys: 1 },
  };
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

/** The certificate is verified, as Node does by default. */
function tlsOptions(host: string, ca: string | Buffer | undefined): ConnectionOptions {
  // An address is no server name (RFC 6066 3).
  return { ...(isIP(host) === 0 && { servername: host }), ...(ca !== undefined && { ca }) };
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < oldestVersion[0] || (major === oldestVersion[0] && minor < oldestVersion[1]);
}

/** Of several tries to connect, an AggregateError, the first. */
function textOf(error: Error): string {
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [error];
  return first?.message || String((first as NodeJS.ErrnoException | undefined)?.code ?? error.name);
}
