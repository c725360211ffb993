// The engine: it takes accesses and returns hints, without HTTP. Each access passes these steps:
//   normalise the URL -> may it be learned? -> replace the client by a pseudonym -> record what the client has, and
//   whether a hint was used -> fair share of the address -> is the client a browser? -> the predictor learns it
// For a question, hint-answer.ts makes hints of at most `limit` predictions. Everything runs synchronously in memory.
// Each second graph-sync.ts writes to the store, and hints continue whatever happens to the store.

import { checked } from '../../options/options.ts';
import { textHash } from '../../process/text-memo.ts';
import { thresholdUnderLoad } from '../../process/thread-load.ts';
import type { Access } from '../access.ts';
import { invalidOption } from '../errors.ts';
import { Holdback } from '../holdback/holdback.ts';
import type { HoldbackReport } from '../holdback/report.ts';
import type { GraphDelta } from '../model/delta/graph-delta.ts';
import { manyClients } from '../model/graph/graph.ts';
import { GraphExport } from '../model/graph-export.ts';
import { predictorWith } from '../model/index.ts';
import { isOver, type Salt } from '../model/salt.ts';
import { urlNormaliser } from '../normalise-url.ts';
import { isStyleSheet, kindOfTarget } from '../rules/access-kind.ts';
import { type NameRule, nameRule } from '../rules/deny-list.ts';
import { checkLinkPatterns } from '../rules/link-patterns.ts';
import type { Hint } from '../wire/hint.ts';
import { moderateFrom, mostModerate } from '../wire/speculation-rules.ts';
import type { SpeculationTerms } from '../wire/speculation-settings.ts';
import { BrowserReports, deviceOf, TimeSaved } from './browser-reports.ts';
import { BrowserSigns, ForeignPrefetches, isReport, RefererPages, Votes } from './browser-signs.ts';
import type { NotLearned, PrefetchdStats } from './counts.ts';
import { FairShare } from './fair-share.ts';
import { GraphSync } from './graph-sync.ts';
import {
  type AnonymousPageHints,
  HintAnswer,
  HintChoice,
  type HintQuestion,
} from './hint-answer.ts';
import { Anticipation, HintHistory } from './hint-history.ts';
import { LeftOut, type LeftOutUrl, type NamedAccess } from './left-out.ts';
import { OwnObjects } from './own-objects.ts';
import {
  type CheckedOptions,
  type ChoiceTuning,
  choiceTuning,
  type PrefetchdOptions,
  prefetchdOptions,
  type Tuning,
  tuningChangeKind,
} from './prefetchd-options.ts';
import { originIn, Sites } from './sites.ts';
import { Trial, type TrialMode } from './trial.ts';
import { type Lesson, type Pseudonym, pseudonymsOf, Visitors } from './visitors.ts';
import { type PrefetchdWatch, Watch } from './watch/watch.ts';

/** Reasons for not learning an access that lie in its response, such as the status. */
const isOfResponse: ReadonlySet<NotLearned> = new Set([
  'status',
  'set-cookie',
  'private',
  'no-store',
  'vary',
  'noindex',
]);

const mainKeptEachMs = 60_000;
/** Changes the hash of a page that a script fetched as data, so that the fetch does not count as a repeated visit. */
const fetchedByScript = 0x5bd1e995;

/** Limit on the browser reports (browser-reports.ts) of one kind from one address that count for a page in a day. */
const reportsPerDay = 4;

