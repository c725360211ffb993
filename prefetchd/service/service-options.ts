// Every option of the hint service in one table, checked once at creation. Numbers carry their unit; `null` switches
// a rule off.

import proxyAddr from 'proxy-addr';
import { aFunction, any, orNull, text, trueOrFalse, wholeNumber } from '../../options/kinds.ts';
import { checked, objectOf, option, type TableOf } from '../../options/options.ts';
import { connectionCapacity } from '../../process/connection-capacity.ts';
import { invalidOption, PrefetchdError } from '../errors.ts';
import { absentUserAgentKind } from '../rules/eligibility.ts';
import { connectionsKind, listOfTexts, prefixRule, tokenRule } from './service-kinds.ts';

/** A logger as pino's; the service uses this part. */
export interface ServiceLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A counter that is read when scraped. */
export interface MetricCounter {
  /** Name with unit and `_total`, as in Prometheus naming. */
  name: string;
  help: string;
  /** Label whose values are the keys of a record. */
  label?: string;
  read(): number | Readonly<Record<string, number>>;
}

export interface ServiceOptions {
  /** Token that callers must send as `Authorization: Bearer`, 16 to 512 printable characters; null: none. */
  token?: string | null;
  /** How to treat a visitor without User-Agent described by a web server. */
  absentUserAgent?: 'bot' | 'visitor';
  /** Learn nothing from visitors who send Sec-GPC: 1 to the web server. */
  respectGpc?: boolean;
  /** Host names, besides loopback names and that of the site, that are accepted without a token; null: any, for an
   *  app behind a check of its own. */
  hosts?: readonly string[] | null;
  /** Callers whose X-Real-IP and X-Forwarded-For are trusted: addresses, networks, `loopback`, `uniquelocal`.
   *  Callers over a unix socket are always trusted. */
  trust?: readonly string[];
  /** Path prefix below which visitors see the site, `/shop`, if a proxy before the web server removes it. null: the
   *  prefix in X-Forwarded-Prefix of a trusted caller. */
  prefix?: string | null;
  /** Longest body, bytes; a longer one is answered with 413. */
  maxBodyBytes?: number;
  /** Most accesses in a body; more are answered with 413. */
  maxAccesses?: number;
  /** Most simultaneous connections; further ones are closed at once. By default as many as the process can handle. */
  maxConnections?: number;
  /** A request's header must arrive within this time, ms. */
  headersTimeoutMs?: number;
  /** A whole request must arrive within this time, ms. */
  requestTimeoutMs?: number;
  /** How long an idle connection is kept, ms; longer than nginx (60 s) keeps it open. */
  keepAliveTimeoutMs?: number;
  /** How long `close` waits for pending requests, ms. */
  closeTimeoutMs?: number;
  /** How long `close` keeps idle connections open for requests in transit, ms; at most half of `closeTimeoutMs`. */
  drainTimeoutMs?: number;
  /** Serve the dashboard at `/`; false: a plain page that lists the endpoints. */
  dashboard?: boolean;
  /** Additional counters for GET /metrics, for example of a proxy in the same process. */
  counters?: readonly MetricCounter[];
  /** Current time, ms since the epoch. */
  now?: () => number;
  log?: ServiceLog;
}

export type CheckedServiceOptions = Required<ServiceOptions> & {
  isTrusted: (address: string) => boolean;
};

const nothing = () => {};
const timeoutKind = wholeNumber({ least: 1, most: 3_600_000 });
const isLog = (value: unknown) => typeof (value as ServiceLog | null)?.info === 'function';

