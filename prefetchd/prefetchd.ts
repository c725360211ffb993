// prefetchd itself, without any HTTP: accesses in, hints out. The way of an access:
//   one spelling of its URL -> is it ever learned? -> the client becomes a pseudonym -> what it has, and
//   whether a hint came true -> no more than its share -> the predictor learns it
// and of a question: candidates of the predictor, above p, of the page's own origin, that this client does
// not have, at most i. Everything happens in memory and at once; the store follows each second
// (graph-sync.ts), and whatever happens to it, hints go on.

import type { Access, AccessKind } from './access.ts';
import type { DropReason } from './eligibility.ts';
import { FairShare } from './fair-share.ts';
import { GraphSync, type StoreHealth } from './graph-sync.ts';
import { type HintCounts, HintHistory } from './hint-history.ts';
import { overload, thresholdUnderLoad } from './load.ts';
import { createPredictor } from './model/index.ts';
import { Keeping } from './model/keeping.ts';
import { textHash } from './model/texts.ts';
import { nameRule } from './name-rule.ts';
import { urlNormaliser } from './normalise-url.ts';
import { checkTuning, type PrefetchdOptions, prefetchdOptions, type Tuning } from './options.ts';
import { pseudonymiser, type Salt } from './salt.ts';
import type { Hint } from './wire.ts';

/** Why an access was not learned: a rule of eligibility.ts, or */
export type NotLearned =
  | DropReason
  /** its URL is none, or too long */
  | 'malformed'
  /** a document with a query string, which may hold anything about anybody (normalise-url.ts) */
  | 'query'
  /** its party has had its share (fair-share.ts) */
  | 'repeat'
  | 'flood';

