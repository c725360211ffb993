// Accompanies one request that may be learned, and its response, in three steps: before the site's handlers run (ask a
// remote prefetchd, send a 103), when the header is sent, and when the response is complete. No error here reaches the
// site's code.

import type { Access, AccessKind } from '../../prefetchd/access.ts';
import { isNoPage, kindOfDocument } from '../../prefetchd/rules/access-kind.ts';
import {
  type DropReason,
  type EligibilityRules,
  isByRules,
  isNavigation,
  isPrefetch,
  judgeResponse,
} from '../../prefetchd/rules/eligibility.ts';
import type { Hint } from '../../prefetchd/wire/hint.ts';
import { earlyLinksOf } from '../../prefetchd/wire/link-hints.ts';
import type { ExceptedLinks } from '../../prefetchd/wire/speculation-rules.ts';
import { innerKind, isComplete, isHttp1, type Request } from '../listen/handler.ts';
import { type HintedPage, hintFields, ruleOf } from './hint-fields.ts';
import type { CheckedHintsOptions } from './hint-options.ts';
import { freshMsOf, type PageFacts, sharingOf } from './page-facts.ts';
import { type ReportedVisit, reportAccess } from './report-access.ts';
import {
  type Added,
  type AddedField,
  type BodyBytes,
  countBody,
  Head,
  type HeadWatcher,
  type HookedResponse,
  watchHead,
} from './response-hooks.ts';
import type { HintsStats, PrefetchCounts, Unhinted } from './site-hints.ts';
import type { HintSource, PendingHints } from './source.ts';
import { mountOf, type Visited } from './visited.ts';

/** The counters of `HintsStats` that the handling of a request increases. */
export type SiteCounts = {
  -readonly [Name in Exclude<keyof HintsStats, 'share' | 'faults' | 'remote'>]: HintsStats[Name];
} & { readonly unhinted: Partial<Record<Unhinted, number>>; readonly prefetched: PrefetchCounts };

/** State that is shared by all requests that one hints() middleware handles. */
export interface Middleware {
  /** Counts a document that is sent without hints, by the reason. */
  unhinted(why: Unhinted): void;
  readonly options: CheckedHintsOptions;
  readonly source: HintSource;
  readonly counts: SiteCounts;
  readonly facts: PageFacts;
  readonly rules: EligibilityRules;
  /** Links that the speculation rule for all links of a page (`otherLinks`) leaves out. */
  readonly except: ExceptedLinks;
  /** Returns the client, by default address and user agent, that made a request; null if it is unknown. */
  clientOf(req: Request, visited: Visited): string | null;
}

const unwatched = () => {};

interface AskedVisit extends ReportedVisit {
  /** Kind of the access: the one that the request suggests, until the response shows more. */
  kind: AccessKind;
  /** Whether this is a prefetch: the request tells, until the response shows more. */
  isPrefetch: boolean;
  /** Whether the response may carry hints: for its client, or only for others to whom a shared cache gives it. */
  readonly isHinted: boolean | 'for others';
  /** True if the middleware answers requests for speculation rules. */
  readonly servesRules: boolean;
}

export class HintVisit implements HeadWatcher {
  /** Path that the middleware is mounted on, as visitors see it. */
  readonly #mount: string;
  writeHead: HookedResponse['writeHead'] = unwatched;
  isInFront = false;
  readonly #middleware: Middleware;
  readonly #visit: AskedVisit;
  #asked: PendingHints | null = null;
  /** True once `onHead` has judged the header of the response, unless sending it then failed. */
  #isHeadDone = false;
  #reason: DropReason | null = null;
  #isPage = false;
  #freshMs = 0;
  /** Share of the bytes sent from here that reaches the visitor, 0..1: a proxy or CDN in between may compress them. */
  #partThatTravels = 1;
  #hasRules = false;
  /** Content-Length; null: the response has none. */
  #bytes: number | null = null;
  #body: BodyBytes | null = null;

