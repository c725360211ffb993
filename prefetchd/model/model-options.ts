// Every setting of a predictor: one table of defaults, checked once, when it is made. The defaults
// are the paper's where it says one (no ageing, every client counts), else caps under which a
// predictor stays small: 30 to 70 MB with all of them reached. `null` switches a rule off (never 0).

import type { AccessKind } from '../access.ts';
import { PrefetchdError } from '../errors.ts';
import type { PredictOptions } from './predictor.ts';
import { maxCountedClients } from './tables/client-sets.ts';

export interface PredictorOptions {
  /** w: accesses a client's window holds, the current one included; 2 looks one step ahead. 2..100. */
  window?: number;
  /** A client silent for longer than this, ms, begins a new window; null: windows never end. */
  idleGapMs?: number | null;
  /** What was learned counts half after this long, ms; null: all accesses count the same. */
  halfLifeMs?: number | null;
  /** Clients whose windows are kept; one more, and one of those silent long goes (sampled-eviction.ts). */
  maxClients?: number;
  /** URLs known; one more, and a weak one goes (sampled-eviction.ts). At most 2,000,000. */
  maxNodes?: number;
  /** Arcs in all; one more, and a weak one goes (sampled-eviction.ts). */
  maxArcs?: number;
  /** Arcs that leave one URL; the weakest gives way. At most 65,536. */
  maxArcsPerNode?: number;
  /** Characters of all known URLs together; more, and weak URLs go (sampled-eviction.ts). */
  maxUrlCharacters?: number;
  /** Distinct clients an arc needs before it is a hint, 1..6 (client-sets.ts). */
  minClients?: number;
  /** most-popular: how many URLs its list holds (the N of Top-N). */
  top?: number;
  /** client-blend: everybody's paths weigh as much as so many of the client's own accesses. */
  priorAccesses?: number;
  /** False for a URL that must never be hinted; asked once for each URL and kind, at the latest when it could be. */
  mayHint?: (url: string, kind: AccessKind) => boolean;
}

export type ModelOptions = Required<PredictorOptions>;

export const modelDefaults: Readonly<ModelOptions> = {
  window: 4,
  idleGapMs: 30 * 60 * 1000,
  halfLifeMs: null,
  maxClients: 50_000,
  maxNodes: 100_000,
  maxArcs: 500_000,
  maxArcsPerNode: 128,
  maxUrlCharacters: 16 * 1024 * 1024,
  minClients: 1,
  top: 20,
  priorAccesses: 3,
  mayHint: () => true,
};

/** p, i: what a caller asks for who has no wish of his own. */
export const predictDefaults: Readonly<PredictOptions> = { threshold: 0.5, limit: 3 };

/** @throws PrefetchdError `invalid-option` */
export function checkOptions(options: PredictorOptions = {}): ModelOptions {
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(modelDefaults, name)) {
      throw new PrefetchdError(
        'invalid-option',
        `predictor option ${name} is unknown; there are ${Object.keys(modelDefaults).join(', ')}`,
      );
    }
  }
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const resolved: ModelOptions = { ...modelDefaults, ...Object.fromEntries(given) };
  checkWindow(resolved.window);
  if (resolved.idleGapMs !== null) checkNumber('idleGapMs', resolved.idleGapMs, Number.MIN_VALUE);
  if (resolved.halfLifeMs !== null) checkNumber('halfLifeMs', resolved.halfLifeMs, 1);
  checkCount('maxClients', resolved.maxClients, 1, 10_000_000);
  checkCount('maxNodes', resolved.maxNodes, 2, 2_000_000);
  checkCount('maxArcs', resolved.maxArcs, 1, 50_000_000);
  checkCount('maxArcsPerNode', resolved.maxArcsPerNode, 1, 65_536);
  checkCount('maxUrlCharacters', resolved.maxUrlCharacters, 1024, 2 ** 31);
  checkCount('minClients', resolved.minClients, 1, maxCountedClients);
  checkCount('top', resolved.top, 1, 10_000);
  checkNumber('priorAccesses', resolved.priorAccesses, Number.MIN_VALUE);
  if (typeof resolved.mayHint !== 'function') {
    throw new PrefetchdError('invalid-option', 'mayHint must be a function (url, kind) => boolean');
  }
  return resolved;
}

/** @throws PrefetchdError `invalid-option` */
export function checkWindow(window: number): number {
  checkCount('window', window, 2, 100);
  return window;
}

/** p and i of a caller, with the defaults in place of what is absent. @throws PrefetchdError `invalid-option` */
export function checkPredictOptions(options: Partial<PredictOptions> = {}): PredictOptions {
  const { threshold = predictDefaults.threshold, limit = predictDefaults.limit, kind } = options;
  checkThreshold(threshold);
  if (limit !== null) checkCount('limit', limit, 1, 10_000);
  if (kind === undefined) return { threshold, limit };
  if (kind !== 'document' && kind !== 'object') {
    throw new PrefetchdError('invalid-option', `kind must be document or object, not ${kind}`);
  }
  return { threshold, limit, kind };
}

/** Nothing is that probable: a percentage, or a slip. Above 1 stands for no hints, as in the paper's sweep. */
const mostThreshold = 2;

function checkThreshold(threshold: number): void {
  if (typeof threshold === 'number' && threshold >= 0 && threshold <= mostThreshold) return;
  throw new PrefetchdError(
    'invalid-option',
    `threshold must be a number from 0 to ${mostThreshold}, not ${String(threshold)}`,
  );
}

function checkCount(name: string, value: number, least: number, most: number): void {
  if (!Number.isSafeInteger(value) || value < least || value > most) {
    throw new PrefetchdError(
      'invalid-option',
      `${name} must be a whole number from ${least} to ${most}, not ${String(value)}`,
    );
  }
}

function checkNumber(name: string, value: number, least: number): void {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < least) {
    const rule = least === Number.MIN_VALUE ? 'above 0' : `of at least ${least}`;
    throw new PrefetchdError(
      'invalid-option',
      `${name} must be a number ${rule}, not ${String(value)}`,
    );
  }
}