export interface HintQuestion {
  /** The page or object that is asked for now. */
  url: string;
  /** Who asks; absent: nobody in particular, and nothing is taken as had. */
  client?: string;
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
  /** Learn an access. Why it was not learned, or null. Never throws for what an access may hold. */
  observe(access: Access): NotLearned | null;
  /** At most i hints above p, best first. Learns nothing. @throws PrefetchdError `invalid-option` */
  hints(question: HintQuestion): Hint[];
  /** Pages that have hints, of the `most` that are asked for most; each is looked up when it is taken. */
  pages(most: number): IterableIterator<PageHints>;
  /** Another number whenever hints may have changed. */
  readonly revision: number;
  /** A sign that the client shows a page, as a Referer is: its hint was of use. */
  shown(client: string, url: string, timeMs?: number): void;
  /** An access that was dropped before it came here: counted. */
  dropped(reason: NotLearned): void;
  /** Too busy for what nobody waits for: refuse prefetches. */
  isOverloaded(): boolean;
  readonly tuning: Readonly<Tuning>;
  /** Change p, w or i from now on. @throws PrefetchdError `invalid-option`; then nothing is changed */
  tune(change: Partial<Tuning>): Readonly<Tuning>;
  stats(): PrefetchdStats;
  /** Resolves when what was learned so far is in the store. @throws PrefetchdError `store-unwritable` */
  flush(): Promise<void>;
  /** Flushes and closes the store, within `closeTimeoutMs`; again: the same promise. Never rejects. */
  close(): Promise<void>;
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
  readonly #learned = { document: 0, object: 0 };
  readonly #notLearned: Partial<Record<NotLearned, number>> = {};
  #tuning: Tuning;
  #tunings = 0;
  #pseudonymOf: (client: string) => string;

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
    this.#sync = new GraphSync({
      ...options,
      kept: this.#kept,
      onSalt: (salt) => this.#changeSalt(salt),
      onTick: (nowMs) => this.#history.sweep(nowMs),
    });
    this.#pseudonymOf = pseudonymiser(this.#sync.salt);
    this.ready = this.#sync.start();
  }

  observe(access: Access): NotLearned | null {
    const url = this.#normalise(access.url);
    if (url === null) return this.dropped('malformed');
    const { timeMs, kind } = access;
    const client = this.#clientOf(access.client);
    if (access.prefetch) {
      this.#history.prefetched(client, textHash(url), timeMs);
      return this.dropped('prefetch');
    }
    const reason = this.#refusal(access, url);
    if (reason !== null) return this.dropped(reason);
    const hash = textHash(url);
    this.#history.demanded(client, hash, timeMs);
    const unfair = this.#fairShare.judge(partyOf(client), hash, timeMs);
    if (unfair !== null) return this.dropped(unfair);
    this.#learned[kind]++;
    this.#predictor.observe({ ...access, url, client });
    return null;
  }

  hints(question: HintQuestion): Hint[] {
    const url = this.#normalise(question.url);
    const asked = { ...this.#tuning, ...definedOnly(question) };
    checkTuning(asked);
    const threshold = thresholdUnderLoad(asked.threshold, this.#options.load());
    return url === null ? [] : this.#hintsAt(url, question, { ...asked, threshold });
  }

  *pages(most: number): IterableIterator<PageHints> {
    for (const url of this.#kept.topDocuments(most)) {
      const hints = this.#hintsAt(url, { url }, this.#tuning);
      if (hints.length > 0) yield { url, hints };
    }
  }

  get revision(): number {
    return this.#kept.revision + this.#tunings;
  }

  #hintsAt(url: string, question: HintQuestion, tuning: Readonly<Tuning>): Hint[] {
    const { threshold } = tuning;
    const limit = tuning.limit ?? Number.POSITIVE_INFINITY;
    const hints: Hint[] = [];
    if (threshold >= 1) return hints;
    const { alsoSent, kind, timeMs = this.#options.now(), urlKind = 'document' } = question;
    const client = question.client === undefined ? null : this.#clientOf(question.client);
    const predictor = this.#predictor;
    const access: Access = {
      client: client ?? '',
      url,
      timeMs,
      kind: urlKind,
      status: 200,
      bytes: 0,
      prefetch: false,
      ...(alsoSent && { alsoSent }),
    };
    const candidates = predictor.candidates(access, threshold);
    const origin = originOf(url);
    for (let at = 0; at < candidates.length && hints.length < limit; at++) {
      const probability = candidates.probabilities[at] as number;
      if (!(probability > threshold)) break;
      const id = candidates.ids[at] as number;
      const candidateKind = predictor.kindOf(id);
      if (kind !== undefined && candidateKind !== kind) continue;
      const candidate = predictor.urlOf(id);
      if (candidate === url || originOf(candidate) !== origin) continue;
      if (client !== null) {
        const hash = textHash(candidate);
        if (this.#history.has(client, hash, timeMs)) continue;
        this.#history.hinted(client, hash, timeMs);
      }
      hints.push({ url: candidate, kind: candidateKind, probability });
    }
    return hints;
  }

  shown(client: string, url: string, timeMs = this.#options.now()): void {
    const page = this.#normalise(url);
    if (page === null) return;
    this.#history.demanded(this.#clientOf(client), textHash(page), timeMs);
  }

  dropped<Reason extends NotLearned>(reason: Reason): Reason {
    this.#notLearned[reason] = (this.#notLearned[reason] ?? 0) + 1;
    return reason;
  }

  isOverloaded(): boolean {
    return this.#options.load() >= overload;
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

  flush(): Promise<void> {
    return this.#sync.flush();
  }

  close(): Promise<void> {
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

  /** `party rest`: the first word stands for the address alone (model/client-sets.ts counts those). */
  #clientOf(client: string): string {
    const space = client.indexOf(' ');
    if (space === -1) return this.#pseudonymOf(client);
    return `${this.#pseudonymOf(client.slice(0, space))} ${this.#pseudonymOf(client.slice(space))}`;
  }

  /** All pseudonyms are others from now on. */
  #changeSalt(salt: Salt): void {
    this.#pseudonymOf = pseudonymiser(salt);
    this.#history.clear();
    this.#fairShare.clear();
  }
}

function partyOf(client: string): string {
  const space = client.indexOf(' ');
  return space === -1 ? client : client.slice(0, space);
}

/** '' for a path of the site. */
function originOf(url: string): string {
  if (url.charCodeAt(0) === 47) return '';
  const end = url.indexOf('/', url.indexOf('//') + 2);
  return end === -1 ? url : url.slice(0, end);
}

function definedOnly({ threshold, window, limit }: Partial<Tuning>): Partial<Tuning> {
  return {
    ...(threshold !== undefined && { threshold }),
    ...(window !== undefined && { window }),
    ...(limit !== undefined && { limit }),
  };
}
