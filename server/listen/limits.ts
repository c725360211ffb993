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

/** By name; docs/server.md contains this table. */
export const rules = {
  maxConnections: option(
    wholeNumber({ least: 1, most: 1_000_000 }),
    connectionCapacity(),
    'Connections open at once, lingering ones included: what the process has room for, see below. One more is answered 503 and closed; over TLS it is only closed.',
    { shownDefault: '`room`' },
  ),
  maxConnectionsPerAddress: option(
    wholeNumber({ least: 1, most: 1_000_000 }),
    shareOfOne(connectionCapacity()),
    'The same for one address, three quarters of it; of IPv6, for one network of `ipv6Prefix`. Not for who is in `trustProxy`.',
    { shownDefault: '`room`' },
  ),
  maxRequestsPerConnection: option(
    wholeNumberOrInfinity({ least: 1 }),
    Infinity,
    'Requests answered on one connection; the last response says so and the sending half is closed.',
  ),
  maxPipelinedRequests: option(
    wholeNumber({ least: 1, most: 10_000 }),
    64,
    'Pipelined requests of one connection worked on at once; further ones wait, unstarted.',
  ),
  maxConcurrentStreams: option(
    wholeNumber({ least: 1, most: 10_000 }),
    100,
    'HTTP/2 streams open at once on one connection (RFC 9113 5.1.2).',
  ),
  maxHeaderBytes: option(
    wholeNumber({ least: KB, most: MB }),
    16 * KB,
    'Request line and header fields of one request. More is answered 431.',
  ),
  maxUrlBytes: option(
    wholeNumber({ least: 1, most: MB }),
    8 * KB,
    'The request target. More is answered 414.',
  ),
  maxRequestBodyBytes: option(
    wholeNumber({ most: 2 ** 40 }),
    64 * KB,
    'Announced request content, read and thrown away up to here. More, or a chunked body on GET: 413.',
  ),
  headersTimeoutMs: option(
    wholeNumber({ least: 10, most: longestMs }),
    10_000,
    'From accept, or the first byte of a request, to the end of its header fields, then 408. Also the TLS handshake. At most `requestTimeoutMs`.',
  ),
  requestTimeoutMs: option(
    wholeNumber({ least: 10, most: longestMs }),
    30_000,
    'From the first byte of a request to the last byte of its content, then 408.',
  ),
  keepAliveTimeoutMs: option(
    wholeNumber({ least: 1, most: longestMs }),
    75_000,
    'How long an idle connection is kept, from when the kernel took the last response.',
  ),
  idleTimeoutMs: option(
    wholeNumber({ least: 10, most: longestMs }),
    60_000,
    'No byte moved either way while a request or a response is under way: the connection is cut.',
  ),
  lingerTimeoutMs: option(
    wholeNumber({ least: 1, most: longestMs }),
    30_000,
    'How long the receiving half stays open after the sending half was closed.',
  ),
  maxLingerBytes: option(
    wholeNumber({ most: 2 ** 40 }),
    MB,
    'What is read and thrown away meanwhile.',
  ),
  closeTimeoutMs: option(
    wholeNumber({ most: longestMs }),
    5_000,
    'How long `close()` lets responses finish before it cuts them.',
  ),
  drainTimeoutMs: option(
    wholeNumber({ most: longestMs }),
    1_000,
    'How long `close()` keeps idle connections for a request that is on its way; at most half of `closeTimeoutMs`.',
  ),
  maxGatheredBytes: option(
    wholeNumber({ most: 16 * MB }),
    64 * KB,
    'Pipelined responses are gathered up to here before they are written. 0: each is written at once.',
  ),
  maxCacheBytes: option(
    wholeNumber({ most: 2 ** 40 }),
    64 * MB,
    'Files and their coded forms kept in memory, in all.',
  ),
  maxCachedFileBytes: option(
    wholeNumber({ most: 64 * MB }),
    MB,
    'Files up to here are read whole, kept and compressed; larger ones are streamed from the disk.',
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
