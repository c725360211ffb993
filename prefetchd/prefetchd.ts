// prefetchd itself, without any HTTP: accesses in, hints out. The way of an access:
//   one spelling of its URL -> is it ever learned? -> the client becomes a pseudonym -> what it has, and
//   whether a hint came true -> no more than its share -> the predictor learns it
// and of a question: candidates of the predictor, above p, of the page's own origin, that this client does
// not have, at most i. Everything happens in memory and at once; the store follows each second
// (graph-sync.ts), and whatever happens to it, hints go on.

import type { Access, AccessKind } from './access.ts';
import { CountSeries } from './dashboard/count-series.ts';
import { RecentAccesses } from './dashboard/recent-accesses.ts';
import { type Overview, type PageView, Watch } from './dashboard/watch.ts';
import type { WhatIf } from './dashboard/what-if.ts';
import type { DropReason } from './eligibility.ts';
import { FairShare } from './fair-share.ts';
import { GraphSync, type StoreHealth } from './graph-sync.ts';
import { type HintCounts, HintHistory } from './hint-history.ts';
import { thresholdUnderLoad } from './load.ts';
import { kindOfPath } from './log/access-kind.ts';
import { createPredictor } from './model/index.ts';
import { Keeping } from './model/keeping.ts';
import { textHash } from './model/texts.ts';
import { nameRule } from './name-rule.ts';
import { urlNormaliser } from './normalise-url.ts';
import {
  type CheckedOptions,
  checkTuning,
  type PrefetchdOptions,
  prefetchdOptions,
  type Tuning,
} from './options.ts';
import { originOf } from './origin-of.ts';
import { Pseudonyms } from './pseudonyms.ts';
import type { Salt } from './salt.ts';
import { type Hint, hintRank, hintRanks } from './wire.ts';

/** Why an access was not learned: a rule of eligibility.ts, or */
export type NotLearned =
  | DropReason
  /** its URL is none, or too long */
  | 'malformed'
  /** it has a query string that may hold anything about anybody (normalise-url.ts) */
  | 'query'
  /** its party has had its share (fair-share.ts) */
  | 'repeat'
  | 'flood';

export interface HintQuestion {
  /** The page or object that is asked for now. */
  url: string;
  /** Who asks; absent: nobody in particular, and nothing is taken as had. */
  client?: string;
  /** The answer may be kept for others, so it must not tell what this client has: that is hinted too. */
  isShared?: boolean;
  /** What `url` is; a document if absent. */
  urlKind?: AccessKind;
  /** Only documents, or only objects; absent: both. */
  kind?: AccessKind;
  /** p and i of this question; absent: those of the configuration. */
  threshold?: number;
  limit?: number | null;
  /** GETALL, GETLIST: what goes along with the answer. */
  alsoSent?: readonly string[];
  /** Absent: now. */
  timeMs?: number;
}

/** What is hinted on a page to nobody in particular, and no less for the process being busy. */
export interface PageHints {
  url: string;
  /** At most i above p, best first; not empty. */
  hints: Hint[];
}

export interface PrefetchdStats {
  learned: { document: number; object: number };
  notLearned: Partial<Record<NotLearned, number>>;
  hints: HintCounts;
  nodes: number;
  arcs: number;
  /** Bytes of the graph's typed arrays. */
  graphBytes: number;
  store: StoreHealth;
  /** How busy the process is, 0..1. */
  load: number;
}

export interface Prefetchd extends AsyncDisposable {
  /** What the store kept is there, or it was tried and failed, which stands in `stats().store`. */
  readonly ready: Promise<void>;
  /** Learn an access, and that its client shows the page it is part of. Why it was not learned, or null. Never throws for what an access may hold. */
  observe(access: Access): NotLearned | null;
  /** At most i hints above p, best first. Learns nothing. @throws PrefetchdError `invalid-option` */
  hints(question: HintQuestion): Hint[];
  /** Pages that have hints, of the `most` that are asked for most; each is looked up when it is taken. */
  pages(most: number): IterableIterator<PageHints>;
  /** Another number whenever hints may have changed. */
  readonly revision: number;
  /** A sign that the client shows a page, as a Referer is: its hint was of use. The first sign of a page that was
   *  prefetched is its visit, and is learned. */
  shown(client: string, url: string, timeMs?: number): void;
  /** An access that was dropped before it came here: counted. */
  dropped(reason: NotLearned): void;
  /** How busy the process is, 0..1. */
  readonly load: number;
  /** What it takes for the site, for who judges requests before they come here. */
  readonly site: Readonly<Pick<CheckedOptions, 'origin' | 'deny'>>;
  readonly tuning: Readonly<Tuning>;
  /** Change p, w or i from now on. @throws PrefetchdError `invalid-option`; then nothing is changed */
  tune(change: Partial<Tuning>): Readonly<Tuning>;
  stats(): PrefetchdStats;
  /** For people who look: costs something from the first question until some seconds after the last. */
  readonly watch: PrefetchdWatch;
  /** Resolves when what was learned so far is in the store. @throws PrefetchdError `store-unwritable` */
  flush(): Promise<void>;
  /** Flushes and closes the store, within `closeTimeoutMs`; again: the same promise. Never rejects. */
  close(): Promise<void>;
}

