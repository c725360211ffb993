// The engine: accesses in, hints out, without HTTP. Each access passes these steps:
//   normalise the URL -> may it be learned? -> replace the client by a pseudonym -> record what the client has, and
//   whether a hint was used -> fair share of the address -> the predictor learns it
// For a request for hints, hint-choice.ts takes at most i of the predictor's candidates. Everything runs
// synchronously in memory. The store follows each second (graph-sync.ts), and hints continue whatever happens to it.

import { thresholdUnderLoad } from '../../process/thread-load.ts';
import type { Access } from '../access.ts';
import { GraphExport } from '../model/graph-export.ts';
import { createPredictor } from '../model/index.ts';
import type { Salt } from '../model/salt.ts';
import { textHash } from '../model/tables/texts.ts';
import { urlNormaliser } from '../normalise-url.ts';
import { kindOfPath } from '../rules/access-kind.ts';
import { nameRule } from '../rules/name-rule.ts';
import type { Hint } from '../wire/index.ts';
import { AccessCounts, type NotLearned, type PrefetchdStats } from './counts.ts';
import { FairShare } from './fair-share.ts';
import { GraphSync } from './graph-sync.ts';
import { HintChoice } from './hint-choice.ts';
import { HintHistory } from './hint-history.ts';
import type { HintQuestion, PageHints } from './hint-question.ts';
import {
  type CheckedOptions,
  type PrefetchdOptions,
  prefetchdOptions,
  type Tuning,
} from './prefetchd-options.ts';
import { Pseudonyms } from './pseudonyms.ts';
import { Tunable } from './tunable.ts';
import { CountSeries } from './watch/count-series.ts';
import { RecentAccesses } from './watch/recent-accesses.ts';
import { type PrefetchdWatch, Watch } from './watch/watch.ts';

/** Implements Prefetchd; the additional members are for the service and the middleware. */
export class Engine implements AsyncDisposable {
  readonly ready: Promise<void>;
  readonly #options;
  readonly #nameReason: ReturnType<typeof nameRule>;
  readonly #normalise: (raw: string) => string | null;
  readonly #predictor;
  readonly #kept;
  readonly #history: HintHistory;
  readonly #choice: HintChoice;
  readonly #fairShare: FairShare;
  readonly #sync: GraphSync;
  readonly #recent = new RecentAccesses();
  readonly #series: CountSeries;
  #watch: Watch | null = null;
  readonly #counts = new AccessCounts();
  readonly #tunable: Tunable;
  #pseudonyms: Pseudonyms;

  constructor(given: PrefetchdOptions) {
    const options = prefetchdOptions(given);
    this.#options = options;
    this.#tunable = new Tunable(options);
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
    this.#kept = new GraphExport(this.#predictor, options.maxArcs);
    if (options.store !== null) this.#kept.note();
    this.#history = new HintHistory(options);
    this.#choice = new HintChoice(this.#predictor, this.#history);
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
    this.#pseudonyms = new Pseudonyms(this.#sync.salt, options.ipv6Prefix);
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
    const { client, address } = this.#pseudonyms.of(access.client);
    const hash = textHash(url);
    const visitor = this.#history.demanded(client, hash, timeMs);
    const unfair = this.#fairShare.judge(address, hash, this.#kept.idOf(url), timeMs);
    if (unfair !== null) return this.dropped(unfair);
    this.#counts.learned(kind);
    this.#predictor.observe({ ...access, url, client });
    this.#recent.add(url, hash, visitor, client, timeMs, kind, access.bytes);
    return null;
  }

  hints(question: HintQuestion): Hint[] {
    const url = this.#normalise(question.url);
    const { threshold, limit } = this.#tunable.of(question);
    if (url === null) return [];
    return this.#hintsAt(url, question, thresholdUnderLoad(threshold, this.#options.load()), limit);
  }

  /** The hints of the most requested pages, for at most `most` pages that have any; computed lazily. */
  *pages(most: number): IterableIterator<PageHints> {
    for (const url of this.#kept.topDocuments(most)) {
      const { threshold, limit } = this.#tunable.now;
      const hints = this.#hintsAt(url, { url }, threshold, limit);
      if (hints.length > 0) yield { url, hints };
    }
  }

  /** Changes whenever hints may have changed. */
  get revision(): number {
    return this.#kept.revision + this.#tunable.changes;
  }

  /** @param limit null: no limit */
  #hintsAt(url: string, question: HintQuestion, threshold: number, limit: number | null): Hint[] {
    if (threshold >= 1) return [];
    const { alsoSent, kind, isShared = false, timeMs = this.#options.now() } = question;
    const client =
      question.client === undefined ? null : this.#pseudonyms.of(question.client).client;
    const access: Access = {
      // A shared answer must not depend on anybody's habits or current page.
      client: isShared ? '' : (client ?? ''),
      url,
      timeMs,
      kind: question.urlKind ?? 'document',
      status: 200,
      bytes: 0,
      prefetch: false,
    };
    if (alsoSent !== undefined) access.alsoSent = alsoSent;
    const hints = this.#choice.of(access, { client, isShared, kind, threshold, limit });
    if (client !== null) this.#recent.hinted(url, client, hints.length);
    return hints;
  }

  /**
   * Record a sign that the client shows a page, such as a Referer: its hint was used. The first sign of a prefetched
   * page counts as its visit and is learned.
   */
  shown(client: string, url: string, timeMs = this.#options.now()): void {
    const page = this.#normalise(url);
    if (page === null) return;
    const pseudonym = this.#pseudonyms.of(client).client;
    const hash = textHash(page);
    if (this.#history.isUnseen(pseudonym, hash, timeMs)) {
      // Showing it caused no request, so this is the visit.
      const kind = kindOfPath(page.replace(/[?#].*$/s, ''));
      this.observe({ client, url, timeMs, kind, status: 200, bytes: 0, prefetch: false });
    } else this.#history.demanded(pseudonym, hash, timeMs);
  }

  /** Count an access that was dropped before it reached the engine. */
  dropped<Reason extends NotLearned>(reason: Reason): Reason {
    return this.#counts.notLearned(reason);
  }

  /** Load of the process, 0..1. */
  get load(): number {
    return this.#options.load();
  }

  /** What belongs to the site, for code that filters requests before they reach the engine. */
  get site(): Readonly<Pick<CheckedOptions, 'origin' | 'deny'>> {
    const { origin, deny } = this.#options;
    return { origin, deny };
  }

  get tuning(): Readonly<Tuning> {
    return this.#tunable.now;
  }

  tune(change: Partial<Tuning>): Readonly<Tuning> {
    const tuning = this.#tunable.change(change);
    this.#predictor.window = tuning.window;
    return tuning;
  }

  stats(): PrefetchdStats {
    const { nodes, arcs, bytes } = this.#kept.size();
    return {
      ...this.#counts.sums(),
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
    // A 304 confirms a 200 that the client has: it was requested all the same.
    if (!((status >= 200 && status < 300) || status === 304)) return 'status';
    return this.#nameReason(url, kind);
  }

  /** All pseudonyms change. */
  #changeSalt(salt: Salt): void {
    this.#pseudonyms.forget();
    this.#pseudonyms = new Pseudonyms(salt, this.#options.ipv6Prefix);
    this.#history.clear();
    this.#fairShare.clear();
    this.#recent.clear();
    this.#watch?.forget();
  }
}
