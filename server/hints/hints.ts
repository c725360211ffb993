// `app.use(hints())`: pages announce what their visitors are likely to request next. The request flow:
//   load-shedding -> may it be learned and hinted (prefetchd/rules/eligibility.ts)? -> client -> a remote prefetchd is
//   asked (source) -> 103 over HTTP/2 -> the site's handlers -> the header is sent (response-hooks): may this response
//   be learned, may it carry hints? -> a prefetchd in this process is asked (source) -> hint-fields -> response
//   complete -> report-access
//
// Only documents wait, for a remote prefetchd, at most deadlineMs, and before their handlers run; once a handler
// sends header fields they cannot be delayed.
//
// At 80 % load (process/thread-load.ts) prefetches are refused with 503, which browsers accept as a refusal. If the
// load lasts, ever fewer visitors are learned and hinted (load-shedding.ts), and requests of the others pass straight
// through.
//
// Guarantee: no request fails because of hints(). Any error of it is caught, counted and reported once, and the site
// responds as it would without hints.

import { performance } from 'node:perf_hooks';
import type { AccessKind } from '../../prefetchd/access.ts';
import {
  type DropReason,
  type EligibilityRules,
  eligibilityRules,
  type HeaderFields,
  hostOfRequest,
  isPrefetch,
  judgeRequest,
  kindOfRequest,
  startOfRequest,
} from '../../prefetchd/rules/eligibility.ts';
import { exceptedLinks } from '../../prefetchd/rules/link-patterns.ts';
import type { ExceptedLinks } from '../../prefetchd/wire/speculation-rules.ts';
import { ServerError } from '../errors.ts';
import {
  innerKind,
  type Next,
  onPartSent,
  type Request,
  type Response,
} from '../listen/handler.ts';
import { plainAnswer } from '../listen/plain-answer.ts';
import { trustOf } from '../listen/trusted.ts';
import { FrontSigns, TrialNotices } from './front-signs.ts';
import { noPrefetches } from './hint-fields.ts';
import {
  type CheckedHintsOptions,
  type HintsOptions,
  hintsOptions,
  wrongCall,
} from './hint-options.ts';
import { LoadShedding } from './load-shedding.ts';
import { ownAnswers } from './own-paths.ts';
import { PageFacts } from './page-facts.ts';
import { remotePrefetchd } from './remote-prefetchd.ts';
import { type HookedResponse, watcherOf } from './response-hooks.ts';
import type { HintFault, HintsStats, SiteHints, Unhinted } from './site-hints.ts';
import { type HintSource, inProcess } from './source.ts';
import { HintVisit, type Middleware, type SiteCounts } from './visit.ts';
import { clientFinder, mountOf, type Visited, visitedOf } from './visited.ts';

export interface Hints extends SiteHints {
  /** The middleware. Without `next` it only adds fields: it neither refuses nor answers requests. */
  (req: Request, res: Response, next?: Next): void;
}

/**
 * Creates the middleware, for Express, node:http and the handlers of createOrigin and createProxy. Place it before
 * anything that sets header fields.
 * @throws ServerError 'invalid-option', 'invalid-call', PrefetchdError `invalid-option`
 */
