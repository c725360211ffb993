// Lists all limits on what a client can make the server store, wait for or repeat, in one table with their defaults,
// checked once at creation. Infinity is accepted only where it is harmless; 0 never means "no limit".

import { longestMs, wholeNumber, wholeNumberOrInfinity } from '../../options/kinds.ts';
import {
  checked,
  joined,
  looseObjectOf,
  type OptionsOf,
  option,
  type ValuesOf,
} from '../../options/options.ts';
import { connectionCapacity } from '../../process/connection-capacity.ts';
import { invalidOption } from '../errors.ts';

const KB = 1024;
const MB = 1024 * KB;

/** Returns how many of all connections one address may have. */
export function shareOfOne(connections: number): number {
  return Math.ceil(connections * 0.75);
}

const timeOrInfinity = wholeNumberOrInfinity({ least: 10, most: longestMs });

/** The limits by name; docs/server.md contains this table. */
export const rules = {
  /**
   * Limit on open connections, including lingering ones. `room` is what file descriptors and memory permit. Further
   * ones get 503 and are closed; over TLS they are only closed.
   */
  maxConnections: option(wholeNumber({ least: 1, most: 1_000_000 }), connectionCapacity(), {
    shownDefault: '`room`',
    flag: '--max-connections <n>',
    help: 'simultaneous connections; more get 503 (as many as files and memory allow)',
  }),
  /** Limit on requests per connection. The last response announces the close, then the connection is half-closed. */
  maxRequestsPerConnection: option(wholeNumberOrInfinity({ least: 1 }), Infinity, {
    flag: '--requests-per-connection <n>',
    help: 'close each connection after this many requests',
    written: wholeNumber({ least: 1 }),
  }),
  /**
   * Largest Content-Length of a request, whose content is read and discarded; a larger one, or a chunked GET, gets 413.
   */
  maxRequestBodyBytes: option(wholeNumber({ most: 2 ** 40 }), 64 * KB),
  /**
   * Time from the first byte of a request (over HTTP/2, the end of its fields) to the last byte of its content; then
   * 408. Infinity: an upload may take any time.
   */
  requestTimeoutMs: option(timeOrInfinity, 30_000),
};

/** Values that no site needs to set; tests set them by `withConstants`. */
export const limitConstants = {
  /**
   * Limit on open connections per address, or per IPv6 network; addresses in `trustProxy` are exempt. null: three
   * quarters of `maxConnections`.
   */
  maxConnectionsPerAddress: null as number | null,
  /** Limit on pipelined requests of a connection that are processed at a time; further ones wait. */
  maxPipelinedRequests: 64,
  /** Limit on open HTTP/2 streams per connection (RFC 9113 5.1.2). */
  maxConcurrentStreams: 100,
  /** Longest request line with header fields, bytes; a longer one gets 431, as do more than 200 fields. */
  maxHeaderBytes: 16 * KB,
  /** Longest request target, bytes; a longer one gets 414. */
  maxUrlBytes: 8 * KB,
  /**
   * Time from accepting the connection, or from the first byte of a request, to the end of the header fields, ms; then
   * 408. It also applies to the TLS handshake. At most `requestTimeoutMs`.
   */
  headersTimeoutMs: 10_000,
  /** Longest time between two pieces of the content of a request, while the site reads it, ms; then 408. */
  contentTimeoutMs: 30_000,
  /** Longest time without a byte in either direction during a request or response, ms; then the connection is cut. */
  idleTimeoutMs: 60_000,
  /**
   * How long an idle connection is kept, from when the kernel accepted the last response, ms: longer than the servers
   * in front keep it (nginx and most balancers: 60 s), so that none sends a request on a connection about to close.
   */
  keepAliveTimeoutMs: 75_000,
  /**
   * How long the receiving half stays open after the sending half is closed, ms, and how many bytes are read meanwhile.
   */
  lingerTimeoutMs: 30_000,
  maxLingerBytes: MB,
  /** How long `close()` waits for responses before it cuts them, ms; containers are killed after ten seconds. */
  closeTimeoutMs: 5_000,
  /** How long `close()` keeps idle connections open for requests in transit, ms; at most half of `closeTimeoutMs`. */
  drainTimeoutMs: 1_000,
  /** Pipelined responses are written together up to this size, bytes. 0: each is written immediately. */
  maxGatheredBytes: 64 * KB,
  /** Size of the memory cache of files and their compressed forms, bytes. */
  maxCacheBytes: 64 * MB,
  /** Largest file that is cached and compressed, bytes; larger ones are streamed from disk. */
  maxCachedFileBytes: MB,
};

export type ServerLimits = ValuesOf<typeof rules> & {
  -readonly [Name in keyof typeof limitConstants]: number;
};

/** Returns the limits among options, completed with defaults and constants. @throws ServerError 'invalid-option' */
export function checkLimits(options: OptionsOf<typeof rules> = {}): ServerLimits {
  return withLimitConstants(checked(looseObjectOf(rules), { ...options }, invalidOption), options);
}

/**
 * Completes the limits that are options with those that no site needs to set (`limitConstants`).
 * @param options The caller's options; in tests they may contain values of these constants, too
 * @param others Constants that have another value for this kind of server
 */
export function withLimitConstants<Values extends ValuesOf<typeof rules>>(
  values: Values,
  options: object,
  others: Partial<typeof limitConstants> = {},
): Values & ServerLimits {
  const limits = joined(values, { ...limitConstants, ...others }, options);
  return {
    ...limits,
    maxConnectionsPerAddress: limits.maxConnectionsPerAddress ?? shareOfOne(limits.maxConnections),
    headersTimeoutMs: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
  };
}
