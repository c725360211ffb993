// Lists every option of a predictor in one table, checked once when the predictor is created. Defaults are the paper's
// where it gives one (no ageing, every client counts). `null` switches a rule off; 0 never does.

import { aFunction, oneOf } from '../../options/kinds.ts';
import {
  checked,
  defaultsOf,
  type OptionsOf,
  objectOf,
  option,
  optionWithoutDefault,
  type ValuesOf,
} from '../../options/options.ts';
import { type AccessKind, accessKinds } from '../access.ts';
import { invalidOption } from '../errors.ts';
import {
  halfLifeKind,
  limitKind,
  minClientsKind,
  thresholdKind,
  windowKind,
} from './model-kinds.ts';

type UrlTest = (url: string, kind: AccessKind) => boolean;

/** The window, for the options of prefetchd, too. */
export const windowTable = {
  /** w: accesses in a client's window, including the current one; 2 looks one step ahead. */
  window: option(windowKind, 4, {
    flag: '--window <w>',
    help: 'lookahead window in accesses; 2: the next one (as the store was made, else {default})',
  }),
};

const modelTable = {
  ...windowTable,
  /** After this time an access counts half. null: all count the same. */
  halfLifeMs: option(halfLifeKind, null),
  /** k: distinct clients that must have followed an arc before it leads to a hint. */
  minClients: option(minClientsKind, 1),
  /**
   * `(url, kind) => boolean`: false for a URL that must never be hinted. Called once per URL and kind, at the latest
   * when it could be hinted.
   */
  mayHint: option(aFunction<UrlTest>(), () => true, { shownDefault: 'all may' }),
};

export type PredictorOptions = OptionsOf<typeof modelTable>;

/** Values that no caller needs to set: memory stays below about 150 MB. The engine, simulations and tests set some. */
export const modelConstants = {
  /** A client idle for longer than this, ms, starts a new window: earlier accesses no longer count. null: none does. */
  idleGapMs: (30 * 60 * 1000) as number | null,
  /** Limit on clients whose latest accesses (their window) are kept; those idle longest are evicted. */
  maxClients: 50_000,
  /** Limit on URLs in the graph; beyond it, ones with few accesses are evicted. */
  maxNodes: 100_000,
  /** Limit on arcs in a graph; beyond it, arcs that were followed rarely are evicted. */
  maxArcs: 500_000,
  /** Limit on arcs that leave one URL; beyond it, the one that was followed least is evicted. */
  maxArcsPerNode: 128,
  /** Limit on the characters of all URLs together; beyond it, URLs with few accesses are evicted. */
  maxUrlCharacters: 16 * 1024 * 1024,
  /** Distinct clients that must have visited a document before it is hinted. */
  minPageClients: 1,
  /** Documents whose responses are larger than this, bytes, are not hinted. null: the size does not matter. */
  maxHintBytes: null as number | null,
  /** Whether a URL is hinted only on evidence that it is public: many clients fetched it (graph.ts). Called as often as
   *  `mayHint`. */
  needsEvidence: (() => false) as UrlTest,
};

export type ModelOptions = ValuesOf<typeof modelTable> & typeof modelConstants;

export const modelDefaults: Readonly<ModelOptions> = {
  ...defaultsOf(modelTable),
  ...modelConstants,
};

/** Checks the options. @throws PrefetchdError `invalid-option` */
export function checkOptions(options: PredictorOptions = {}): ValuesOf<typeof modelTable> {
  return checked(objectOf(modelTable), options, invalidOption);
}

/** Checks the size of a client's window (w: latest accesses considered). @throws PrefetchdError `invalid-option` */
export function checkWindow(window: number): number {
  return checked(windowKind, window, invalidOption, { name: 'window' });
}

/** The options of a prediction, with defaults for callers that give no threshold or limit. */
const predictTable = {
  /** p: only URLs with a probability above this are predicted. */
  threshold: option(thresholdKind, 0.2),
  /** i: largest number of predictions, best first. null: no limit. */
  limit: option(limitKind, 3),
  /** Which URLs are predicted: documents or embedded objects; absent: both. */
  kind: optionWithoutDefault(oneOf(accessKinds)),
};

export type PredictOptions = ValuesOf<typeof predictTable>;

const predictKind = objectOf(predictTable);

export const predictDefaults: Readonly<PredictOptions> = checkPredictOptions();

/** Checks threshold and limit, and fills in the defaults. @throws PrefetchdError `invalid-option` */
export function checkPredictOptions(options: Partial<PredictOptions> = {}): PredictOptions {
  const { threshold, limit, kind } = options;
  return checked(predictKind, { threshold, limit, kind }, invalidOption);
}