  constructor(middleware: Middleware, visit: AskedVisit) {
    this.#middleware = middleware;
    this.#visit = visit;
    this.#mount = visit.visited.prefix + mountOf(visit.req);
  }

  watch(res: HookedResponse): void {
    watchHead(res, this);
    this.#body = countBody(res);
  }

  /**
   * Called before the site's handlers run: asks a remote prefetchd, and may send a 103. A prefetchd in this process is
   * asked for the objects of the 103 alone; for all else it is asked by `onHead`, when the response is known.
   * @returns A promise for which the handlers wait; null: they do not wait
   */
  beforeHandlers(res: HookedResponse): Promise<void> | null {
    const { source, options } = this.#middleware;
    const { req, isHinted, isPrefetch } = this.#visit;
    // A prefetched page gets no 103, because it is not shown yet.
    const isEarly = isHinted === true && !isPrefetch && mayBeEarly(req, options.earlyHints);
    if (source.hintsNow !== null) {
      if (isEarly) this.#sendEarly(res, source.hintsNow(this.#question('object')));
      return null;
    }
    const forRules = this.#mayHaveRules;
    const asked = source.later({ ...this.#question(null), isShared: true, forRules });
    this.#asked = asked;
    if (asked?.inTime == null) return null;
    return isEarly ? asked.inTime.then(() => this.#sendEarly(res, asked.hints)) : asked.inTime;
  }

  onHead(res: HookedResponse, call: unknown[]): Added | null {
    try {
      const head = new Head(res, call);
      this.#isHeadDone = true;
      this.#judge(head);
      // A shared cache may give the response to other visitors, so it may have hints even if its client gets none.
      const sharing = this.#isPage && head.status === 200 ? sharingOf(head) : 'none';
      const { isHinted } = this.#visit;
      const isForOthers = isHinted === 'for others';
      if (isHinted === false || (isForOthers && sharing === 'none')) return null;
      const { counts } = this.#middleware;
      const why = this.#whyUnhinted();
      const hints = why === null ? this.#hints() : [];
      const fields = why === null ? this.#fields(hints, head, sharing) : [];
      if (isForOthers) counts.forOthers += fields.length === 0 ? 0 : 1;
      else if (hints.length === 0) this.#middleware.unhinted(why ?? 'nothing known');
      else if (fields.length === 0) this.#middleware.unhinted('no lifetime');
      else counts.hinted++;
      return fields.length === 0 ? null : head.add(call, fields);
    } catch (error) {
      this.#middleware.options.onFault(error, 'head');
      return null;
    }
  }

  onHeadFailed(): void {
    this.#isHeadDone = false;
  }

  /** Reports the access if its response is complete. Called when the response has finished, or its stream is closed. */
  finish(res: HookedResponse): void {
    const { source, options, counts } = this.#middleware;
    const { req } = this.#visit;
    try {
      if (!isComplete(req, res)) return;
      if (isPrefetch(req.headers) && this.#isPage) counts.prefetched[ruleOf(req)]++;
      this.#report(res, false, source);
    } catch (error) {
      options.onFault(error, 'report');
    }
  }

  /**
   * Prepares what prefetchd will learn of a resource that is sent with its page (Padmanabhan 1995, 7.3), as if the
   * client had asked for it alone. @returns A function that reports it, for when the client has page and resources
   */
  finishPart(res: HookedResponse, isHeld: boolean): () => void {
    const { source, options } = this.#middleware;
    const accesses: Access[] = [];
    try {
      this.#report(res, isHeld, {
        learn: (access) => void accesses.push(access),
        dropped: (...what) => source.dropped(...what),
      });
    } catch (error) {
      options.onFault(error, 'report');
    }
    return () => {
      for (const access of accesses) source.learn(access);
    };
  }

  #report(res: HookedResponse, isHeld: boolean, to: Pick<HintSource, 'learn' | 'dropped'>): void {
    // The header is judged here, as it was sent, if `onHead` was not called, or if other middleware wrapped `writeHead`
    // and may have changed it later. But the header of a combined response (getAll) is not the page's.
    const isChanged = this.isInFront && innerKind(this.#visit.req) !== 'document';
    const isSeen = this.#isHeadDone && !isChanged;
    if (!isSeen && this.#reason === null) this.#judge(new Head(res, []));
    const bytes = (this.#bytes ?? this.#body?.written ?? 0) * this.#partThatTravels;
    if (this.#body?.keepsStart === true && !this.#body.isWhole) this.#reason ??= 'not-page';
    reportAccess(to, this.#visit, {
      status: isHeld ? 304 : res.statusCode,
      bytes: isHeld ? 0 : Math.round(bytes),
      reason: this.#reason,
      isPage: this.#isPage,
      freshMs: this.#freshMs,
      hasRules: this.#hasRules,
    });
  }

  #judge(head: Head): void {
    const { status } = head;
    const visit = this.#visit;
    const { req, visited, host } = visit;
    this.#reason = judgeResponse({
      status,
      headers: {
        'set-cookie': head.field('set-cookie'),
        'cache-control': head.field('cache-control'),
        vary: head.field('vary'),
        'x-robots-tag': head.field('x-robots-tag'),
      },
      kind: visit.kind,
    });
    this.#isPage = isPage(head);
    // If the response varies by Cookie, the request's cookies may be those of a session, so the access is not learned.
    const variesByCookie = /(?:^|[\s,])cookie(?:[\s,]|$)/i.test(head.text('vary'));
    if (variesByCookie && req.headers.cookie !== undefined) this.#reason ??= 'vary';
    if (this.#isPage && visited.trusts !== null && isUncoded(head, req)) {
      this.#partThatTravels = compressedPart;
    }
    if (visit.kind === 'document') this.#judgeDocument(head);
    // A page that a script fetches counts as prefetched, because the script may show it later.
    else if (this.#isPage && req.headers['sec-fetch-dest'] === 'empty') {
      visit.kind = 'document';
      visit.isPrefetch = true;
    }
    const bytes = status === 304 ? 0 : Number(head.field('content-length') ?? Number.NaN);
    this.#bytes = bytes >= 0 ? bytes : null;
    if (this.#body !== null) this.#body.isSaid = this.#bytes !== null;
    const freshMs = freshMsOf(head);
    if (visit.kind === 'document') this.#freshMs = freshMs;
    if (status === 200) {
      this.#middleware.facts.note(host, visited.prefix + visit.url, head, freshMs);
    }
  }

  /** Judges whether the response to a request for a document is a page, or an attachment, a fragment, data. */
  #judgeDocument(head: Head): void {
    const { req, start, url } = this.#visit;
    // If a page of the site requests HTML other than by navigation, that HTML may be a fragment of a page.
    const mayBePart = this.#isPage && head.status === 200 && start === 'here';
    const isReadable = /^(?:identity)?$/i.test(head.text('content-encoding').trim());
    if (this.#body !== null && isReadable && mayBePart) {
      this.#body.keepsStart = !isNavigation(req.headers);
    }
    const isAttachment = /^\s*attachment\b/i.test(head.text('content-disposition'));
    if (this.#isPage && !isAttachment) return;
    const kind = kindOfDocument({
      status: head.status,
      contentType: head.text('content-type').trim() || undefined,
      isNavigation: isNavigation(req.headers),
      isAttachment,
      isNoPagePath: isNoPage(url),
    });
    if (kind === 'not-page') this.#reason ??= kind;
    else this.#visit.kind = kind;
  }

  #whyUnhinted(): Unhinted | null {
    if (this.#reason !== null && this.#reason !== 'not-page') return this.#reason;
    return this.#isPage && this.#reason === null ? null : 'not a page';
  }

  #fields(hints: readonly Hint[], head: Head, sharing: HintedPage['sharing']): AddedField[] {
    const { options, facts, source } = this.#middleware;
    const { req, url, host, visited, servesRules, isPrefetch } = this.#visit;
    const isFetchedTwice = (url: string) => facts.isFetchedTwice(host, url);
    // A page that was prefetched by speculation rules gets such rules, too: browsers request them only when they show
    // the page, which tells prefetchd of the visit.
    const tellsShown = isPrefetch && isByRules(req.headers) === true;
    const hasLinkRule = source.speculation().otherLinks !== 'off';
    const needsRules = tellsShown || hasLinkRule;
    if (hints.length === 0 && !needsRules) return [];
    const mount = this.#mount;
    const page = { url: visited.prefix + url, visited, mount, servesRules, needsRules, sharing };
    const fields = hintFields(hints, head, req, page, options, isFetchedTwice);
    this.#hasRules = fields.some(({ name }) => name === 'Speculation-Rules');
    return fields;
  }

  get #mayHaveRules(): boolean {
    return this.#visit.servesRules && this.#middleware.options.speculationRules !== false;
  }

