// Limits of the proxy towards the upstream, in addition to the server's. Some of the server's limits have other
// defaults here: content is forwarded rather than discarded, so it may be long and slow.

import { longestMs, wholeNumber } from '../../options/kinds.ts';
import { checked, defaultsOf, type OptionOf, objectOf, option } from '../../options/options.ts';
import { refusal } from '../../options/refusal.ts';
import { connectionCapacity } from '../../process/connection-capacity.ts';
import { invalidOption } from '../errors.ts';
import { checkLimits, type Limits, rules, shareOfOne } from '../listen/limits.ts';

/** A system has ports for 28,000 connections to one address. */
const mostToOneAddress = 24_000;
/** Clients' share of the file descriptors; the rest is for upstream connections. Requests can wait for those, clients
 *  cannot wait. */
const clientShare = 5 / 8;

/** The limits by name; docs/server.md contains this table. */
export const upstreamRules = {
  maxUpstreamConnections: option(
    wholeNumber({ least: 1, most: 1_000_000 }),
    Math.min(mostToOneAddress, connectionCapacity(1 - clientShare)),
    'Connections to the upstream, opened 256 at a time. Further requests wait. An address outside `trustProxy` may use three quarters. Websockets count, and leave a quarter of all, and of an address, to requests; further ones get 503.',
    { shownDefault: '`room`' },
  ),
  connectTimeoutMs: option(
    wholeNumber({ least: 10, most: longestMs }),
    5_000,
    'Time to connect to the upstream, including TLS; then 504.',
  ),
  responseTimeoutMs: option(
    wholeNumber({ least: 10, most: longestMs }),
    60_000,
    "From the last byte of the request to the end of the response's header section; then 504. Also the longest wait for a connection.",
  ),
  upstreamIdleTimeoutMs: option(
    wholeNumber({ least: 10, most: longestMs }),
    60_000,
    'Longest time without a byte from or to the upstream; then 504, or a started response is cut. The default is at least `responseTimeoutMs`.',
  ),
  upstreamKeepAliveTimeoutMs: option(
    wholeNumber({ least: 1, most: longestMs }),
    4_000,
    "How long an idle connection to the upstream is kept; must be below the upstream's own timeout (5 s in Node).",
  ),
  tunnelIdleTimeoutMs: option(
    wholeNumber({ least: 10, most: longestMs }),
    3_600_000,
    'Longest time without a byte on a websocket; then it is cut.',
  ),
  maxInterimResponses: option(
    wholeNumber({ most: 10_000 }),
    32,
    '1xx responses to a request; more get 502.',
  ),
} satisfies Readonly<Record<string, OptionOf<number>>>;

export type UpstreamLimits = { -readonly [name in keyof typeof upstreamRules]: number };

/** The limits of createOrigin except those for files. */
export type ServingLimits = Omit<Limits, 'maxCacheBytes' | 'maxCachedFileBytes'>;

export type ProxyLimits = ServingLimits & UpstreamLimits;

const names = Object.keys(upstreamRules) as (keyof UpstreamLimits)[];
const upstreamKind = objectOf(upstreamRules);
export const defaultUpstreamLimits: Readonly<UpstreamLimits> = Object.freeze(
  defaultsOf(upstreamRules),
);

const { maxCacheBytes: _, maxCachedFileBytes: __, ...servingRules } = rules;
/** All limits of a proxy. */
export const proxyRules = { ...servingRules, ...upstreamRules };

const servingDefaults = {
  maxConnections: connectionCapacity(clientShare),
  maxConnectionsPerAddress: shareOfOne(connectionCapacity(clientShare)),
  maxRequestBodyBytes: 1024 * 1024 * 1024,
  // Each request uses an upstream connection, which is worth more than a moment of the proxy.
  maxPipelinedRequests: 16,
  // An upload may take any time in all; only the pauses in it are limited.
  requestTimeoutMs: Infinity,
  contentTimeoutMs: 60_000,
} as const satisfies Partial<Limits>;

/** The given limits, completed with defaults. @throws ServerError 'invalid-option' */
export function checkProxyLimits(given: Partial<ProxyLimits>): Limits & UpstreamLimits {
  const ofUpstream = Object.fromEntries(names.map((name) => [name, given[name]]));
  const upstream: UpstreamLimits = checked(upstreamKind, ofUpstream, invalidOption);
  // A slow site sends no byte, so the 504 of responseTimeoutMs must come before the idle timeout.
  if (given.upstreamIdleTimeoutMs === undefined) {
    upstream.upstreamIdleTimeoutMs = Math.max(
      upstream.upstreamIdleTimeoutMs,
      upstream.responseTimeoutMs,
    );
  }
  const told = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const limits = { ...checkLimits({ ...servingDefaults, ...told }), ...upstream };

  // While the upstream is busy, no byte moves on the client's connection either; it must not be cut off before the 504
  // is due.
  const thinkingMs = limits.connectTimeoutMs + 2 * limits.responseTimeoutMs;
  if (limits.idleTimeoutMs <= thinkingMs) {
    if (given.idleTimeoutMs !== undefined) {
      const rule = `more than connectTimeoutMs + 2 * responseTimeoutMs (${thinkingMs})`;
      invalidOption(refusal('idleTimeoutMs', rule, given.idleTimeoutMs));
    }
    if (thinkingMs >= longestMs) {
      const sum = 'connectTimeoutMs + 2 * responseTimeoutMs';
      invalidOption(refusal(sum, `below ${longestMs}`, thinkingMs));
    }
    limits.idleTimeoutMs = thinkingMs + Math.min(1_000, longestMs - thinkingMs);
  }
  return limits;
}