/** What of a prefetchd may be shown: no client, and no URL that may be one person's (dashboard/watch.ts). */
export interface PrefetchdWatch {
  overview(): Overview;
  /** What follows a page, or null: its URL is none. @param kind only documents, or only objects */
  page(url: string, kind?: AccessKind): PageView | null;
  /** What other settings would have given; null: not done yet. */
  whatIf(): WhatIf | null;
}

/** @throws PrefetchdError `invalid-option`, `unknown-predictor` */
export function createPrefetchd(options: PrefetchdOptions = {}): Prefetchd {
  return new Engine(options);
}

class Engine implements Prefetchd {
  readonly ready: Promise<void>;
  readonly #options;
  readonly #nameReason: ReturnType<typeof nameRule>;
  readonly #normalise: (raw: string) => string | null;
  readonly #predictor;
  readonly #kept;
  readonly #history: HintHistory;
  readonly #fairShare: FairShare;
  readonly #sync: GraphSync;
  readonly #recent = new RecentAccesses();
  readonly #series: CountSeries;
  #watch: Watch | null = null;
  readonly #learned = { document: 0, object: 0 };
  readonly #notLearned: Partial<Record<NotLearned, number>> = {};
  #tuning: Tuning;
  #tunings = 0;
  #pseudonyms: Pseudonyms;