/** Implements Prefetchd; the additional members are for the service and the middleware. */
export class Engine implements AsyncDisposable {
  readonly ready: Promise<void>;
  readonly #options;
  readonly #names: NameRule;
  readonly #sites: Sites;
  #mainKeptMs = Number.NEGATIVE_INFINITY;
  readonly #normalise: (raw: string) => string | null;
  readonly #withQuery: (raw: string) => string | null;
  /** How the links of a page write the URL of a next page, as the majority of visitors' requests show. */
  readonly #spellings = new Votes({ most: 5_000, least: manyClients });
  /** The largest image (LCP) of each page, as the majority of browsers report it. */
  readonly #largest: Votes;
  readonly #predictor;
  readonly #kept;
  readonly #history: HintHistory;
  readonly #answer: HintAnswer;
  readonly #fairShare: FairShare;
  readonly #sync: GraphSync;
  readonly #saved = new TimeSaved();
  /** The data of the dashboard; null until they are first asked for. */
  #watch: Watch | null = null;
  readonly #learned = { document: 0, object: 0 };
  readonly #notLearned: Partial<Record<NotLearned, number>> = {};
  readonly #pages = { clicks: 0, fetched: 0, used: 0 };
  readonly #leftOut: LeftOut;
  readonly #visitors: Visitors;
  readonly #refererPages = new RefererPages();
  readonly #anticipation = new Anticipation();
  readonly #foreign: ForeignPrefetches;
  readonly #signs: BrowserSigns;
  readonly #reports: BrowserReports;
  readonly #ownObjects: OwnObjects;
  #tuning: Readonly<Tuning>;
  /** Number of calls of `tune` that changed an option. */
  #tunings = 0;
  /** Threshold and limit for requests for hints that set none themselves. */
  #usual: ChoiceTuning;
  /** Refuses visitors on other machines while one person tries the site (option `trial`); null: no trial. */
  readonly #trial: Trial | null;
  /** Decides who gets no hints; null: everybody gets hints. */
  readonly #holdback: Holdback | null;
  #visitorSalt: Salt;
  #pseudonymOf: (client: string) => Pseudonym;

