// Every option of prefetchd in one table, checked once at creation. Options that can change while it runs are the
// Tuning. `null` switches a rule off (never 0).

import { defaultIpv6Prefix, type Ipv6Prefix, ipv6Prefixes } from '../../http/visitor-address.ts';
import {
  aFunction,
  also,
  any,
  anyOf,
  listOf,
  number,
  oneOf,
  oneOfOr,
  orNull,
  text,
  trueOrFalse,
  wholeNumber,
} from '../../options/kinds.ts';
import {
  checked,
  defaultsOf,
  objectOf,
  option,
  optionWithoutDefault,
  required,
  type TableOf,
} from '../../options/options.ts';
import { lastingLoad } from '../../process/thread-load.ts';
import { invalidOption } from '../errors.ts';
import {
  isPredictorName,
  type PredictorName,
  predictorNames,
  unknownPredictor,
} from '../model/index.ts';
import {
  halfLifeKind,
  holdbackRange,
  limitKind,
  maxHintBytesKind,
  minClientsKind,
  thresholdKind,
  windowKind,
} from '../model/model-kinds.ts';
import { modelTable, predictDefaults } from '../model/model-options.ts';
import { newSalt, type Salt } from '../model/salt.ts';
import { originKind, type QueryRule, queryKind } from '../normalise-url.ts';
import type { Notice } from '../notice.ts';
import { type DenyListOptions, denyKind } from '../rules/deny-list.ts';
import type { GraphStore } from '../store/graph-store.ts';
import {
  type SpeculationSettings,
  speculationChangeTable,
  speculationTable,
} from '../wire/speculation-settings.ts';
import { hostName, type SiteRule } from './sites.ts';
import { type TrialMode, trialDefaults } from './trial.ts';

/** p, w, i and the settings of speculation rules, which may change while prefetchd runs. */
export interface Tuning extends SpeculationSettings {
  /** p of documents: only those with a higher probability become hints, 0..1 (up to 2, which means no hints). Given
   *  without `objectThreshold`, it is p of embedded objects, too. */
  threshold: number;
  /** p of embedded objects. */
  objectThreshold: number;
  /** w: accesses in a client's window, the current one included; 2 looks one step ahead. 2..100. */
  window: number;
  /** i: most hints; null: no limit. */
  limit: number | null;
}

/** p by kind. */
export type Thresholds = Pick<Tuning, 'threshold' | 'objectThreshold'>;

/** What the choice of hints depends on. */
export type ChoiceTuning = Thresholds & Pick<Tuning, 'limit'>;

export interface PrefetchdOptions extends Partial<Tuning> {
  predictor?: PredictorName;
  /** k: distinct clients that must have gone from A to B before B is hinted after A, 1..6. */
  minClients?: number;
  /** Distinct clients that must have visited a document before it is hinted, 1..6. */
  minPageClients?: number;
  /** Larger documents are not hinted, bytes as sent to two clients in a row; null: documents of any size are. */
  maxHintBytes?: number | null;
  /** Most bytes of documents that are prefetched in vain for one that is opened, as estimated from p: the larger a
   *  document, the likelier it must be; null: no limit. */
  maxWasteBytes?: number | null;
  /** Learn the pages of a client once it fetched an object, if they embed any (unproven-clients.ts). */
  requireObjects?: boolean;
  /** Hint what a single visitor on this machine did, to try hints alone; `everywhere`: on any machine (trial.ts). */
  trial?: TrialMode;
  /** Percent of visitors who get no hints, so that the benefit of hints can be measured (holdback/), 1..50; null:
   *  none. */
  holdback?: number | null;
  /** Bits of an IPv6 address that identify a subscriber, 48, 56 or 64: all addresses of such a network count as
   *  one client (visitor-address.ts). */
  ipv6Prefix?: Ipv6Prefix;
  /** Half-life of what was learned, ms; null: no ageing. */
  halfLifeMs?: number | null;
  /** A client idle for longer than this, ms, starts a new window; null: windows never end. */
  idleGapMs?: number | null;
  /** Most clients whose windows and hints are remembered. */
  maxClients?: number;
  maxNodes?: number;
  maxArcs?: number;
  /** How query strings are handled (normalise-url.ts). */
  query?: QueryRule;
  /** Origin of the site: its absolute URLs become paths, others are refused; null: absolute URLs are kept. */
  origin?: string | null;
  /** Whether each host is a site of its own, all hosts are one site, or only the listed hosts are learned, the main
   *  site first (sites.ts). */
  sites?: SiteRule;
  /** URLs never learned or hinted because of their names, in addition to the built-in list or in its place. */
  deny?: DenyListOptions;
  /** Graph store; null: memory of this process only. */
  store?: GraphStore | null;
  /** Interval at which the store is updated, ms, 10..3,600,000. */
  flushIntervalMs?: number;
  /** The salt behind pseudonyms is discarded after this time, ms. */
  saltLifeMs?: number;
  /** How long distinct clients of a link are counted, under a salt that is kept in the store as long, ms. */
  fingerprintLifeMs?: number;
  /** How long a client is assumed to have what it fetched, and a hint may be used, ms. */
  rememberMs?: number;
  /** Most accesses learned per address and day, and most of these per page (fair-share.ts). */
  maxAccessesPerDay?: number;
  maxRepeatsPerDay?: number;
  /** Longest time that `close` waits for the store, ms. */
  closeTimeoutMs?: number;
  /** Creates salts when the store supplies none. */
  newSalt?: (nowMs: number) => Salt;
  /** Current time, ms since the epoch. */
  now?: () => number;
  /** Load of the process, 0..1. */
  load?: () => number;
  /** Receives messages for the operator: the store failed, recovered, or was set aside. */
  onNotice?: (notice: Notice) => void;
}

