// Lists every option of the hint service in one table, checked once at creation. Numbers carry their unit; `null`
// switches a rule off.

import proxyAddr from 'proxy-addr';
import { listOf, orNull, text, trueOrFalse } from '../../options/kinds.ts';
import { clockTable, logOption } from '../../options/logger.ts';
import {
  checked,
  joined,
  type OptionsOf,
  objectOf,
  option,
  type ValuesOf,
} from '../../options/options.ts';
import { connectionCapacity } from '../../process/connection-capacity.ts';
import { invalidOption, PrefetchdError } from '../errors.ts';
import type { Metric } from './exposition.ts';
import { connectionsKind, prefixRule, tokenOrFileRule, tokenRule } from './service-kinds.ts';

const ownTable = {
  /**
   * Token that callers must send as `Authorization: Bearer`. null: callers need none, but over TCP their Host field
   * must be a loopback name or the host of the site's `origin`. This refuses a page of another site that reaches the
   * service through the operator's browser by DNS rebinding, because its requests name the other site's host.
   */
  token: option(orNull(text, tokenRule), null, {
    flag: '--token <token>',
    help: 'callers send it as Authorization: Bearer; @FILE: what this file contains',
    written: text(tokenOrFileRule),
  }),
  /**
   * Nothing is learned from visitors who send `Sec-GPC: 1` to a web server that passes it on; they get hints, but the
   * engine is not told for whom.
   */
  respectGpc: option(trueOrFalse(), false),
  /**
   * Callers whose X-Real-IP and X-Forwarded-For are believed: addresses, networks, `loopback`, `linklocal`,
   * `uniquelocal`. Callers over a Unix socket always are.
   */
  trustProxy: option(
    listOf(
      text({ rule: 'an address or a network', pattern: /./s }),
      'a list of addresses and networks',
    ),
    ['loopback'],
    {
      flag: '--trust <address>',
      help: 'address or network of a proxy whose X-Forwarded-For is believed; repeatable',
    },
  ),
  /**
   * Path below which visitors see the site, `/shop`, if a proxy before the web server removes it. null:
   * `X-Forwarded-Prefix` of a caller in `trustProxy` names it.
   */
  prefix: option(orNull(text, prefixRule), null),
  /** Limit on open connections; further ones are closed. For `room` see [server.md](server.md#limits). */
  maxConnections: option(connectionsKind, connectionCapacity(), {
    shownDefault: 'room',
    flag: '--max-connections <n>',
    help: 'simultaneous connections; more are closed (as many as files and memory allow)',
  }),
  /** A pino logger, or an object with its `debug`, `info`, `warn` and `error`. */
  log: logOption,
};

export const serviceTable = { ...ownTable, ...clockTable };

export type ServiceOptions = OptionsOf<typeof ownTable> & OptionsOf<typeof clockTable>;

/** Values that no caller needs to set; tests and our proxy do (`withConstants`). */
export const serviceConstants = {
  /** Further metrics that GET /metrics shows, such as those of a proxy in the same process. */
  metrics: [] as readonly Metric[],
  /** Longest request body, bytes; a longer one gets 413. */
  maxBodyBytes: 1024 * 1024,
  /** Limit on accesses in a request body; more get 413. */
  maxAccesses: 10_000,
  /** Longest time to receive the header fields of a request, and a complete request, ms. */
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  /** How long an idle connection is kept, ms: longer than a web server in front of this service does (nginx: 60 s). */
  keepAliveTimeoutMs: 75_000,
  /** How long `close` waits for requests under way, ms. */
  closeTimeoutMs: 5000,
  /** How long `close` keeps idle connections open for requests in transit, ms; at most half of `closeTimeoutMs`. */
  drainTimeoutMs: 1000,
};

export type CheckedServiceOptions = ValuesOf<typeof serviceTable> &
  typeof serviceConstants & { isTrusted: (address: string) => boolean };

/** Checks the options. @throws PrefetchdError `invalid-option` */
export function serviceOptions(options: ServiceOptions = {}): CheckedServiceOptions {
  const given = checked(objectOf(serviceTable), options, invalidOption, {
    noun: 'service option ',
  });
  return { ...joined(given, serviceConstants, options), isTrusted: trustOf(given.trustProxy) };
}

function trustOf(proxies: readonly string[]): (address: string) => boolean {
  try {
    const isTrusted = proxyAddr.compile([...proxies]);
    return (address) => isTrusted(address, 0);
  } catch (cause) {
    const option = 'trustProxy';
    const reason = `must be a list of addresses, networks and the names loopback, linklocal, uniquelocal: ${(cause as Error).message}`;
    throw new PrefetchdError('invalid-option', `${option} ${reason}`, { option, reason, cause });
  }
}