  constructor(given: PrefetchdOptions) {
    const options = prefetchdOptions(given);
    this.#options = options;
    if (options.otherLinks !== 'off') checkLinkPatterns(options.deny);
    const { threshold, window, limit, otherLinks, prerender } = options;
    this.#tuning = { threshold, window, limit, otherLinks, prerender };
    this.#usual = choiceTuning(options);
    this.#trial = options.trial === false ? null : new Trial(options.trial, options.log);
    this.#names = nameRule(options);
    const { origin, sites, minPageClients } = options;
    this.#sites = new Sites(origin === null ? sites : [new URL(origin).host], minPageClients);
    this.#leftOut = new LeftOut(options.deny);
    const { query } = options;
    this.#normalise = urlNormaliser({ query, origin }, (path) => this.#kept.has(path));
    this.#withQuery = urlNormaliser({ query: 'keep', origin });
    this.#predictor = predictorWith(options.predictor, {
      ...options,
      mayHint: (url, kind) => this.#names.reasonOf(url, kind) === null,
      needsEvidence: this.#names.needsEvidence,
    });
    this.#kept = new GraphExport(this.#predictor);
    if (options.store !== null) this.#kept.note();
    this.#visitors = new Visitors(
      options.maxClients,
      (count) => this.#count('unproven', count),
      (urls) => this.#history.evicted(urls),
    );
    this.#history = new HintHistory(this.#visitors, options.rememberMs);
    this.#fairShare = new FairShare(options);
    const { holdback: percent, maxClients } = options;
    this.#holdback =
      percent === null ? null : new Holdback({ percent, maxClients, nowMs: options.now() });
    this.#foreign = new ForeignPrefetches(options.log);
    this.#signs = new BrowserSigns(this.#visitors, options);
    this.#largest = new Votes({ most: 2000, least: options.minClients });
    this.#reports = new BrowserReports({
      visitors: this.#visitors,
      history: this.#history,
      signs: this.#signs,
      largest: this.#largest,
      holdback: this.#holdback,
      saved: this.#saved,
      share: new FairShare({
        ...options,
        maxRepeatsPerDay: Math.max(reportsPerDay, options.maxRepeatsPerDay),
      }),
      pseudonymOf: (client) => this.#pseudonymOf(client),
      normalise: this.#normalise,
      isKnown: (url) => this.#kept.has(url),
      onVisit: (access) => this.#visit(access),
      onShown: (client, url, timeMs) => this.shown(client, url, timeMs),
    });
    this.#ownObjects = new OwnObjects(this.#visitors, options);
    this.#answer = new HintAnswer({
      choice: new HintChoice(this.#predictor, this.#history, options.maxWasteBytes),
      history: this.#history,
      signs: this.#signs,
      largest: this.#largest,
      ownObjects: this.#ownObjects,
      nodes: this.#predictor.tables.nodes,
      holdback: this.#holdback,
    });
    this.#sync = new GraphSync({
      ...options,
      kept: this.#kept,
      onForgotten: () => {
        this.#visitors.dropWaiting();
        this.#watch?.forgetVisits();
        this.#signs.forgetUrls();
        this.#largest.clear();
        this.#spellings.clear();
        this.#ownObjects.clear();
      },
      onSalt: () => {
        this.#spellings.clear();
        this.#ownObjects.clear();
        this.#renamePseudonyms();
      },
      onTick: (nowMs) => {
        if (isOver(this.#visitorSalt, nowMs, options.saltLifeMs)) this.#changeVisitorSalt(nowMs);
        this.#history.sweep(nowMs);
        this.#watch?.tick(nowMs, () => this.stats());
      },
    });
    this.#visitorSalt = options.newSalt(options.now());
    this.#pseudonymOf = pseudonymsOf(this.#visitorSalt, this.#sync.salt);
    this.ready = this.#sync.start().then(() => this.#spellAsStored());
  }

  observe(given: Access): NotLearned | null {
    if (this.#trial?.refuses(given.client)) return this.dropped('trial');
    const access = this.#sites.named(this.#refererPages.withoutForgedPage(given));
    const url = this.#normalise(access.url);
    if (url === null) return this.dropped('malformed');
    const { timeMs, kind, page } = access;
    if (access.noindex === true) return this.dropped('noindex', { url, kind });
    if (isReport(access)) {
      this.#reports.process(access, url);
      return this.dropped('shown');
    }
    if (this.#holdback !== null) this.#received(this.#holdback, access);
    if (page !== undefined && !access.prefetch) this.shown(access.client, page, timeMs);
    if (access.prefetch) {
      this.#prefetched(access, url);
      return this.dropped('prefetch');
    }
    const reason = this.#refusal(access, url);
    if (reason !== null) return this.dropped(reason, { url, kind });
    const { client, address, fingerprint } = this.#pseudonymOf(access.client);
    const hash = textHash(url);
    const isAnticipated = this.#history.isAnticipated(client, hash, timeMs);
    const outcome = this.#history.outcome(client, hash, timeMs);
    const visitor = this.#visitors.visitorOf(client);
    if (page !== undefined) visitor.sendsReferers = true;
    const isUnreferred = page === undefined && visitor.sendsReferers;
    const entry = kind === 'document' && (access.entry ?? isUnreferred);
    if (kind === 'document') this.#opened(client, hash, timeMs, page);
    // While a person tries the site (option `trial`), pages count as having no lifetime: one is hinted even to a client
    // that had it, and that hint counts, too.
    const freshMs = kind === 'document' && this.#trial !== null ? 0 : access.freshMs;
    this.#history.demanded(client, hash, timeMs, freshMs);
    // One visitor's script may fetch a page again and again: such fetches have a limit of their own, as high as that of
    // visits.
    const counted = kind === 'document' ? hash : this.#isPage(url) ? hash ^ fetchedByScript : null;
    const unfair = this.#fairShare.judge(address, counted, timeMs);
    if (unfair !== null) return this.dropped(unfair);
    if (!this.#sites.visit(access.host, address)) return this.dropped('cross-origin');
    this.#keepMainSite(timeMs);
    const observation = { ...access, url, client, fingerprint, isAnticipated, entry };
    const isClick = access.entry === false || (page !== undefined && !entry);
    const linked = isClick ? this.#linked(access.url, url) : undefined;
    const lesson = { observation, hash, outcome, isClick, linked };
    if (kind === 'object' || access.userActivated === true) {
      for (const earlier of this.#visitors.prove(client)) {
        earlier.observation.isLate = true;
        this.#learn(earlier);
      }
    } else if (this.#visitors.mustWait(client, this.#embedsObjects(url))) {
      this.#visitors.keepForProof(client, lesson);
      return null;
    }
    return this.#learn(lesson);
  }

  #learn(lesson: Lesson): NotLearned | null {
    const { observation, outcome } = lesson;
    const { url, timeMs, kind } = observation;
    if (observation.prefetch) {
      this.#anticipate(lesson);
      return null;
    }
    this.#options.onLearn?.(observation);
    this.#predictor.observe(observation);
    if (this.#isPage(url) !== (kind === 'document')) return this.dropped('not-page');
    this.#learned[kind]++;
    if (kind === 'document') {
      this.#watch?.visited({ url, timeMs, outcome });
      this.#clicked(lesson);
      this.#opens(lesson);
    } else this.#fetches(lesson);
    return null;
  }

  /** Returns a page's URL with the query as it was requested; undefined: a URL with that query may not be hinted. */
  #linked(asked: string, url: string): string | undefined {
    if (this.#options.query !== 'evidence' || !asked.includes('?')) return url;
    const full = this.#withQuery(asked) ?? '';
    const [path] = url.split('?', 1);
    const linked = path + full.slice(full.indexOf('?'));
    return linked === url || this.#names.reasonOf(linked, 'document') === null ? linked : undefined;
  }

  #clicked({ observation, hash, outcome, isClick, linked }: Lesson): void {
    if (!isClick) return;
    const { client, fingerprint = 0, url, page } = observation;
    const from = page === undefined || linked === undefined ? null : this.#normalise(page);
    if (from !== null) this.#spellings.vote(`${from} ${url}`, fingerprint, linked ?? url);
    const isUsed = outcome === 'hit' || outcome === 'prefetched';
    this.#pages.clicks++;
    if (isUsed) this.#pages.used++;
    this.#saved.opened(client, hash, isUsed);
  }

  /**
   * Notes that a page was opened, so the client will fetch its objects. A revalidated page tells nothing of its
   * objects, because the client may have all of them.
   */
  #opens({ observation }: Lesson): void {
    const { client, fingerprint = 0, url, status, timeMs } = observation;
    const lacks = (object: string) => this.#history.isNew(client, textHash(object), timeMs);
    this.#ownObjects.opened({ client, fingerprint }, url, status !== 304, lacks);
  }

  #fetches({ observation, outcome }: Lesson): void {
    const { client, fingerprint = 0, url, page } = observation;
    const visitor = { client, fingerprint };
    const from = page === undefined ? null : this.#normalise(page);
    const isOfStyle = from !== null && isStyleSheet(from);
    if (from !== null && !isOfStyle && this.#isPage(from)) this.#ownObjects.shows(visitor, from);
    if (outcome === 'none') this.#ownObjects.fetched(visitor, url, isOfStyle);
  }

  #isPage(url: string): boolean {
    return this.#predictor.tables.nodes.find(url)?.kind === 'document';
  }

  /** Counts the bytes of an access for the comparison of visitors with and without hints (holdback), but only if the
   *  client sends beacons: robots in either group would distort it. */
  #received(holdback: Holdback, { client, bytes }: Access): void {
    const pseudonym = this.#pseudonymOf(client).client;
    if (this.#signs.sendsBeacons(pseudonym)) holdback.received(pseudonym, deviceOf(client), bytes);
  }

  /** Learns a visit to a page that the browser showed without a request, as if it were answered with 304, unless the
   *  page's last response forbade learning it. */
  #visit(told: Pick<Access, 'client' | 'url' | 'timeMs' | 'page' | 'entry'>): void {
    const { client, url, timeMs, page, entry = page === undefined } = told;
    const known = this.#normalise(url);
    if (known === null) return;
    if (this.#predictor.tables.nodes.find(known)?.isClosed === true) {
      this.#history.demanded(this.#pseudonymOf(client).client, textHash(known), timeMs);
      return;
    }
    const visit = { client, url, timeMs, kind: kindOfTarget(url), status: 304, bytes: 0 } as const;
    this.observe({
      ...visit,
      prefetch: false,
      userActivated: true,
      entry,
      ...(page !== undefined && { page }),
    });
  }

  /** Notes that the client fetched a page that it does not show yet. */
  #prefetched(access: Access, url: string): void {
    const { timeMs, kind, freshMs, byRules, tellsShown = false, entry: isEntry = false } = access;
    const { client, address, fingerprint } = this.#pseudonymOf(access.client);
    const hash = textHash(url);
    if (this.#history.has(client, hash, timeMs)) return;
    // A page prefetched by a Link header is requested again when it is shown, unless its response has a lifetime.
    const isTold = tellsShown || this.#signs.reportsShown(client, hash, byRules === true);
    const isSilent = kind === 'document' && (byRules !== false || freshMs !== 0) && !isTold;
    const isOurs = this.#history.isHinted(client, hash, timeMs);
    if (kind === 'document') this.#foreign.prefetched(isOurs);
    if (kind === 'document' && !isEntry) this.#pages.fetched++;
    // Only prefetches that our hints caused count as a fraction of a visit (hint-history.ts). If no hint was ever given
    // to a named client (web servers may ask for hints without naming one), any prefetch may be one of ours.
    const mayBeOurs = isOurs || this.#history.counts.given === 0;
    const mayBeAnticipated =
      mayBeOurs &&
      isSilent &&
      !isEntry &&
      this.#refusal(access, url) === null &&
      // Prefetches of a page by an address have a daily limit of their own, counted under the inverted hash, so that
      // visits of the page do not use it up.
      this.#fairShare.judge(address, ~hash, timeMs) === null;
    const lesson = {
      observation: { ...access, url, client, fingerprint },
      hash,
      outcome: 'none' as const,
      isClick: false,
    };
    const isHeld = mayBeAnticipated && this.#visitors.waits(client);
    if (isHeld) this.#visitors.keepForProof(client, lesson);
    const isAnticipated = isHeld || (mayBeAnticipated && this.#anticipate(lesson));
    this.#history.prefetched(client, hash, timeMs, { freshMs, isAnticipated, isEntry });
  }

  /** Counts a prefetched page as a fraction of a visit, because it may be shown without a request (class Anticipation).
   *  @returns false if the fraction was 0 */
  #anticipate({ observation, hash }: Lesson): boolean {
    const { page } = observation;
    const pageHash = page === undefined ? null : this.#hashOf(page);
    const most = pageHash === null ? 1 : this.#anticipation.most(pageHash, hash);
    const part = this.#predictor.anticipate(observation, most);
    if (part > 0 && pageHash !== null) this.#anticipation.prefetched(pageHash, hash);
    return part > 0;
  }

  /** Notes that the client opens a page. @param from the page that it was opened from, if known */
  #opened(client: string, hash: number, timeMs: number, from: string | undefined): void {
    const fromHash = from === undefined ? null : this.#hashOf(from);
    this.#history.opened(
      client,
      hash,
      timeMs,
      (prefetched) => fromHash !== null && this.#anticipation.elsewhere(fromHash, prefetched),
    );
  }

  #hashOf(page: string): number | null {
    const url = this.#normalise(page);
    return url === null ? null : textHash(url);
  }

  #embedsObjects(url: string): boolean {
    return this.#options.requireObjects && this.#predictor.embedsObjects(url);
  }

  hints(question: HintQuestion): Hint[] {
    const url = this.#normalise(this.#sites.nodeUrl(question.url, question.host));
    const isUsual = question.threshold === undefined && question.limit === undefined;
    const tuning = isUsual ? this.#usual : choiceTuning(this.#tuning, question);
    if (url === null || this.#trial?.refuses(question.client)) return [];
    if (question.isShown === true && question.client !== undefined) {
      this.shown(question.client, url, question.timeMs);
    }
    const hints = this.#hintsAt(url, question, tuning, this.#options.load());
    // The URLs of hints are paths on the requested host, or absolute if the caller asked with an absolute URL.
    const [own, asked] = [
      originIn(url),
      this.#options.origin === null ? originIn(question.url) : '',
    ];
    if (own !== asked) for (const hint of hints) hint.url = asked + hint.url.slice(own.length);
    return hints;
  }

  /** Yields the hints of the `most` most requested pages, computed page by page; pages without hints are left out. */
  *pages(most: number): IterableIterator<AnonymousPageHints> {
    for (const url of this.#kept.topDocuments(most)) {
      const hints = this.#hintsAt(url, { url }, this.#usual);
      if (hints.length > 0) yield { url, hints };
    }
  }

  /** A number that changes whenever the hints of any page may have changed. */
  get revision(): number {
    return this.#kept.revision + this.#tunings;
  }

  /** Returns the hints of a page or object. @param url normalised @param load how busy the process is, 0 to 1; a higher
   *  value raises the thresholds */
  #hintsAt(url: string, question: HintQuestion, tuning: ChoiceTuning, load = 0): Hint[] {
    const { limit } = tuning;
    const threshold = thresholdUnderLoad(tuning.threshold, load);
    const objectThreshold = thresholdUnderLoad(tuning.objectThreshold, load);
    if (threshold >= 1 && objectThreshold >= 1) return [];
    const { alsoSent, kind, isShared = false, timeMs = this.#options.now() } = question;
    const client = question.client === undefined ? null : this.#pseudonymOf(question.client).client;
    const access: Access = {
      // The question names no client: an answer must not reveal which page a client viewed last (hint-answer.ts).
      client: '',
      url,
      timeMs,
      kind: question.urlKind ?? 'document',
      status: 200,
      bytes: 0,
      prefetch: false,
    };
    if (alsoSent !== undefined) access.alsoSent = alsoSent;
    const forRules =
      question.forRules !== undefined && question.forRules !== false && kind !== 'object'
        ? {
            moderateFrom: thresholdUnderLoad(moderateFrom, this.#options.load()),
            most: mostModerate,
            isOtherwise: question.forRules === 'otherwise',
          }
        : undefined;
    const wanted = { client, isShared, kind, threshold, objectThreshold, limit, forRules };
    const hints = this.#answer.hintsFor(access, wanted);
    for (const hint of hints) {
      if (hint.kind !== 'document') continue;
      hint.url = this.#spellings.winnerOf(`${url} ${hint.url}`)?.choice ?? hint.url;
    }
    return hints;
  }

  /**
   * Records that the client shows a page, as a Referer or a report tells: the hint to the page was used. For a
   * prefetched page, the first such evidence counts as the visit and is learned.
   */
  shown(client: string, url: string, timeMs = this.#options.now()): void {
    const page = this.#normalise(url);
    if (page === null) return;
    const pseudonym = this.#pseudonymOf(client).client;
    const hash = textHash(page);
    if (this.#history.isUnseen(pseudonym, hash, timeMs)) {
      // The browser shows the page from a prefetch, without a request, so the report or Referer counts as the visit.
      this.#visit({ client, url, timeMs, entry: this.#history.isEntry(pseudonym, hash, timeMs) });
    } else this.#history.seen(pseudonym, hash, timeMs);
  }

  /**
   * Counts an access that was not learned, by decision of the engine or of its caller, such as hints().
   * @param of URL and kind of the access; given if the reason lies in the URL or the response, not in the visitor
   */
  dropped<Reason extends NotLearned>(reason: Reason, of?: NamedAccess): Reason {
    if (of !== undefined) {
      const { host, ...named } = of;
      const url = this.#sites.nodeUrl(of.url, host);
      this.#leftOut.note(reason, { ...named, url });
      if (isOfResponse.has(reason)) this.#close(url, reason === 'noindex');
    }
    this.#count(reason);
    return reason;
  }

  #count(reason: NotLearned, accesses = 1): void {
    this.#notLearned[reason] = (this.#notLearned[reason] ?? 0) + accesses;
  }

  /** Marks a known URL whose latest response forbids learning it. @param isForNobody true: it is not hinted any more */
  #close(raw: string, isForNobody: boolean): void {
    const url = this.#normalise(raw);
    if (url === null) return;
    const { nodes } = this.#predictor.tables;
    if (isForNobody) nodes.withdraw(url);
    else nodes.close(url);
  }

  /** How busy the process is, 0..1. */
  get load(): number {
    return this.#options.load();
  }

  /** The options that define the site, for code that filters requests before they reach the engine. */
  get site(): Readonly<Pick<CheckedOptions, 'origin' | 'deny' | 'query'>> {
    const { origin, deny, query } = this.#options;
    return { origin, deny, query };
  }

  /** The option `trial`: whether one visitor is enough for hints, and whether other machines than this get them. */
  get trial(): TrialMode {
    return this.#options.trial;
  }

  get tuning(): Readonly<Tuning> {
    return this.#tuning;
  }

  /** The present settings of speculation rules. */
  get speculation(): SpeculationTerms {
    const { otherLinks, prerender } = this.#tuning;
    return { otherLinks, prerender, immediateFrom: this.#options.immediateFrom };
  }

  tune(change: Partial<Tuning>): Readonly<Tuning> {
    const { otherLinks = 'off' } = change;
    if (otherLinks !== 'off') checkLinkPatterns(this.#options.deny);
    this.#tuning = { ...this.#tuning, ...checked(tuningChangeKind, change, invalidOption) };
    this.#usual = choiceTuning(this.#tuning);
    this.#tunings++;
    this.#predictor.window = this.#tuning.window;
    return this.#tuning;
  }

  stats(): PrefetchdStats {
    const { nodes, arcs } = this.#kept.size();
    return {
      learned: { ...this.#learned },
      notLearned: { ...this.#notLearned },
      hints: { ...this.#history.counts },
      pages: { ...this.#pages, savedMs: this.#saved.ms },
      nodes,
      arcs,
      store: this.#sync.health(),
      load: this.#options.load(),
    };
  }

  leftOut(): LeftOutUrl[] {
    return this.#leftOut.list(this.#predictor.tables);
  }

  /** Returns whether the client is in the group that gets no hints, with which the other clients are compared. */
  isHeldBack(client: string): boolean {
    const { client: pseudonym } = this.#pseudonymOf(client);
    return this.#holdback?.armOf(pseudonym) === 'heldBack';
  }

  /** Returns the comparison of visitors with hints and visitors without (holdback); null: all visitors get hints. */
  report(): HoldbackReport | null {
    return this.#holdback?.report() ?? null;
  }

  /** Reads and restores what the holdback counted, for the file that keeps it; null: there is no holdback. */
  get holdback(): Pick<Holdback, 'state' | 'restore'> | null {
    return this.#holdback;
  }

  /** What the dashboard shows, counted from the first use of this property on. */
  get watch(): PrefetchdWatch {
    this.#watch ??= new Watch({
      tables: this.#predictor.tables,
      nowMs: this.#options.now(),
      counts: { pages: this.#pages },
      minClients: this.#options.minClients,
      normalise: this.#normalise,
      hintsAt: (url, kind, limit) =>
        this.#hintsAt(
          url,
          { url, ...(kind !== undefined && { kind }) },
          choiceTuning(this.#tuning, { threshold: 0, limit }),
        ),
    });
    return this.#watch;
  }

  /** Replaces the client fingerprints of each arc by a count of clients, drops the clients' windows, and returns
   *  everything learned, for a store. */
  export(): GraphDelta {
    this.#kept.endEra();
    return this.#kept.whole(0);
  }

  /** Replaces salts and drops unused hints that are too old by the clock. Timers call it about each second. */
  tick(): void {
    this.#sync.tick();
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

  /** Counts an access to the main site's node from time to time, so that it is never among the weakest nodes, which are
   *  evicted. */
  #keepMainSite(timeMs: number): void {
    const url = this.#sites.mainNode;
    if (url === null || timeMs - this.#mainKeptMs < mainKeptEachMs) return;
    this.#mainKeptMs = timeMs;
    const facts = { timeMs, status: 304, bytes: 0, prefetch: false } as const;
    this.#predictor.tables.nodes.access({ ...facts, client: '', url, kind: 'object' });
  }

  /** Keeps the spelling of each URL that came from the store (normalise-url.ts), and makes its host a known site. */
  #spellAsStored(): void {
    for (const url of this.#kept.urls()) {
      this.#sites.restore(url);
      if (/[?%]/.test(url)) this.#normalise(url);
    }
  }

  #refusal({ status, kind }: Access, url: string): NotLearned | null {
    // A 304 confirms the 200 that the client has in its cache, so it is learned as a request for the page, too.
    if (!((status >= 200 && status < 300) || status === 304)) return 'status';
    if (status === 206 && kind === 'document') return 'not-page';
    const node = this.#predictor.tables.nodes.find(url);
    if (node?.mayBeHinted === true && node.kind === kind) return null; // the name of the URL was judged before
    return this.#names.reasonOf(url, kind);
  }

  /** Changes the salt of pseudonyms, so that yesterday's visitors can no longer be recognised. */
  #changeVisitorSalt(nowMs: number): void {
    this.#visitorSalt = this.#options.newSalt(nowMs);
    this.#predictor.forgetClients();
    this.#renamePseudonyms();
  }

  /** Forgets all pseudonyms, because a salt changed. */
  #renamePseudonyms(): void {
    this.#pseudonymOf = pseudonymsOf(this.#visitorSalt, this.#sync.salt);
    this.#visitors.clear();
    this.#fairShare.clear();
    this.#reports.forgetClients();
    this.#sites.forgetClients();
    this.#signs.forgetClients();
    this.#largest.forgetVoters();
    this.#ownObjects.forgetClients();
    this.#holdback?.forgetClients();
    this.#watch?.forgetVisits();
    this.#saved.forgetClients();
  }
}
