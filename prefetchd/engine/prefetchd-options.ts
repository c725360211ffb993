// Every setting of prefetchd: one table of defaults, checked once, when it is made. What can change while
// it runs is the Tuning. `null` switches a rule off (never 0).

import {
  defaultIpv6Prefix,
  type Ipv6Prefix,
  ipv6PrefixRule,
  isIpv6Prefix,
} from '../../http/visitor-address.ts';
import { lastingLoad } from '../../process/thread-load.ts';
import { PrefetchdError } from '../errors.ts';
import {
  isPredictorName,
  modelDefaults,
  type PredictorName,
  predictDefaults,
  predictorNames,
} from '../model/index.ts';
import { checkPredictOptions, checkWindow } from '../model/model-options.ts';
import { newSalt, type Salt } from '../model/salt.ts';
import type { QueryRule } from '../normalise-url.ts';
import type { Notice } from '../notice.ts';
import type { DenyListOptions } from '../rules/deny-list.ts';
import type { GraphStore } from '../store/graph-store.ts';

/** p, w, i: may change while prefetchd runs. */
export interface Tuning {
  /** p: only what is more probable is hinted, 0..1 (and up to 2: nothing). */
  threshold: number;
  /** w: accesses a client's window holds, the current one included; 2 looks one step ahead. 2..100. */
  window: number;
  /** i: hints at most; null: no limit. */
  limit: number | null;
}

export interface PrefetchdOptions extends Partial<Tuning> {
  predictor?: PredictorName;
  /** k: distinct clients that must have gone from A to B before B is hinted after A, 1..6. */
  minClients?: number;
  /** Bits of an IPv6 address that one subscriber has, 48, 56 or 64: all addresses of such a network count as one
   *  client (visitor-address.ts). */
  ipv6Prefix?: Ipv6Prefix;
  /** What was learned counts half after this long, ms; null: for ever. */
  halfLifeMs?: number | null;
  /** A client silent for longer than this, ms, begins a new window; null: windows never end. */
  idleGapMs?: number | null;
  /** Clients whose windows and hints are remembered. */
  maxClients?: number;
  maxNodes?: number;
  maxArcs?: number;
  /** What to do with query strings (normalise-url.ts). */
  query?: QueryRule;
  /** Origin of the site: its absolute URLs become paths, others are refused; null: absolute URLs stay. */
  origin?: string | null;
  /** What is never learned nor hinted by its name, beside or instead of the built-in list. */
  deny?: DenyListOptions;
  /** Where the graph is kept; null: in this process only. */
  store?: GraphStore | null;
  /** What was learned goes to the store this often, ms, 10..3,600,000. */
  flushIntervalMs?: number;
  /** The salt behind pseudonyms is thrown away after this long, ms. */
  saltLifeMs?: number;
  /** For so long a client is taken to have what it fetched, and a hint may come true, ms. */
  rememberMs?: number;
  /** Accesses of one address that are learned in an hour, and of them for one URL (fair-share.ts). */
  maxAccessesPerHour?: number;
  maxRepeatsPerHour?: number;
  /** `close` waits for the store at most so long, ms. */
  closeTimeoutMs?: number;
  /** Where salts come from while no store gives one. */
  newSalt?: (nowMs: number) => Salt;
  /** The time, ms since the epoch. */
  now?: () => number;
  /** How busy the process is, 0..1. */
  load?: () => number;
  /** Told what an operator should know: the store failed, came back, was set aside. */
  onNotice?: (notice: Notice) => void;
}

export type CheckedOptions = Required<PrefetchdOptions>;

const hourMs = 60 * 60 * 1000;

export const prefetchdDefaults: Readonly<CheckedOptions> = {
  predictor: 'dependency-graph',
  window: modelDefaults.window,
  threshold: predictDefaults.threshold,
  limit: predictDefaults.limit,
  minClients: 3,
  ipv6Prefix: defaultIpv6Prefix,
  halfLifeMs: 7 * 24 * hourMs,
  idleGapMs: modelDefaults.idleGapMs,
  maxClients: modelDefaults.maxClients,
  maxNodes: modelDefaults.maxNodes,
  maxArcs: modelDefaults.maxArcs,
  query: 'drop-from-hints',
  origin: null,
  deny: {},
  store: null,
  flushIntervalMs: 1000,
  saltLifeMs: 24 * hourMs,
  rememberMs: 30 * 60 * 1000,
  maxAccessesPerHour: 10_000,
  maxRepeatsPerHour: 4,
  closeTimeoutMs: 5000,
  newSalt,
  now: Date.now,
  load: () => 0,
  onNotice: () => {},
};

/** @throws PrefetchdError `invalid-option`, `unknown-predictor` */
export function prefetchdOptions(options: PrefetchdOptions = {}): CheckedOptions {
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(prefetchdDefaults, name)) {
      const known = Object.keys(prefetchdDefaults).join(', ');
      throw new PrefetchdError('invalid-option', `option ${name} is unknown; there are ${known}`);
    }
  }
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const checked: CheckedOptions = {
    ...prefetchdDefaults,
    load: lastingLoad(),
    ...Object.fromEntries(given),
  };
  if (!isPredictorName(checked.predictor)) {
    throw new PrefetchdError(
      'unknown-predictor',
      `there is no predictor ${String(checked.predictor)}; there are ${predictorNames.join(', ')}`,
    );
  }
  if (checked.store !== null && checked.predictor === 'most-popular') {
    throw new PrefetchdError(
      'invalid-option',
      'predictor most-popular is kept in no store; take another, or none to keep it in memory',
    );
  }
  if (!isIpv6Prefix(checked.ipv6Prefix)) {
    throw new PrefetchdError(
      'invalid-option',
      `ipv6Prefix must be ${ipv6PrefixRule}, not ${String(checked.ipv6Prefix)}`,
    );
  }
  checkTuning(checked);
  checkRange('flushIntervalMs', checked.flushIntervalMs, 10, hourMs);
  checkRange('saltLifeMs', checked.saltLifeMs, 60_000, 31 * 24 * hourMs);
  checkRange('rememberMs', checked.rememberMs, 1000, 7 * 24 * hourMs);
  checkRange('maxAccessesPerHour', checked.maxAccessesPerHour, 1, 2 ** 31);
  checkRange('maxRepeatsPerHour', checked.maxRepeatsPerHour, 1, 255);
  checkRange('closeTimeoutMs', checked.closeTimeoutMs, 1, hourMs);
  for (const name of ['newSalt', 'now', 'load', 'onNotice'] as const) {
    if (typeof checked[name] !== 'function') {
      throw new PrefetchdError('invalid-option', `${name} must be a function`);
    }
  }
  return checked;
}

/** @throws PrefetchdError `invalid-option` */
export function checkTuning({ threshold, window, limit }: Tuning): void {
  // Predictors take 1.1 as well: the sweep of the paper has it.
  if (!(typeof threshold === 'number' && threshold >= 0 && threshold <= 1)) {
    const message = `threshold must be a number between 0 and 1, not ${String(threshold)}`;
    throw new PrefetchdError('invalid-option', message);
  }
  checkPredictOptions({ threshold, limit });
  checkWindow(window);
}

function checkRange(name: string, value: number, least: number, most: number): void {
  if (typeof value === 'number' && value >= least && value <= most) return;
  throw new PrefetchdError(
    'invalid-option',
    `${name} must be a number from ${least} to ${most}, not ${String(value)}`,
  );
}