export type CheckedOptions = Required<PrefetchdOptions>;

const hourMs = 60 * 60 * 1000;

export const flushIntervalKind = number({ least: 10, most: hourMs });
export const ipv6PrefixKind = oneOf(ipv6Prefixes);
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

export const prefetchdTable = {
  predictor: option(oneOf(predictorNames), 'double-graph', 'Name of the [predictor](#predictors).'),
  window: modelTable.window,
  threshold: option(
    thresholdKind,
    predictDefaults.threshold,
    'p: documents with a probability above this are hinted. Above 1: none.',
  ),
  objectThreshold: option(
    thresholdKind,
    0.5,
    'p of embedded objects, which browsers find by themselves soon after.',
    { shownDefault: '0.5; with `threshold`: that' },
  ),
  limit: option(limitKind, predictDefaults.limit, 'i: most hints. null: no limit.'),
  ...speculationTable,
  minClients: option(
    minClientsKind,
    2,
    'k: distinct clients that must have gone from A to B before B is hinted after A.',
  ),
  minPageClients: option(
    minClientsKind,
    3,
    'Distinct clients that must have visited a document, from anywhere, before it is hinted.',
    { shownDefault: '3; with `minClients` 1: 1' },
  ),
  maxHintBytes: option(
    maxHintBytesKind,
    100_000,
    'Documents that are larger, as sent to two clients in a row, are not hinted. null: of any size.',
  ),
  maxWasteBytes: option(
    maxHintBytesKind,
    90_000,
    'Most bytes prefetched in vain for one document that is opened: the larger a document, the likelier it must be (22 kB from p 0.2, 90 kB from p 0.5). null: no limit.',
  ),
  requireObjects: option(
    trueOrFalse(),
    true,
    'A client that opens a page known to embed objects is learned from once it fetched one, as browsers do and robots rarely. false: at once.',
  ),
  trial: option(
    oneOfOr(['everywhere']),
    false,
    'To try hints alone: one visitor is enough (`minClients`, `minPageClients` 1), may repeat itself (`maxRepeatsPerDay` 255) and need not fetch objects (`requireObjects`), and pages above 0.2 are prefetched at once (`immediateFrom`). Requests from other machines are neither learned nor hinted, unless it is `everywhere`. Never on a public site.',
  ),
  holdback: option(
    orNull(wholeNumber, holdbackRange),
    null,
    'Percent of visitors who get no hints, so that what hints are worth can be [measured](guides/holdback.md); needs the beacon. null: none.',
  ),
  ipv6Prefix: option(
    ipv6PrefixKind,
    defaultIpv6Prefix,
    'Bits of an IPv6 address that identify a subscriber, 48, 56 or 64; the whole network counts as one client.',
  ),
  halfLifeMs: option(
    halfLifeKind,
    60 * 24 * hourMs,
    'An access counts half after this time. null: all count the same.',
  ),
  idleGapMs: modelTable.idleGapMs,
  maxClients: modelTable.maxClients,
  maxNodes: modelTable.maxNodes,
  maxArcs: modelTable.maxArcs,
  query: option(
    queryKind,
    'evidence',
    'URLs with a query: by `evidence` pages that are harmless by name are hinted once five clients fetched them, files if versioned (`/a.css?v=3`); `drop-from-hints` hints such files only, `keep` hints all, `strip` removes the query; a list names the parameters to keep.',
  ),
  origin: option(
    orNull(originKind, {}),
    null,
    'Origin of the site. Its absolute URLs become paths, others are refused. null: absolute URLs are kept.',
  ),
  sites: option(
    sitesKind,
    'each',
    '`each`: each host is a site of its own, which hints never leave; from the second on it is learned once as many clients visited it as a hint needs (`minPageClients`), and a hundred at most. `one`: all hosts are one site. A list of hosts: only these, of which the first is the main site (`GET /v1/hints` without `host`).',
  ),
  deny: option(
    denyKind,
    {},
    'URLs neither learned nor hinted: `{ extra, replace, allow }`, lists of words, paths and regular expressions to add to the built-in list, use in its place, or exempt.',
  ),
  store: option(
    any<GraphStore | null>(nullOrStore, 'what createGraphStore returns, or null'),
    null,
    'Where the graph is stored, from `createGraphStore()`. null: memory of this process.',
  ),
  flushIntervalMs: option(flushIntervalKind, 1000, 'Interval at which the store is updated.'),
  saltLifeMs: option(
    number({ least: 60_000, most: 31 * 24 * hourMs }),
    24 * hourMs,
    'The salt of pseudonyms is discarded after this time.',
  ),
  fingerprintLifeMs: option(
    number({ least: 60_000, most: 366 * 24 * hourMs }),
    30 * 24 * hourMs,
    'Distinct clients of a link are counted over this time, under a salt of its own that is kept as long.',
  ),
  rememberMs: option(
    number({ least: 1000, most: 7 * 24 * hourMs }),
    30 * 60 * 1000,
    'How long at most a client is assumed to have what it fetched, if it has no shorter lifetime, and a hint may count as used.',
  ),
  maxAccessesPerDay: option(
    wholeNumber({ least: 1, most: 2 ** 31 }),
    10_000,
    'Most accesses learned per address and day.',
  ),
  maxRepeatsPerDay: option(
    wholeNumber({ least: 1, most: 255 }),
    2,
    'How often a page counts per address and day.',
  ),
  closeTimeoutMs: option(
    number({ least: 1, most: hourMs }),
    5000,
    'Longest time `close` waits for the store.',
  ),
  newSalt: option(
    aFunction<(nowMs: number) => Salt>(),
    newSalt,
    'Creates salts if no store supplies one.',
    { shownDefault: 'random' },
  ),
  now: option(aFunction<() => number>(), Date.now, 'Current time, ms since the epoch.', {
    shownDefault: '`Date.now`',
  }),
  load: option(aFunction<() => number>(), () => 0, 'Load of the process, 0 to 1.', {
    shownDefault: 'as measured',
  }),
  onNotice: option(
    aFunction<(notice: Notice) => void>(),
    () => {},
    'Called with messages for the operator: the store failed, recovered or was set aside.',
    { shownDefault: 'none' },
  ),
} satisfies TableOf<PrefetchdOptions>;

