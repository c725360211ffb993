// Lists every option of a predictor in one table, checked once when the predictor is created. Defaults are the paper's
// where it gives one (no ageing, every client counts); the others are caps that limit a predictor to about 150 MB.
// `null` switches a rule off; 0 never does.

import { aFunction, number, oneOf, orNull, wholeNumber } from '../../options/kinds.ts';
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

export const modelTable = {
  /** w: accesses in a client's window, including the current one; 2 looks one step ahead. */
  window: option(windowKind, 4, {
    flag: '--window <w>',
    help: 'lookahead window in accesses; 2: the next one (as the store was made, else {default})',
  }),
  /** A client idle for longer than this starts a new window: earlier accesses no longer count. null: none does. */
  idleGapMs: option(orNull(number, { above: 0 }), 30 * 60 * 1000),
  /** After this time an access counts half. null: all count the same. */
  halfLifeMs: option(halfLifeKind, null),
  /** Limit on clients whose latest accesses (their window) are kept; those idle longest are evicted. */
  maxClients: option(wholeNumber({ least: 1, most: 10_000_000 }), 50_000),
  /** Limit on URLs in the graph; beyond it, ones with few accesses are evicted. */
  maxNodes: option(wholeNumber({ least: 2, most: 2_000_000 }), 100_000),
  /** Limit on arcs in a graph; beyond it, arcs that were followed rarely are evicted. */
  maxArcs: option(wholeNumber({ least: 1, most: 50_000_000 }), 500_000),
  /** Limit on arcs that leave one URL; beyond it, the one that was followed least is evicted. */
  maxArcsPerNode: option(wholeNumber({ least: 1, most: 65_536 }), 128),
  /** Limit on the characters of all URLs together; beyond it, URLs with few accesses are evicted. */
  maxUrlCharacters: option(wholeNumber({ least: 1024, most: 2 ** 31 }), 16 * 1024 * 1024),
  /** k: distinct clients that must have followed an arc before it leads to a hint. */
  minClients: option(minClientsKind, 1),
  /** Distinct clients that must have visited a document before it is hinted. */
  minPageClients: option(minClientsKind, 1),
  /** Documents whose responses are larger than this are not hinted. null: the size does not matter. */
  maxHintBytes: option(orNull(wholeNumber, { least: 1, most: 2 ** 40 }), null),
  /**
   * `(url, kind) => boolean`: false for a URL that must never be hinted. Called once per URL and kind, at the latest
   * when it could be hinted.
   */
  mayHint: option(aFunction<UrlTest>(), () => true, {
    shownDefault: 'all may',
  }),
  /**
   * `(url, kind) => boolean`: true for a URL that is hinted only on evidence that it is public: many clients fetched it
   * (graph.ts). Called as often as `mayHint`.
   */
  needsEvidence: option(aFunction<UrlTest>(), () => false, {
    shownDefault: 'none',
  }),
};

export type PredictorOptions = OptionsOf<typeof modelTable>;
export type ModelOptions = ValuesOf<typeof modelTable>;

const modelKind = objectOf(modelTable);

export const modelDefaults: Readonly<ModelOptions> = defaultsOf(modelTable);

/** Checks the options. @throws PrefetchdError `invalid-option` */
export function checkOptions(options: PredictorOptions = {}): ModelOptions {
  return checked(modelKind, options, invalidOption);
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
