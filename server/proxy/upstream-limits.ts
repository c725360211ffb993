// Lists limits of the proxy towards the upstream, in addition to the server's. Some of the server's limits have other
// defaults here: content is forwarded rather than discarded, so it may be long and slow.

import {
  bytes,
  duration,
  longestDaysMs,
  longestMs,
  onOff,
  orInfinite,
  trueOrFalse,
  wholeNumber,
} from '../../options/kinds.ts';
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
import { rules, type ServerLimits, withLimitConstants } from '../listen/limits.ts';

/** Limit on connections to one address, for which a system has 28,000 ports. */
const mostToOneAddress = 24_000;
/** Clients' share of the file descriptors; the rest is for upstream connections, for which requests can wait. */
const clientShare = 5 / 8;

export const changeOriginOption = option(trueOrFalse(), false, {
  flag: '--change-origin <on|off>',
  help: "send the site's own name as Host, not the visitor's",
  written: onOff(),
});

/** The limits by name; docs/server.md contains this table. */
export const upstreamRules = {
  /**
   * Longest time from the last byte of a request to the end of the response's header section; then 504. It is also the
   * longest wait for a connection.
   */
  responseTimeoutMs: option(wholeNumber({ least: 10, most: longestMs }), 60_000, {
    flag: '--response-timeout <time>',
    help: 'longest wait for the site, and for a connection to it, before 504',
    written: duration({ least: 10, most: longestDaysMs }),
  }),
};

/** Values that no site needs to set; tests set them by `withConstants`. */
const upstreamConstants = {
  /**
   * Limit on connections to the upstream: as many as files and memory permit. At most 256 are being opened at a time.
   * Further requests wait. An address outside `trustProxy` may use three quarters. Websockets count, too, but leave a
   * quarter of all connections, and of those of an address, to requests; further websockets get 503.
   */
  maxUpstreamConnections: Math.min(mostToOneAddress, connectionCapacity(1 - clientShare)),
  /** Time to connect to the upstream, including TLS, ms; then 504. */
  connectTimeoutMs: 5_000,
  /**
   * Longest time without a byte from or to the upstream, ms; then 504, or a started response is cut. At least
   * `responseTimeoutMs`: a slow site sends no byte, and its 504 must come first.
   */
  upstreamIdleTimeoutMs: 60_000,
  /** How long an idle connection to the upstream is kept, ms; below the timeouts of servers (5 s in Node). */
  upstreamKeepAliveTimeoutMs: 4_000,
  /** Longest time without a byte on a websocket, ms; then it is cut. */
  tunnelIdleTimeoutMs: 3_600_000,
  /** Limit on 1xx responses to a request; more get 502. */
  maxInterimResponses: 32,
};

export type UpstreamLimits = ValuesOf<typeof upstreamRules> & typeof upstreamConstants;

/** All limits of a proxy, some of which have other defaults than the server's. */
export const proxyRules = {
  ...rules,
  ...upstreamRules,
  maxConnections: option(rules.maxConnections, connectionCapacity(clientShare)),
  maxRequestBodyBytes: option(rules.maxRequestBodyBytes, 1024 * 1024 * 1024, {
    flag: '--max-request-body-bytes <n>',
    help: 'content of a request; more gets 413',
    written: bytes({ most: 2 ** 40 }),
  }),
  // An upload may take any time in all; only the pauses in it are limited.
  requestTimeoutMs: option(rules.requestTimeoutMs, Infinity, {
    flag: '--request-timeout <time>',
    help: 'for a whole request; inf: an upload may take any time',
    written: orInfinite(duration, { least: 10, most: longestDaysMs }),
  }),
};

export type ProxyLimits = OptionsOf<typeof rules> & OptionsOf<typeof upstreamRules>;

const servingConstants = {
  // This limit is lower than the server's, because each request uses an upstream connection.
  maxPipelinedRequests: 16,
  contentTimeoutMs: 60_000,
};

/** Returns the given limits, completed with defaults and constants. @throws ServerError 'invalid-option' */
export function checkProxyLimits(options: ProxyLimits): ServerLimits & UpstreamLimits {
  const values = checked(looseObjectOf(proxyRules), { ...options }, invalidOption);
  const { responseTimeoutMs } = values;
  const upstreamIdleTimeoutMs = Math.max(
    upstreamConstants.upstreamIdleTimeoutMs,
    responseTimeoutMs,
  );
  const upstream = joined(values, { ...upstreamConstants, upstreamIdleTimeoutMs }, options);
  // While the upstream is busy, no byte moves on the client's connection either, which must not be cut off before the
  // 504 is due.
  const idleTimeoutMs = upstream.connectTimeoutMs + 2 * responseTimeoutMs + 1_000;
  return withLimitConstants(upstream, options, {
    ...servingConstants,
    idleTimeoutMs: Math.min(idleTimeoutMs, longestMs),
  });
}