  /** Returns the hints of this response, without the page's objects if it contains them (getAll). */
  #hints(): readonly Hint[] {
    const hints = this.#hintsNow();
    if (innerKind(this.#visit.req) !== 'document') return hints;
    return hints.filter(({ kind, navigation }) => kind === 'document' || navigation !== 'current');
  }

  #hintsNow(): readonly Hint[] {
    const { source } = this.#middleware;
    if (source.hintsNow === null) return this.#asked?.hints ?? [];
    // Only if no page is above the threshold, this asks also for pages that are named in speculation rules alone, never
    // in a Link header.
    const forRules = this.#mayHaveRules && 'otherwise';
    return source.hintsNow({ ...this.#question(null), isShared: true, forRules });
  }

  /** Returns the question for hints about this visit to the engine or service. @param kind of the hints; null: both */
  #question<Kind extends 'object' | null>(kind: Kind) {
    const { url, host, timeMs, visited, isHinted } = this.#visit;
    const client = isHinted === true ? this.#visit.client : null;
    return { url, host, prefix: visited.prefix, timeMs, client, kind };
  }

  #sendEarly(res: HookedResponse, hints: readonly Hint[]): void {
    const { options, counts, facts } = this.#middleware;
    try {
      const once = hints.filter(({ url }) => !facts.isFetchedTwice(this.#visit.host, url));
      const link = earlyLinksOf(once, options.origin);
      if (link.length === 0 || res.headersSent || res.destroyed) return;
      res.writeEarlyHints({ link });
      counts.early++;
    } catch (error) {
      options.onFault(error, 'head');
    }
  }
}

/** Largest share of the bytes of HTML that gzip leaves: it leaves 0.08 to 0.30 of the 14 pages in fixtures/ above 20
 *  kB. */
const compressedPart = 0.3;

/** Returns whether the response is uncoded, so that a proxy in front may compress it. */
function isUncoded(head: Head, { headers }: Request): boolean {
  const accepts = /\b(?:gzip|br|zstd)\b/.test(String(headers['accept-encoding'] ?? ''));
  return accepts && head.text('content-encoding') === '';
}

/** Fields of a request for a range of bytes, or by a client that has the page already. */
const conditions = [
  'range',
  'if-none-match',
  'if-modified-since',
  'if-match',
  'if-unmodified-since',
];

/**
 * Returns whether a 103 may be sent. Browsers only use it over HTTP/2, and HTTP/1.0 does not know it (RFC 9110 15.2). A
 * client that revalidates a page has its embedded objects, and would get the 304 as early as the 103.
 */
function mayBeEarly(req: Request, mode: 'h2' | boolean): boolean {
  if (mode === false || req.httpVersion === '1.0') return false;
  if (mode === 'h2' && isHttp1(req)) return false;
  return conditions.every((name) => req.headers[name] === undefined);
}

/** Returns whether the response is complete HTML. A 304 has no type and counts as HTML. */
function isPage(head: Head): boolean {
  if (head.status === 206) return false;
  const type = head.field('content-type');
  if (type === undefined) return head.status === 304;
  return /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(String(type));
}