export function hints(given: HintsOptions = {}): Hints {
  if ('rawHeaders' in Object(given)) {
    const message = 'hints() makes the middleware: write app.use(hints()), not app.use(hints)';
    throw new ServerError('invalid-call', message);
  }
  const options = hintsOptions(given);
  const faults: Partial<Record<HintFault, number>> = {};
  const told = new Set<string>();
  const tell = (error: unknown, fault: HintFault): void => {
    faults[fault] = (faults[fault] ?? 0) + 1;
    const once = fault === 'front' ? String(error) : fault;
    if (told.has(once)) return;
    told.add(once);
    try {
      if (fault === 'front') options.log.warn({ fault }, (error as Error).message);
      else
        options.log.warn(
          { fault, err: error },
          `a fault of hints() in its ${fault}; stats().faults counts all`,
        );
    } catch {
      // A log that throws must not affect the request.
    }
  };
  options.onFault = tell;
  const site = new SiteMiddleware(options);

  const middleware = (req: Request, res: Response, next?: Next): void => {
    const isCall =
      typeof Object(req).headers === 'object' && typeof Object(res).writeHead === 'function';
    if (!isCall || (next !== undefined && typeof next !== 'function')) throw wrongCall(req, res);
    // A request that getAll() makes, for a part of a combined response, is answered by the site itself.
    const mayAnswer = next !== undefined && innerKind(req) !== 'part';
    let outcome: Promise<void> | 'answered' | null = null;
    try {
      outcome = site.begin(req, res as HookedResponse, mayAnswer);
    } catch (error) {
      tell(error, 'request');
    }
    if (outcome === 'answered' || next === undefined) return;
    if (outcome === null) next();
    else outcome.then(() => next());
  };

  const { source } = site;
  return Object.assign(middleware, {
    ready: source.ready,
    stats: (): HintsStats => ({
      ...site.counts,
      unhinted: { ...site.counts.unhinted },
      prefetched: { ...site.counts.prefetched },
      share: site.work.share,
      faults: { ...faults },
      remote: source.stats(),
    }),
    close: () => source.close(),
    [Symbol.asyncDispose]: () => source.close(),
  });
}

class SiteMiddleware implements Middleware {
  readonly options: CheckedHintsOptions;
  readonly source: HintSource;
  readonly counts: SiteCounts = {
    hinted: 0,
    forOthers: 0,
    unhinted: {},
    early: 0,
    refused: 0,
    leftAlone: 0,
    prefetched: noPrefetches(),
  };
  readonly facts = new PageFacts();
  readonly except: ExceptedLinks;
  readonly work: LoadShedding;
  readonly rules: EligibilityRules;
  readonly #own: ReturnType<typeof ownAnswers>;
  readonly #clientOf: ReturnType<typeof clientFinder>;
  readonly #signs: FrontSigns;
  readonly #trial: TrialNotices | null;

  constructor(given: CheckedHintsOptions) {
    const isRemote = typeof given.prefetchd === 'string';
    this.source = isRemote ? remotePrefetchd(given) : inProcess(given);
    const isTrusted = given.isTrusted ?? (this.source.isTrial ? trustOf('loopback') : undefined);
    const options = isTrusted === undefined ? given : { ...given, isTrusted };
    this.options = options;
    this.rules = eligibilityRules(options);
    this.except = exceptedLinks(options.deny);
    this.#own = ownAnswers(options);
    this.#clientOf = clientFinder(options);
    this.#signs = new FrontSigns((message) => options.onFault(new Error(message), 'front'));
    this.work = new LoadShedding(this.source.load);
    this.#trial = this.source.isTrial
      ? new TrialNotices((message) => options.onFault(new Error(message), 'front'))
      : null;
  }

  unhinted(why: Unhinted): void {
    const { unhinted } = this.counts;
    unhinted[why] = (unhinted[why] ?? 0) + 1;
    this.#trial?.unhinted(why);
  }

