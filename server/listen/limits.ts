// Everything a stranger can make the server hold, wait for or repeat has a bound, and every bound
// stands in the one table below with its default. They are checked once, when the server is made.
// Infinity is written as Infinity and allowed only where it does no harm; 0 never means "no limit".

import { inspect } from 'node:util';
import {
  defaultIpv6Prefix,
  type Ipv6Prefix,
  ipv6PrefixRule,
  isIpv6Prefix,
} from '../../http/visitor-address.ts';
import { connectionCapacity } from '../../process/connection-capacity.ts';
import { ServerError } from '../errors.ts';

export interface Rule {
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly orInfinity?: boolean;
}

const KB = 1024;
const MB = 1024 * KB;
// setTimeout fires at once when the delay does not fit in 31 bits.
export const longestMs = 2 ** 31 - 1;

/** Of so many connections one address may have so many. */
export function shareOfOne(connections: number): number {
  return Math.ceil(connections * 0.75);
}

const rules = {
  /**
   * Connections open at once, lingering ones included. One more is answered 503 and closed. By default as
   * many as this process has room for.
   */
  maxConnections: { default: connectionCapacity(), min: 1, max: 1_000_000 },
  /**
   * The same for one address, or one network of ipv6Prefix, but not for trusted proxies. By default so
   * many that one address cannot keep out all others.
   */
  maxConnectionsPerAddress: { default: shareOfOne(connectionCapacity()), min: 1, max: 1_000_000 },
  /**
   * Requests answered on one connection; the last answer says so and the sending half is closed.
   * Infinity by default: 'the number of HTTP requests served is often a poor indicator for when to
   * close the connection' (Nielsen, Gettys et al. 1997, Nagle Interaction).
   */
  maxRequestsPerConnection: {
    default: Infinity,
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    orInfinity: true,
  },
  /** Pipelined requests of one connection worked on at once; further ones wait, unstarted. */
  maxPipelinedRequests: { default: 64, min: 1, max: 10_000 },
  /** HTTP/2 streams open at once on one connection (RFC 9113 5.1.2). */
  maxConcurrentStreams: { default: 100, min: 1, max: 10_000 },
  /** Request line and header fields of one request. More is answered 431. */
  maxHeaderBytes: { default: 16 * KB, min: KB, max: MB },
  /** The request target. More is answered 414. */
  maxUrlBytes: { default: 8 * KB, min: 1, max: MB },
  /** Announced request content; drained up to here. More, or a chunked body on GET: 413. */
  maxRequestBodyBytes: { default: 64 * KB, min: 0, max: 2 ** 40 },
  /** From the first byte of a request (or from accept) to the end of its header fields, then 408. */
  headersTimeoutMs: { default: 10_000, min: 10, max: longestMs },
  /** From the first byte of a request to the last byte of its content, then 408. */
  requestTimeoutMs: { default: 30_000, min: 10, max: longestMs },
  /**
   * How long an idle connection is kept. The clock starts when the kernel took the last answer, not
   * when the client has it: on a 28.8 kbit/s line 200 KB are a minute apart.
   */
  keepAliveTimeoutMs: { default: 75_000, min: 1, max: longestMs },
  /** No byte moved either way while a request or an answer is under way: the connection is cut. */
  idleTimeoutMs: { default: 60_000, min: 10, max: longestMs },
  /** How long the receiving half stays open after the sending half was closed. */
  lingerTimeoutMs: { default: 30_000, min: 1, max: longestMs },
  /** What is read and thrown away meanwhile. */
  maxLingerBytes: { default: MB, min: 0, max: 2 ** 40 },
  /** How long close() lets answers finish before it cuts them. */
  closeTimeoutMs: { default: 5_000, min: 0, max: longestMs },
  /**
   * How long close() keeps idle connections for a request that is on its way (RFC 9112 9.6); at most half of
   * closeTimeoutMs.
   */
  drainTimeoutMs: { default: 1_000, min: 0, max: longestMs },
  /** Pipelined answers are gathered up to here before they are written. 0: each is written at once. */
  maxGatheredBytes: { default: 64 * KB, min: 0, max: 16 * MB },
  /** Files and their coded forms kept in memory, in all. */
  maxCacheBytes: { default: 64 * MB, min: 0, max: 2 ** 40 },
  /** Files up to here are read whole, kept and compressed; larger ones are streamed from the disk. */
  maxCachedFileBytes: { default: MB, min: 0, max: 64 * MB },
} as const satisfies Record<string, Rule>;

export type Limits = { -readonly [name in keyof typeof rules]: number };

const names = Object.keys(rules) as (keyof Limits)[];

export const defaultLimits: Readonly<Limits> = Object.freeze(
  Object.fromEntries(names.map((name) => [name, rules[name].default])) as Limits,
);

export function isLimit(name: string): name is keyof Limits {
  return Object.hasOwn(rules, name);
}

/** Throws ServerError 'invalid-option' with the name, the rule and the value. */
export function invalidOption(name: string, rule: string, value: unknown): never {
  throw new ServerError(
    'invalid-option',
    `option ${name} must be ${rule}, but is ${inspect(value, { depth: 0 })}`,
  );
}

/** @throws ServerError 'invalid-option' */
export function checkNumber(name: string, value: unknown, { min, max, orInfinity }: Rule): void {
  const inRange = Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
  if (inRange || (orInfinity && value === Infinity)) return;
  invalidOption(name, `an integer from ${min} to ${max}${orInfinity ? ' or Infinity' : ''}`, value);
}

/** @throws ServerError 'invalid-option' */
export function checkIpv6Prefix(value: Ipv6Prefix = defaultIpv6Prefix): Ipv6Prefix {
  return isIpv6Prefix(value) ? value : invalidOption('ipv6Prefix', ipv6PrefixRule, value);
}

/** The limits given, completed by the defaults. @throws ServerError 'invalid-option' */
export function checkLimits(given: Partial<Limits> = {}): Limits {
  const limits: Limits = { ...defaultLimits };
  for (const name of names) {
    const value = given[name];
    if (value === undefined) continue;
    checkNumber(name, value, rules[name]);
    limits[name] = value;
  }
  if (limits.headersTimeoutMs > limits.requestTimeoutMs) {
    if (given.headersTimeoutMs === undefined) limits.headersTimeoutMs = limits.requestTimeoutMs;
    else if (given.requestTimeoutMs === undefined)
      limits.requestTimeoutMs = limits.headersTimeoutMs;
    else
      invalidOption(
        'headersTimeoutMs',
        `at most requestTimeoutMs (${limits.requestTimeoutMs})`,
        limits.headersTimeoutMs,
      );
  }
  return limits;
}