  constructor(given: PrefetchdOptions) {
    const options = prefetchdOptions(given);
    this.#options = options;
    this.#tuning = {
      threshold: options.threshold,
      window: options.window,
      limit: options.limit,
    };
    this.#nameReason = nameRule(options);
    this.#normalise = urlNormaliser({ query: options.query, origin: options.origin });
    this.#predictor = createPredictor(options.predictor, {
      window: options.window,
      minClients: options.minClients,
      halfLifeMs: options.halfLifeMs,
      idleGapMs: options.idleGapMs,
      maxClients: options.maxClients,
      maxNodes: options.maxNodes,
      maxArcs: options.maxArcs,
      mayHint: (url, kind) => this.#nameReason(url, kind) === null,
    });
    this.#kept = new Keeping(this.#predictor, options.maxArcs);
    if (options.store !== null) this.#kept.note();
    this.#history = new HintHistory(options);
    this.#fairShare = new FairShare(options);
    this.#series = new CountSeries(options.now());
    this.#sync = new GraphSync({
      ...options,
      kept: this.#kept,
      onSalt: (salt) => this.#changeSalt(salt),
      onTick: (nowMs) => {
        this.#history.sweep(nowMs);
        this.#series.tick(nowMs, () => this.stats());
      },
    });
    this.#pseudonyms = new Pseudonyms(this.#sync.salt);
    this.ready = this.#sync.start();
  }

  observe(access: Access): NotLearned | null {
    const url = this.#normalise(access.url);
    if (url === null) return this.dropped('malformed');
    const { timeMs, kind, page } = access;
    if (page !== undefined && !access.prefetch) this.shown(access.client, page, timeMs);
    if (access.prefetch) {
      const { client } = this.#pseudonyms.of(access.client);
      this.#history.prefetched(client, textHash(url), timeMs);
      return this.dropped('prefetch');
    }
    const reason = this.#refusal(access, url);
    if (reason !== null) return this.dropped(reason);
    const { client, party } = this.#pseudonyms.of(access.client);
    const hash = textHash(url);
    const visitor = this.#history.demanded(client, hash, timeMs);
    const unfair = this.#fairShare.judge(party, hash, timeMs);
    if (unfair !== null) return this.dropped(unfair);
    this.#learned[kind]++;
    this.#predictor.observe({ ...access, url, client });
    this.#recent.add(url, hash, visitor, client, timeMs, kind, access.bytes);
    return null;
  }

  hints(question: HintQuestion): Hint[] {
    const url = this.#normalise(question.url);
    const { threshold = this.#tuning.threshold, limit = this.#tuning.limit } = question;
    if (question.threshold !== undefined || question.limit !== undefined) {
      checkTuning({ ...this.#tuning, threshold, limit });
    }
    if (url === null) return [];
    return this.#hintsAt(url, question, thresholdUnderLoad(threshold, this.#options.load()), limit);
  }

  *pages(most: number): IterableIterator<PageHints> {
    for (const url of this.#kept.topDocuments(most)) {
      const { threshold, limit } = this.#tuning;
      const hints = this.#hintsAt(url, { url }, threshold, limit);
      if (hints.length > 0) yield { url, hints };
    }
  }

  get revision(): number {
    return this.#kept.revision + this.#tunings;
  }

  /** @param limit null: all of them */
  #hintsAt(url: string, question: HintQuestion, threshold: number, limit: number | null): Hint[] {
    const hints: Hint[] = [];
    if (threshold >= 1) return hints;
    const { alsoSent, kind, isShared = false, timeMs = this.#options.now() } = question;
    const client =
      question.client === undefined ? null : this.#pseudonyms.of(question.client).client;
    const predictor = this.#predictor;
    const access: Access = {
      client: client ?? '',
      url,
      timeMs,
      kind: question.urlKind ?? 'document',
      status: 200,
      bytes: 0,
      prefetch: false,
    };
    if (alsoSent !== undefined) access.alsoSent = alsoSent;
    const candidates = predictor.candidates(access, threshold);
    const most = limit ?? Number.POSITIVE_INFINITY;
    const origin = originOf(url);
    // Objects of the page shown take no place of a page that comes next; asked for objects alone, they are meant.
    for (const rank of kind === 'object' ? hintRanks.toReversed() : hintRanks) {
      for (let at = 0; at < candidates.length && hints.length < most; at++) {
        const probability = candidates.probabilities[at] as number;
        if (!(probability > threshold)) break;
        const id = candidates.ids[at] as number;
        const candidateKind = predictor.kindOf(id);
        if (kind !== undefined && candidateKind !== kind) continue;
        const navigation = candidates.navigationOf?.(at);
        if (hintRank(candidateKind, navigation) !== rank) continue;
        const candidate = predictor.urlOf(id);
        if (candidate === url || originOf(candidate) !== origin) continue;
        const isNew = client === null || this.#history.offer(client, textHash(candidate), timeMs);
        if (!isNew && !isShared) continue;
        const hint: Hint = { url: candidate, kind: candidateKind, probability };
        if (candidateKind === 'object' && navigation !== undefined) hint.navigation = navigation;
        hints.push(hint);
      }
    }
    hints.sort((one, other) => other.probability - one.probability);
    if (client !== null) this.#recent.hinted(url, client, hints.length);
    return hints;
  }

  shown(client: string, url: string, timeMs = this.#options.now()): void {
    const page = this.#normalise(url);
    if (page === null) return;
    const pseudonym = this.#pseudonyms.of(client).client;
    const hash = textHash(page);
    if (this.#history.isUnseen(pseudonym, hash, timeMs)) {
      // Showing it asked the server for nothing: this is the visit.
      const kind = kindOfPath(page.replace(/[?#].*$/s, ''));
      this.observe({ client, url, timeMs, kind, status: 200, bytes: 0, prefetch: false });
    } else this.#history.demanded(pseudonym, hash, timeMs);
  }

  dropped<Reason extends NotLearned>(reason: Reason): Reason {
    this.#notLearned[reason] = (this.#notLearned[reason] ?? 0) + 1;
    return reason;
  }

  get load(): number {
    return this.#options.load();
  }

  get site(): Prefetchd['site'] {
    const { origin, deny } = this.#options;
    return { origin, deny };
  }

  get tuning(): Readonly<Tuning> {
    return this.#tuning;
  }

  tune(change: Partial<Tuning>): Readonly<Tuning> {
    const tuning = { ...this.#tuning, ...definedOnly(change) };
    checkTuning(tuning);
    this.#predictor.window = tuning.window;
    this.#tuning = tuning;
    this.#tunings++;
    return tuning;
  }

  stats(): PrefetchdStats {
    const { nodes, arcs, bytes } = this.#kept.size();
    return {
      learned: { ...this.#learned },
      notLearned: { ...this.#notLearned },
      hints: { ...this.#history.counts },
      nodes,
      arcs,
      graphBytes: bytes,
      store: this.#sync.health(),
      load: this.#options.load(),
    };
  }

  get watch(): PrefetchdWatch {
    this.#watch ??= new Watch({
      tables: this.#predictor.tables,
      source: this.#predictor,
      recent: this.#recent,
      series: this.#series,
      minClients: this.#options.minClients,
      rememberMs: this.#options.rememberMs,
      now: this.#options.now,
      normalise: this.#normalise,
      hintsAt: (url, kind, most) =>
        this.#hintsAt(url, { url, ...(kind !== undefined && { kind }) }, 0, most),
    });
    return this.#watch;
  }

  flush(): Promise<void> {
    return this.#sync.flush();
  }

  close(): Promise<void> {
    this.#watch?.close();
    return this.#sync.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #refusal({ status, kind }: Access, url: string): NotLearned | null {
    // 304 confirms a 200 that the client has: it was asked for all the same.
    if (!((status >= 200 && status < 300) || status === 304)) return 'status';
    return this.#nameReason(url, kind);
  }

  /** All pseudonyms are others from now on. */
  #changeSalt(salt: Salt): void {
    this.#pseudonyms.forget();
    this.#pseudonyms = new Pseudonyms(salt);
    this.#history.clear();
    this.#fairShare.clear();
    this.#recent.clear();
    this.#watch?.forget();
  }
}

function definedOnly({ threshold, window, limit }: Partial<Tuning>): Partial<Tuning> {
  return {
    ...(threshold !== undefined && { threshold }),
    ...(window !== undefined && { window }),
    ...(limit !== undefined && { limit }),
  };
}