  /**
   * Begins what hints() does for a request: answers it if its path is the middleware's own, else asks for hints.
   * @returns A promise for which the site's handlers wait; null: they do not wait; 'answered': they are not called
   */
  begin(req: Request, res: HookedResponse, mayAnswer: boolean): Promise<void> | 'answered' | null {
    // If the middleware is mounted twice, the first one does the work.
    if (watcherOf(res) !== undefined || res.headersSent) return null;
    const { source, options, work } = this;
    const target = targetOf(req);
    const visited = visitedOf(req, options);
    const { headers } = visited;
    const { method = '' } = req;
    if (mayAnswer && this.#answers(req, res, target, visited)) return 'answered';
    work.sample(performance.now());
    if (work.isBusy) {
      if (mayAnswer && method === 'GET' && isPrefetch(headers)) {
        this.counts.refused++;
        source.dropped('prefetch');
        plainAnswer(req, res, 503, { Vary: 'Sec-Purpose', 'Cache-Control': 'no-store' });
        return 'answered';
      }
      if (!work.has(this.clientOf(req, visited) ?? '')) {
        this.counts.leftAlone++;
        return null;
      }
    }
    // A request for a part of a combined response (getAll) has fields of that for the page, but is not for a page.
    const isPart = innerKind(req) === 'part';
    const kind = isPart ? 'object' : kindOfRequest(headers, target);
    const host = hostOfRequest(headers);
    const verdict = judgeRequest({ method, url: target, headers }, this.rules, kind);
    if (verdict.hint !== null && kind === 'document') this.unhinted(verdict.hint);
    const isGuess = verdict.learn === 'prefetch';
    const isForOthers =
      mayAnswer && verdict.hint !== null && ofAsker.has(verdict.hint) && mayBePage(headers, kind);
    const leftOut = isGuess ? null : verdict.learn;
    const url = pathOf(target);
    if (leftOut !== null && leftOut !== 'gpc' && !isForOthers) {
      source.dropped(leftOut, { url, kind, ...(host !== undefined && { host }) });
      return null;
    }
    const isHinted = isForOthers ? 'for others' : verdict.hint === null && kind === 'document';
    const client = leftOut !== null ? null : this.clientOf(req, visited);
    const visit = new HintVisit(this, {
      req,
      visited,
      url,
      host,
      kind,
      isPrefetch: isGuess,
      isHinted,
      leftOut,
      client,
      servesRules: mayAnswer,
      start: startOfRequest(headers, this.rules),
      timeMs: options.now(),
    });
    if (kind === 'document' && !isGuess && leftOut === null) {
      this.#signs.note(req.socket?.remoteAddress, visited, client);
      this.#trial?.requested(headers);
    }
    visit.watch(res);
    if (isPart) onPartSent(req, (isHeld) => visit.finishPart(res, isHeld));
    else res.on('finish', onFinish);
    return isHinted !== false ? visit.beforeHandlers(res) : null;
  }

  /** Answers a request for a path of the middleware's own (own-paths.ts). @returns false: the request is the site's */
  #answers(req: Request, res: HookedResponse, target: string, visited: Visited): boolean {
    const mount = mountOf(req);
    const end = target.indexOf('?');
    const path = target.slice(0, end === -1 ? target.length : end);
    if (!path.startsWith(mount)) return false;
    const method = req.method === 'HEAD' ? 'GET' : req.method;
    const answer = this.#own.get(`${method} ${path.slice(mount.length)}`);
    return answer?.({ req, res, target, visited }, this) === true;
  }

  clientOf(req: Request, visited: Visited): string | null {
    try {
      return this.#clientOf(req, visited);
    } catch (error) {
      this.options.onFault(error, 'client');
      return null;
    }
  }
}

/** Reasons against hints that concern only the client: a shared cache may still store the response for others. */
const ofAsker: ReadonlySet<DropReason> = new Set(['bot', 'monitor', 'save-data', 'nested']);

/** Returns whether the URL may be a page. The URL of a frame may: it is embedded, but may be opened by itself. */
function mayBePage(headers: HeaderFields, kind: AccessKind): boolean {
  return kind === 'document' || /^i?frame$/.test(String(headers['sec-fetch-dest']));
}

function onFinish(this: HookedResponse): void {
  (watcherOf(this) as HintVisit).finish(this);
}

/** Returns the request's original target, because routers strip the path they are mounted on. */
function targetOf(req: Request): string {
  const { originalUrl } = req as { originalUrl?: unknown };
  return typeof originalUrl === 'string' ? originalUrl : (req.url ?? '');
}

/** Returns path and query of a target; judgeRequest has checked the host of an absolute target. */
function pathOf(target: string): string {
  if (target.charCodeAt(0) === 47) return target;
  const parsed = URL.parse(target);
  return parsed === null ? target : parsed.pathname + parsed.search;
}
