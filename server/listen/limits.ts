// All limits on what a client can make the server store, wait for or repeat, in one table with their defaults,
// checked once at creation. Infinity is accepted only where it is harmless; 0 never means "no limit".

import { longestMs, wholeNumber, wholeNumberOrInfinity } from '../../options/kinds.ts';
import { checked, defaultsOf, type OptionOf, objectOf, option } from '../../options/options.ts';
import { refusal } from '../../options/refusal.ts';
import { connectionCapacity } from '../../process/connection-capacity.ts';
import { invalidOption } from '../errors.ts';

const KB = 1024;
const MB = 1024 * KB;

/** The number of connections that one address may have. */
export function shareOfOne(connections: number): number {
  return Math.ceil(connections * 0.75);
}

const timeOrInfinity = wholeNumberOrInfinity({ least: 10, most: longestMs });

/** The limits by name; docs/server.md contains this table. */
export const rules = {
  maxConnections: option(
    wholeNumber({ least: 1, most: 1_000_000 }),
    connectionCapacity(),
    'Open connections, including lingering ones; see below for `room`. Further ones get 503 and are closed; over TLS they are only closed.',
    { shownDefault: '`room`' },
  ),
  maxConnectionsPerAddress: option(
    wholeNumber({ least: 1, most: 1_000_000 }),
    shareOfOne(connectionCapacity()),
    'Open connections per address, or per IPv6 network (`ipv6Prefix`); the default is three quarters of `maxConnections`. Addresses in `trustProxy` are exempt.',
    { shownDefault: '`room`' },
  ),
  maxRequestsPerConnection: option(
    wholeNumberOrInfinity({ least: 1 }),
    Infinity,
    'Requests per connection. The last response announces the close, then the connection is half-closed.',
  ),
  maxPipelinedRequests: option(
    wholeNumber({ least: 1, most: 10_000 }),
    64,
    'Pipelined requests of a connection processed at a time; further ones wait.',
  ),
  maxConcurrentStreams: option(
    wholeNumber({ least: 1, most: 10_000 }),
    100,
    'Open HTTP/2 streams per connection (RFC 9113 5.1.2).',
  ),
  maxHeaderBytes: option(
    wholeNumber({ least: KB, most: MB }),
    16 * KB,
    'Request line and header fields of a request; more gets 431, as do more than 200 fields.',
  ),
  maxUrlBytes: option(
    wholeNumber({ least: 1, most: MB }),
    8 * KB,
    'Request target; more gets 414.',
  ),
  maxRequestBodyBytes: option(
    wholeNumber({ most: 2 ** 40 }),
    64 * KB,
    'Content-Length of a request, whose content is read and discarded; more, or a chunked GET, gets 413.',
  ),
  headersTimeoutMs: option(
    wholeNumber({ least: 10, most: longestMs }),
    10_000,
    'From accept, or the first byte of a request, to the end of its header fields; then 408. Also applies to the TLS handshake. At most `requestTimeoutMs`.',
  ),
  requestTimeoutMs: option(
    timeOrInfinity,
    30_000,
    'From the first byte of a request (over HTTP/2, the end of its fields) to the last byte of its content; then 408. Infinity: an upload may take any time.',
  ),
  contentTimeoutMs: option(
    wholeNumber({ least: 10, most: longestMs }),
    30_000,
    'Longest time between two pieces of the content of a request, while it is wanted; then 408.',
  ),
  keepAliveTimeoutMs: option(
    wholeNumber({ least: 1, most: longestMs }),
    75_000,
    'How long an idle connection is kept, from when the kernel accepted the last response.',
  ),
  idleTimeoutMs: option(
    wholeNumber({ least: 10, most: longestMs }),
    60_000,
    'Longest time without a byte in either direction during a request or response; then the connection is cut.',
  ),
  lingerTimeoutMs: option(
    wholeNumber({ least: 1, most: longestMs }),
    30_000,
    'How long the receiving half stays open after the sending half is closed.',
  ),
  maxLingerBytes: option(
    wholeNumber({ most: 2 ** 40 }),
    MB,
    'Bytes read and discarded during `lingerTimeoutMs`.',
  ),
  closeTimeoutMs: option(
    wholeNumber({ most: longestMs }),
    5_000,
    'How long `close()` waits for responses before it cuts them.',
  ),
  drainTimeoutMs: option(
    wholeNumber({ most: longestMs }),
    1_000,
    'How long `close()` keeps idle connections open for requests in transit; at most half of `closeTimeoutMs`.',
  ),
  maxGatheredBytes: option(
    wholeNumber({ most: 16 * MB }),
    64 * KB,
    'Pipelined responses are written together up to this size. 0: each is written immediately.',
  ),
  maxCacheBytes: option(
    wholeNumber({ most: 2 ** 40 }),
    64 * MB,
    'Memory cache of files and their compressed forms.',
  ),
  maxCachedFileBytes: option(
    wholeNumber({ most: 64 * MB }),
    MB,
    'Largest file that is cached and compressed; larger ones are streamed from disk.',
  ),
} satisfies Readonly<Record<string, OptionOf<number>>>;

export type Limits = { -readonly [name in keyof typeof rules]: number };

const limitsKind = objectOf(rules);

export const defaultLimits: Readonly<Limits> = Object.freeze(defaultsOf(rules));

const names = Object.keys(rules) as (keyof Limits)[];

/**
 * The limits among these options, completed with defaults; limits that belong together change together.
 * @throws ServerError 'invalid-option'
 */
export function checkLimits(options: Partial<Limits> = {}): Limits {
  const given = Object.fromEntries(names.map((name) => [name, options[name]])) as Partial<Limits>;
  const limits = checked(limitsKind, given, invalidOption);
  if (limits.headersTimeoutMs > limits.requestTimeoutMs) {
    if (given.headersTimeoutMs === undefined) limits.headersTimeoutMs = limits.requestTimeoutMs;
    else if (given.requestTimeoutMs === undefined)
      limits.requestTimeoutMs = limits.headersTimeoutMs;
    else {
      const rule = `at most requestTimeoutMs (${limits.requestTimeoutMs})`;
      invalidOption(refusal('headersTimeoutMs', rule, limits.headersTimeoutMs));
    }
  }
  return limits;
}
