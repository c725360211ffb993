// Lists every option of prefetchd in one table, checked once at creation. Those that may change while it runs form the
// type Tuning. `null` switches a rule off; 0 never does.

import {
  aFunction,
  also,
  any,
  anyOf,
  duration,
  listOf,
  number,
  oneOf,
  oneOfOr,
  orInfinite,
  orNull,
  text,
  wholeNumber,
  wordOf,
} from '../../options/kinds.ts';
import { clockTable, logOption } from '../../options/logger.ts';
import {
  changeOf,
  checked,
  defaultsOf,
  joined,
  type OptionsOf,
  objectOf,
  option,
  type ValuesOf,
} from '../../options/options.ts';
import { about } from '../../options/refusal.ts';
import { lastingLoad } from '../../process/thread-load.ts';
import { invalidOption } from '../errors.ts';
import { isPredictorName, predictorNames, unknownPredictor } from '../model/index.ts';
import {
  halfLifeKind,
  holdbackRange,
  limitKind,
  limitRange,
  minClientsKind,
  thresholdKind,
} from '../model/model-kinds.ts';
import { modelConstants, predictDefaults, windowTable } from '../model/model-options.ts';
import type { Observation } from '../model/predictor.ts';
import { newSalt, type Salt } from '../model/salt.ts';
import { normaliseTable } from '../normalise-url.ts';
import { denyTable } from '../rules/deny-list.ts';
import type { GraphStore } from '../store/graph-store.ts';
import { speculationTable, usualImmediateFrom } from '../wire/speculation-settings.ts';
import { hostName } from './sites.ts';
import { trialConstants, trialOptions } from './trial.ts';

const hourMs = 60 * 60 * 1000;

const flushRange = { least: 10, most: hourMs };
const hostRule = 'a host, with its port if that is unusual';
const hostKind = also(text({ rule: hostRule }), (host) => hostName(host) !== null, hostRule);
const sitesRule = 'each, one or a list of hosts';
export const sitesKind = anyOf(
  [
    oneOf(['each', 'one']),
    also(listOf(hostKind, sitesRule), ({ length }) => length > 0, sitesRule),
  ],
  sitesRule,
);
const nullOrStore = (value: unknown) =>
  value === null || typeof (value as GraphStore | undefined)?.identity === 'function';

/** The options of predictions that may change while prefetchd runs. */
const tunableTable = {
  /**
   * p: URLs with a probability above this are hinted; from 1 on, none is. While it is the default, embedded objects
   * need a higher probability, because browsers find them by themselves soon after.
   */
  threshold: option(thresholdKind, predictDefaults.threshold, {
    flag: '--threshold <p>',
    help: `hint what has a probability above this (pages {default}, embedded objects ${objectThresholdOf(predictDefaults.threshold)})`,
  }),
  /** i: largest number of hints in one answer. null: no limit. */
  limit: option(limitKind, predictDefaults.limit, {
    flag: '--limit <i>',
    help: 'most hints per response; inf: no limit',
    written: orInfinite(wholeNumber, limitRange),
  }),
};

/** For `hints()`, too. */
export const trialTable = {
  /**
   * For trying hints on your own: one visitor is enough (`minClients` 1), may repeat itself and need not fetch objects,
   * and pages with a probability above 0.2 are prefetched at once. Requests from other machines are not learned and get
   * no hints, unless this is `everywhere`. Never use it on a public site.
   */
  trial: option(oneOfOr(['everywhere']), false, {
    flag: '--trial [where]',
    help: 'to try hints alone: one visitor, on this machine, is enough; everywhere: on any; kept in memory unless --store is given',
    written: wordOf({ on: true, off: false, everywhere: 'everywhere' }),
  }),
};

const ownTable = {
  /** Name of the [predictor](#predictors). */
  predictor: option(oneOf(predictorNames), 'double-graph', {
    flag: '--predictor <name>',
    help: 'how next URLs are predicted (as the store was made, else {default})',
  }),
  ...tunableTable,
  /** k: distinct clients that must have gone from A to B before B is hinted after A. */
  minClients: option(minClientsKind, 2, {
    flag: '--min-clients <k>',
    help: 'distinct clients that must have gone from one URL to the other',
  }),
  ...trialTable,
  /**
   * Percent of visitors who get no hints, so that what hints are worth can be [measured](guides/holdback.md); needs the
   * beacon. null: all visitors get hints.
   */
  holdback: option(orNull(wholeNumber, holdbackRange), null, {
    flag: '--holdback <n>',
    help: 'percent of visitors who get no hints, for prefetchd report; needs the beacon; counts are kept in FILE.holdback.json beside sqlite:FILE',
    written: wholeNumber(holdbackRange),
  }),
  /** After this time an access counts half. null: all count the same. */
  halfLifeMs: option(halfLifeKind, 60 * 24 * hourMs, {
    flag: '--half-life <time>',
    help: 'an access this old counts half; inf: never less',
    written: orInfinite(duration, { least: 1 }),
  }),
  /**
   * `each`: each host is a site of its own, which hints never leave; besides the main site a hundred at most are
   * learned, first those that enough clients visited. `one`: all hosts are one site. A list of hosts: only these, of
   * which the first is the main site (`GET /v1/hints` without `host`).
   */
  sites: option(sitesKind, 'each', {
    flag: '--sites <hosts>',
    help: 'each: every host is a site of its own; one; or these hosts alone',
  }),
  /** Where the graph is stored: what `createGraphStore()` returns. null: only in the memory of this process. */
  store: option(
    any<GraphStore | null>(nullOrStore, 'what createGraphStore returns, or null'),
    null,
  ),
  /** Interval at which the store is updated. */
  flushIntervalMs: option(number(flushRange), 1000, {
    flag: '--flush-interval <time>',
    help: 'how often the store is written',
    written: duration(flushRange),
  }),
  /** How busy the process is, 0 to 1; from 0.7 on, it gives fewer hints. */
  load: option(aFunction<() => number>(), () => 0, { shownDefault: 'as measured' }),
  /**
   * A pino logger, or an object with its methods `debug`, `info`, `warn` and `error`; it is told, for example, that
   * the store failed or recovered.
   */
  log: logOption,
};