const prefetchdKind = objectOf(prefetchdTable);

export const prefetchdDefaults: Readonly<CheckedOptions> = defaultsOf(prefetchdTable);

/** @throws PrefetchdError `invalid-option`, `unknown-predictor` */
export function prefetchdOptions(options: PrefetchdOptions = {}): CheckedOptions {
  const { predictor, trial = false } = options;
  if (predictor !== undefined && !isPredictorName(predictor)) throw unknownPredictor(predictor);
  const given = checked(
    prefetchdKind,
    trial === false ? options : { ...trialDefaults, ...options },
    invalidOption,
  );
  const { minPageClients = given.minClients === 1 ? 1 : given.minPageClients } = options;
  if (given.origin !== null && given.sites !== 'each') {
    invalidOption('option sites is for a prefetchd without origin, which names the one site');
  }
  const load = options.load ?? lastingLoad();
  return { ...given, ...thresholdsOf(options, given), minPageClients, load };
}

/** `threshold` given alone is p of both kinds. */
export function thresholdsOf(
  { threshold, objectThreshold = threshold }: Partial<Thresholds>,
  unsaid: Readonly<Thresholds>,
): Thresholds {
  return {
    threshold: threshold ?? unsaid.threshold,
    objectThreshold: objectThreshold ?? unsaid.objectThreshold,
  };
}

const tuningKind = objectOf({
  threshold: required(thresholdKind, 'p'),
  objectThreshold: required(thresholdKind, 'p of objects'),
  window: required(windowKind, 'w'),
  limit: required(limitKind, 'i'),
  ...speculationTable,
} satisfies TableOf<Tuning>);

/** A subset of the tuning. */
export const tuningChangeKind = objectOf({
  threshold: optionWithoutDefault(
    thresholdKind,
    'p: documents with a probability above this are hinted; alone: objects, too',
  ),
  objectThreshold: optionWithoutDefault(thresholdKind, 'p of embedded objects'),
  window: optionWithoutDefault(windowKind, 'w: accesses of a client considered together'),
  limit: optionWithoutDefault(limitKind, 'i: most hints; null: no limit'),
  ...speculationChangeTable,
} satisfies TableOf<Tuning>);

/** @throws PrefetchdError `invalid-option` */
export function checkTuning(tuning: Tuning): void {
  checked(tuningKind, tuning, invalidOption);
}
