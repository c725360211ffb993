// What the proxy bounds on the side of the upstream, beside the limits every server here has. Some of
// those get other defaults: content is passed on, not thrown away, so it may be long and slow.

import { connectionCapacity } from '../../process/connection-capacity.ts';
import { ServerError } from '../errors.ts';
import {
  checkLimits,
  checkNumber,
  invalidOption,
  isLimit,
  type Limits,
  longestMs,
  type Rule,
  shareOfOne,
} from '../listen/limits.ts';

/** A system has ports for 28,000 connections to one address. */
const mostToOneAddress = 24_000;
/** Of the descriptors; the rest is for connections to the upstream, where requests can wait, as clients cannot. */
const clientShare = 5 / 8;

const rules = {
  /**
   * Connections to the upstream, busy and idle; a request that finds none free waits its turn. By default as
   * many as clients leave room for.
   */
  maxUpstreamConnections: {
    default: Math.min(mostToOneAddress, connectionCapacity(1 - clientShare)),
    min: 1,
    max: 1_000_000,
  },
  /** Until a connection to the upstream is there, once it is its turn, TLS included, then 504. */
  connectTimeoutMs: { default: 5_000, min: 10, max: longestMs },
  /**
   * From the last byte of the request to the end of the response's header fields, then 504. As long a request
   * waits for its turn, too.
   */
  responseTimeoutMs: { default: 60_000, min: 10, max: longestMs },
  /** No byte moved between proxy and upstream: 504, or the cut of a response that has begun. */
  upstreamIdleTimeoutMs: { default: 60_000, min: 10, max: longestMs },
  /** How long an idle connection to the upstream is kept. Below the 5 s of most Node servers. */
  upstreamKeepAliveTimeoutMs: { default: 4_000, min: 1, max: longestMs },
  /** A websocket on which nothing moved is cut. */
  tunnelIdleTimeoutMs: { default: 3_600_000, min: 10, max: longestMs },
  /** 1xx responses to one request. More: 502. */
  maxInterimResponses: { default: 32, min: 0, max: 10_000 },
} as const satisfies Record<string, Rule>;

export type UpstreamLimits = { -readonly [name in keyof typeof rules]: number };

/** Of createOrigin's limits, those that are about files mean nothing here. */
export type ServingLimits = Omit<Limits, 'maxCacheBytes' | 'maxCachedFileBytes'>;

export type ProxyLimits = ServingLimits & UpstreamLimits;

const names = Object.keys(rules) as (keyof UpstreamLimits)[];
export const defaultUpstreamLimits: Readonly<UpstreamLimits> = Object.freeze(
  Object.fromEntries(names.map((name) => [name, rules[name].default])) as UpstreamLimits,
);

const notOurs = new Set(['maxCacheBytes', 'maxCachedFileBytes']);

const servingDefaults = {
  maxConnections: connectionCapacity(clientShare),
  maxConnectionsPerAddress: shareOfOne(connectionCapacity(clientShare)),
  maxRequestBodyBytes: 1024 * 1024 * 1024,
  // Each takes a connection to the site, which is worth more than a moment of ours.
  maxPipelinedRequests: 16,
  requestTimeoutMs: 300_000,
} as const satisfies Partial<Limits>;

export function isProxyLimit(name: string): boolean {
  return (isLimit(name) && !notOurs.has(name)) || Object.hasOwn(rules, name);
}

/** The limits given, completed by the defaults. @throws ServerError 'invalid-option' */
export function checkProxyLimits(given: Partial<ProxyLimits>): Limits & UpstreamLimits {
  const upstream: UpstreamLimits = { ...defaultUpstreamLimits };
  for (const name of names) {
    upstream[name] = given[name] ?? upstream[name];
    checkNumber(name, upstream[name], rules[name]);
  }
  // A site that thinks moves no byte: the 504 of responseTimeoutMs is to come first.
  if (given.upstreamIdleTimeoutMs === undefined) {
    upstream.upstreamIdleTimeoutMs = Math.max(
      upstream.upstreamIdleTimeoutMs,
      upstream.responseTimeoutMs,
    );
  }
  const told = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const limits = { ...checkLimits({ ...servingDefaults, ...told }), ...upstream };

  // While the upstream thinks, nothing moves on the client's connection either: it must not be cut
  // before the 504 is due.
  const thinkingMs = limits.connectTimeoutMs + 2 * limits.responseTimeoutMs;
  if (limits.idleTimeoutMs <= thinkingMs) {
    if (given.idleTimeoutMs !== undefined) {
      const rule = `more than connectTimeoutMs + 2 * responseTimeoutMs (${thinkingMs})`;
      invalidOption('idleTimeoutMs', rule, given.idleTimeoutMs);
    }
    if (thinkingMs >= longestMs) {
      throw new ServerError(
        'invalid-option',
        `connectTimeoutMs + 2 * responseTimeoutMs must be below ${longestMs}, but is ${thinkingMs}`,
      );
    }
    limits.idleTimeoutMs = thinkingMs + Math.min(1_000, longestMs - thinkingMs);
  }
  return limits;
}