export const prefetchdTable = {
  ...windowTable,
  ...ownTable,
  ...speculationTable,
  ...normaliseTable,
  ...denyTable,
  ...clockTable,
};

export type PrefetchdOptions = OptionsOf<typeof windowTable> &
  OptionsOf<typeof ownTable> &
  OptionsOf<typeof speculationTable> &
  OptionsOf<typeof normaliseTable> &
  OptionsOf<typeof denyTable> &
  OptionsOf<typeof clockTable>;

/** Values that no caller needs to set; tests and measurements do (`withConstants`). */
export const prefetchdConstants = {
  ...modelConstants,
  /** Number of distinct clients that must have visited a document, from wherever, before it is hinted; it is 1 if
   *  `minClients` is 1. */
  minPageClients: 3,
  /** Documents that are larger than this, bytes, as sent to two clients in a row, are not hinted. null: any size is. */
  maxHintBytes: 100_000 as number | null,
  /**
   * Limit on the bytes prefetched in vain for each document that is opened: the larger a document, the likelier its
   * visit must be (22 kB from probability 0.2, 90 kB from 0.5). null: no limit.
   */
  maxWasteBytes: 90_000 as number | null,
  /**
   * A client that opens a page known to embed objects is learned from once it fetched one, as browsers do and robots
   * rarely (visitors.ts). false: it is learned from at once.
   */
  requireObjects: true,
  /** The salt of pseudonyms is discarded after this time, ms: nobody is known for longer than a day. */
  saltLifeMs: 24 * hourMs,
  /** How long the salt is kept with which clients are hashed to count the distinct ones that follow a link, ms. */
  fingerprintLifeMs: 30 * 24 * hourMs,
  /**
   * How long a client is assumed to have what it fetched (less if the response's lifetime is shorter), and after which
   * time an unused hint counts as wasted, ms.
   */
  rememberMs: 30 * 60 * 1000,
  /** Limits on accesses learned per address and day, in all and per page (fair-share.ts). */
  maxAccessesPerDay: 10_000,
  maxRepeatsPerDay: 2,
  /** Pages from this probability on get eagerness `immediate` in speculation rules. The option `trial` lowers it. */
  immediateFrom: usualImmediateFrom,
  /** Longest time `close` waits for the store, ms. */
  closeTimeoutMs: 5000,
  /** Creates the salt of pseudonyms and, if no store supplies one, that of fingerprints. */
  newSalt: newSalt as (nowMs: number) => Salt,
  /** Receives each access before it is learned, in that order. */
  onLearn: null as ((access: Observation) => void) | null,
};

export type CheckedOptions = ValuesOf<typeof prefetchdTable> & typeof prefetchdConstants;

export const prefetchdKind = objectOf(prefetchdTable);

export const prefetchdDefaults: Readonly<CheckedOptions> = {
  ...defaultsOf(prefetchdTable),
  ...prefetchdConstants,
};

/** Checks the options. @throws PrefetchdError `invalid-option`, `unknown-predictor` */
export function prefetchdOptions(options: PrefetchdOptions = {}): CheckedOptions {
  const { predictor, trial = false } = options;
  if (predictor !== undefined && !isPredictorName(predictor)) throw unknownPredictor(predictor);
  const isTrial = trial !== false;
  const given = checked(
    prefetchdKind,
    isTrial ? { ...trialOptions, ...options } : options,
    invalidOption,
  );
  if (given.origin !== null && given.sites !== 'each') {
    const why = 'is for a prefetchd without origin, which names the one site';
    invalidOption(...about('sites', why));
  }
  const constants = { ...prefetchdConstants, ...(isTrial && trialConstants) };
  if (given.minClients === 1) constants.minPageClients = 1;
  const load = options.load ?? lastingLoad();
  return joined({ ...given, load }, constants, options);
}

/** Returns the threshold of embedded objects: a higher one if that of documents is the default, else the same. */
export function objectThresholdOf(threshold: number): number {
  return threshold === predictDefaults.threshold ? 0.5 : threshold;
}

/** The options that may change while prefetchd runs. */
export type Tuning = ValuesOf<typeof tuningTable>;
export const tuningTable = { ...windowTable, ...tunableTable, ...speculationTable };

/** The options that a single request for hints may set for itself, and the threshold of embedded objects. */
export type ChoiceTuning = Pick<Tuning, 'threshold' | 'limit'> & { objectThreshold: number };

/** Schema and reader of a change of the options of `Tuning` at run time: an object with any subset of them. */
export const tuningChangeKind = changeOf(tuningTable);

/**
 * Returns the threshold and limit by which one request for hints is answered: its own, else the present ones (`now`).
 * @throws PrefetchdError `invalid-option`
 */
export function choiceTuning(
  now: Readonly<Tuning>,
  { threshold = now.threshold, limit = now.limit }: Partial<Tuning> = {},
): ChoiceTuning {
  checked(thresholdKind, threshold, invalidOption, { name: 'threshold' });
  checked(limitKind, limit, invalidOption, { name: 'limit' });
  return { threshold, objectThreshold: objectThresholdOf(threshold), limit };
}
