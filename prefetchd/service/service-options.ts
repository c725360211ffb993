// Every setting of the hint service: one table of defaults, checked once, when it is made. Numbers carry
// their unit; `null` switches a rule off.

import proxyAddr from 'proxy-addr';
import { connectionCapacity } from '../../process/connection-capacity.ts';
import { PrefetchdError } from '../errors.ts';

/** Where the service tells what happens: the part of a pino logger that it uses. */
export interface ServiceLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A counter that is read when somebody scrapes. */
export interface MetricCounter {
  /** With its unit and `_total`, as Prometheus names counters. */
  name: string;
  help: string;
  /** Name of the label that the keys of a record are values of. */
  label?: string;
  read(): number | Readonly<Record<string, number>>;
}

export interface ServiceOptions {
  /** What callers must send as `Authorization: Bearer`, 16 to 512 printable characters; null: nothing. */
  token?: string | null;
  /** What a visitor without User-Agent is, where a web server describes one. */
  absentUserAgent?: 'bot' | 'visitor';
  /** Host names, besides loopback ones and that of the site, that requests without a token may be for;
   *  null: any, for an app that stands behind something that checks. */
  hosts?: readonly string[] | null;
  /** Whose X-Real-IP and X-Forwarded-For are believed: addresses, networks, `loopback`, `uniquelocal`.
   *  Who calls over a unix socket always is. */
  trust?: readonly string[];
  /** A longer body is answered with 413, bytes. */
  maxBodyBytes?: number;
  /** More accesses in one body are answered with 413. */
  maxAccesses?: number;
  /** Connections at the same time; more are closed at once. By default as many as the process has room for. */
  maxConnections?: number;
  /** A request's head must be there in this time, ms. */
  headersTimeoutMs?: number;
  /** A whole request must be there in this time, ms. */
  requestTimeoutMs?: number;
  /** An idle connection is kept for so long, ms; longer than nginx (60 s) keeps its end. */
  keepAliveTimeoutMs?: number;
  /** `close` lets begun requests end for so long, ms. */
  closeTimeoutMs?: number;
  /** `close` keeps idle connections for a request that is on its way for so long, ms; at most half of
   *  `closeTimeoutMs`. */
  drainTimeoutMs?: number;
  /** Serve the dashboard at `/`; false: a plain page that names the endpoints. */
  dashboard?: boolean;
  /** More counters for GET /metrics: of a proxy in the same process, for one. */
  counters?: readonly MetricCounter[];
  /** The time, ms since the epoch. */
  now?: () => number;
  log?: ServiceLog;
}

export type CheckedServiceOptions = Required<ServiceOptions> & {
  isTrusted: (address: string) => boolean;
};

const nothing = () => {};

export const serviceDefaults: Readonly<Required<ServiceOptions>> = {
  token: null,
  absentUserAgent: 'bot',
  hosts: [],
  trust: ['loopback'],
  maxBodyBytes: 1024 * 1024,
  maxAccesses: 10_000,
  maxConnections: connectionCapacity(),
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 75_000,
  closeTimeoutMs: 5000,
  drainTimeoutMs: 1000,
  dashboard: true,
  counters: [],
  now: Date.now,
  log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
};

/** @throws PrefetchdError `invalid-option` */
export function serviceOptions(options: ServiceOptions = {}): CheckedServiceOptions {
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(serviceDefaults, name)) {
      const known = Object.keys(serviceDefaults).join(', ');
      throw wrong(`service option ${name} is unknown; there are ${known}`);
    }
  }
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const checked: Required<ServiceOptions> = { ...serviceDefaults, ...Object.fromEntries(given) };
  const { token, hosts, trust } = checked;
  if (token !== null && !(typeof token === 'string' && /^[\x21-\x7e]{16,512}$/.test(token))) {
    throw wrong('token must be 16 to 512 printable ASCII characters without a space'); // never the value
  }
  if (hosts !== null && !isTextList(hosts)) throw wrong('hosts must be a list of names, or null');
  if (!isTextList(trust)) throw wrong('trust must be a list of addresses and networks');
  checkCount('maxBodyBytes', checked.maxBodyBytes, 1024, 64 * 1024 * 1024);
  checkCount('maxAccesses', checked.maxAccesses, 1, 1_000_000);
  checkCount('maxConnections', checked.maxConnections, 1, 1_000_000);
  for (const name of ['headersTimeoutMs', 'requestTimeoutMs', 'closeTimeoutMs'] as const) {
    checkCount(name, checked[name], 1, 3_600_000);
  }
  checkCount('keepAliveTimeoutMs', checked.keepAliveTimeoutMs, 1, 3_600_000);
  checkCount('drainTimeoutMs', checked.drainTimeoutMs, 0, 3_600_000);
  return { ...checked, isTrusted: trustOf(trust) };
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

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '');
}

function checkCount(name: string, value: number, least: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  throw wrong(`${name} must be a whole number from ${least} to ${most}, not ${String(value)}`);
}

function wrong(message: string): PrefetchdError {
  return new PrefetchdError('invalid-option', message);
}
