// Every option of a predictor in one table, checked once when the predictor is created. Defaults are the paper's
// where it gives one (no ageing, every client counts); the others are caps that limit a predictor to about 150 MB.
// `null` switches a rule off (never 0).

import { aFunction, oneOf, wholeNumber } from '../../options/kinds.ts';
import {
  checked,
  defaultsOf,
  objectOf,
  option,
  optionWithoutDefault,
  type TableOf,
} from '../../options/options.ts';
import { type AccessKind, accessKinds } from '../access.ts';
import { invalidOption } from '../errors.ts';
import {
  halfLifeKind,
  idleGapKind,
  limitKind,
  maxArcsKind,
  maxArcsPerNodeKind,
  maxClientsKind,
  maxHintBytesKind,
  maxNodesKind,
  minClientsKind,
  thresholdKind,
  windowKind,
} from './model-kinds.ts';
import type { PredictOptions } from './predictor.ts';

export interface PredictorOptions {
  /** w: accesses in a client's window, the current one included; 2 looks one step ahead. 2..100. */
  window?: number;
  /** A client idle for longer than this, ms, starts a new window; null: windows never end. */
  idleGapMs?: number | null;
  /** Half-life of what was learned, ms; null: all accesses count the same. */
  halfLifeMs?: number | null;
  /** Most clients whose windows are kept; beyond it, a client silent for long is evicted (sampled-eviction.ts). */
  maxClients?: number;
  /** Most URLs; beyond it, a weak one is evicted (sampled-eviction.ts). At most 2,000,000. */
  maxNodes?: number;
  /** Most arcs in total; beyond it, a weak one is evicted (sampled-eviction.ts). */
  maxArcs?: number;
  /** Most arcs that leave one URL; beyond it, the weakest is evicted. At most 65,536. */
  maxArcsPerNode?: number;
  /** Most characters of all known URLs together; beyond it, weak URLs are evicted (sampled-eviction.ts). */
  maxUrlCharacters?: number;
  /** Distinct clients that an arc needs before it becomes a hint, 1..6 (client-sets.ts). */
  minClients?: number;
  /** Distinct clients that must have visited a document before it is a hint, 1..6. */
  minPageClients?: number;
  /** Documents with larger responses are not hinted, bytes as sent; null: documents of any size are. */
  maxHintBytes?: number | null;
  /** False for a URL that must never be hinted. Called once per URL and kind, at the latest when it could be
   *  hinted. */
  mayHint?: (url: string, kind: AccessKind) => boolean;
  /**
   * True for a URL that is hinted only on evidence that it is public: many clients fetched it (graph.ts). Called like
   * `mayHint`.
   */
  needsEvidence?: (url: string, kind: AccessKind) => boolean;
}

export type ModelOptions = Required<PredictorOptions>;

export const modelTable = {
  window: option(
    windowKind,
    4,
    "w: accesses in a client's window, including the current one; 2 looks one step ahead.",
  ),
  idleGapMs: option(
    idleGapKind,
    30 * 60 * 1000,
    'A client idle for longer starts a new window. null: windows never end.',
  ),
  halfLifeMs: option(
    halfLifeKind,
    null,
    'An access counts half after this time. null: all count the same.',
  ),
  maxClients: option(
    maxClientsKind,
    50_000,
    'Most clients with a window; those idle longest are evicted.',
  ),
  maxNodes: option(maxNodesKind, 100_000, 'Most URLs; weak ones are evicted.'),
  maxArcs: option(maxArcsKind, 500_000, 'Most arcs; weak ones are evicted.'),
  maxArcsPerNode: option(
    maxArcsPerNodeKind,
    128,
    'Most arcs from one URL; the weakest is evicted.',
  ),
  maxUrlCharacters: option(
    wholeNumber({ least: 1024, most: 2 ** 31 }),
    16 * 1024 * 1024,
    'Characters of all URLs together; weak URLs are evicted.',
  ),
  minClients: option(minClientsKind, 1, 'k: distinct clients an arc needs before it is hinted.'),
  minPageClients: option(
    minClientsKind,
    1,
    'Distinct clients that must have visited a document before it is a hint.',
  ),
  maxHintBytes: option(
    maxHintBytesKind,
    null,
    'Documents whose response was larger are not hinted. null: of any size.',
  ),
  mayHint: option(
    aFunction<NonNullable<PredictorOptions['mayHint']>>(),
    () => true,
    '`(url, kind) => boolean`: false for a URL that must never be hinted.',
    { shownDefault: 'all may' },
  ),
  needsEvidence: option(
    aFunction<NonNullable<PredictorOptions['needsEvidence']>>(),
    () => false,
    '`(url, kind) => boolean`: true for a URL that is hinted once many clients fetched it.',
    { shownDefault: 'none' },
  ),
} satisfies TableOf<PredictorOptions>;

const modelKind = objectOf(modelTable);

export const modelDefaults: Readonly<ModelOptions> = defaultsOf(modelTable);

/** @throws PrefetchdError `invalid-option` */
export function checkOptions(options: PredictorOptions = {}): ModelOptions {
  return checked(modelKind, options, invalidOption);
}

/** @throws PrefetchdError `invalid-option` */
export function checkWindow(window: number): number {
  return checked(windowKind, window, invalidOption, { name: 'window' });
}

/** Defaults of p and i for callers that give none. */
const predictTable = {
  threshold: option(thresholdKind, 0.2, 'p: URLs with a probability above this.'),
  limit: option(limitKind, 3, 'i: most predictions, best first. null: no limit.'),
  kind: optionWithoutDefault(oneOf(accessKinds), 'Only this kind; absent: both.'),
} satisfies TableOf<PredictOptions>;

const predictKind = objectOf(predictTable);

export const predictDefaults: Readonly<PredictOptions> = checkPredictOptions();

/** Check p and i and fill in the defaults. @throws PrefetchdError `invalid-option` */
export function checkPredictOptions(options: Partial<PredictOptions> = {}): PredictOptions {
  const { threshold, limit, kind } = options;
  return checked(predictKind, { threshold, limit, kind }, invalidOption);
}