export const serviceTable = {
  token: option(
    orNull(text, tokenRule),
    null,
    'Token that callers must send as `Authorization: Bearer`. null: none.',
  ),
  absentUserAgent: option(
    absentUserAgentKind,
    'bot',
    'How a visitor without User-Agent counts, if a web server reports its requests: `bot` or `visitor`.',
  ),
  respectGpc: option(
    trueOrFalse(),
    false,
    'Visitors who send `Sec-GPC: 1` to a web server that passes it on are not learned and get the hints of no particular visitor.',
  ),
  hosts: option(
    orNull(({ or }) => listOfTexts('a host name', `a list of names, or ${or}`), {}),
    [],
    "Values of Host accepted without a token, in addition to loopback names and the site's host. null: any; only behind a server that checks Host.",
  ),
  trust: option(
    listOfTexts('an address or a network', 'a list of addresses and networks'),
    ['loopback'],
    'Callers whose X-Real-IP and X-Forwarded-For are believed: addresses, networks, `loopback`, `linklocal`, `uniquelocal`. Callers over a Unix socket always are.',
  ),
  prefix: option(
    orNull(text, prefixRule),
    null,
    'Path below which visitors see the site, `/shop`, where a proxy before the web server takes it away. null: as `X-Forwarded-Prefix` of a caller in `trust` says.',
  ),
  maxBodyBytes: option(
    wholeNumber({ least: 1024, most: 64 * 1024 * 1024 }),
    1024 * 1024,
    'Request body; a longer one gets 413.',
  ),
  maxAccesses: option(
    wholeNumber({ least: 1, most: 1_000_000 }),
    10_000,
    'Accesses in a request body; more get 413.',
  ),
  maxConnections: option(
    connectionsKind,
    connectionCapacity(),
    'Open connections; further ones are closed. For `room` see [server.md](server.md#limits).',
    { shownDefault: 'room' },
  ),
  headersTimeoutMs: option(timeoutKind, 10_000, 'Time to receive the header fields of a request.'),
  requestTimeoutMs: option(timeoutKind, 30_000, 'Time to receive a complete request.'),
  keepAliveTimeoutMs: option(
    timeoutKind,
    75_000,
    'How long an idle connection is kept; keep it above that of the web server in front (nginx: 60 s).',
  ),
  closeTimeoutMs: option(timeoutKind, 5000, 'How long `close` waits for requests under way.'),
  drainTimeoutMs: option(
    wholeNumber({ most: 3_600_000 }),
    1000,
    'How long `close` keeps idle connections open for requests in transit; at most half of `closeTimeoutMs`.',
  ),
  dashboard: option(
    trueOrFalse(),
    true,
    'Serve the dashboard at `/`. false: a plain page with the endpoints.',
  ),
  counters: option(
    any<readonly MetricCounter[]>(Array.isArray, 'a list of { name, help, label, read }'),
    [],
    'More counters for GET /metrics, such as those of a proxy in the same process: a list of `{ name, help, label, read }`.',
    { shownDefault: 'none' },
  ),
  now: option(aFunction<() => number>(), Date.now, 'Current time, ms since the epoch.', {
    shownDefault: '`Date.now`',
  }),
  log: option(
    any<ServiceLog>(isLog, 'a logger with debug, info, warn and error'),
    { debug: nothing, info: nothing, warn: nothing, error: nothing },
    'A pino logger, or an object with its `debug`, `info`, `warn` and `error`.',
    { shownDefault: 'none' },
  ),
} satisfies TableOf<ServiceOptions>;

const serviceKind = objectOf(serviceTable);

/** @throws PrefetchdError `invalid-option` */
export function serviceOptions(options: ServiceOptions = {}): CheckedServiceOptions {
  const given = checked(serviceKind, options, invalidOption, { noun: 'service option ' });
  return { ...given, isTrusted: trustOf(given.trust) };
}

function trustOf(trust: readonly string[]): (address: string) => boolean {
  try {
    const isTrusted = proxyAddr.compile([...trust]);
    return (address) => isTrusted(address, 0);
  } catch (cause) {
    throw new PrefetchdError(
      'invalid-option',
      `trust must be a list of addresses, networks and the names loopback, linklocal, uniquelocal: ${(cause as Error).message}`,
      { cause },
    );
  }
}
