// `app.use(hints())`: pages say what their visitors will want next. The way of a request:
//   is the server busy? -> may it be learned, may it be hinted (prefetchd/rules/eligibility.ts)? -> who asks (hint-client) -> a remote prefetchd is asked (hint-source) -> 103 over
//   HTTP/2 -> the site's own handlers ->
//   header fields leave (response-head): may this response be learned, may it carry hints, and whose
//   (shared-cache)? -> fields (hint-fields) -> the response is complete -> report-access.
//
// Only documents can wait, for a remote prefetchd and at most deadlineMs, and only before their handlers
// run: fields cannot be held back once a handler sends them, and what answers in a millisecond would
// otherwise never carry a hint. The answer is usually there before the time is over.
//
// A server that uses four fifths of the processor time it could have (process/thread-load.ts) refuses prefetches
// with 503, which browsers take as a no. When that lasts, ever fewer visitors are learned and hinted, and the
// requests of the others go straight through (load-shedding.ts): nobody waits for hints, so they go before anything
// else suffers.
//
// Guarantee: no request fails by it. Whatever goes wrong in here is caught, counted and told once, and the
// site answers as it would without.

import { performance } from 'node:perf_hooks';
import {
  type EligibilityRules,
  eligibilityRules,
  isPrefetch,
  judgeRequest,
  kindOfRequest,
} from '../../prefetchd/rules/eligibility.ts';
import type { Next, Request, Response } from '../listen/handler.ts';
import { plainAnswer } from '../listen/plain-answer.ts';
import { answerScript } from './answer-script.ts';
import { clientFinder } from './client.ts';
import { type HeadResponse, watcherOf, watchHead } from './head-hook.ts';
import {
  type CheckedHintsOptions,
  type HintFault,
  type HintsOptions,
  hintsOptions,
} from './hint-options.ts';
import { HintLinks } from './links.ts';
import { LoadShedding } from './load-shedding.ts';
import { remotePrefetchd } from './remote-prefetchd.ts';
import { answerRules, rulesTarget } from './rules-document.ts';
import { type HintSource, inProcess, type RemoteStats } from './source.ts';
import {
  countUnhinted,
  HintVisit,
  type Middleware,
  type SiteCounts,
  type Unhinted,
} from './visit.ts';

export interface HintsStats {
  /** Responses that carried hints, and 103s before them. */
  readonly hinted: number;
  /** Documents that carried none, by reason. */
  readonly unhinted: Readonly<Partial<Record<Unhinted, number>>>;
  readonly early: number;
  /** Prefetches that were refused, since the server was busy. */
  readonly refused: number;
  /** Requests of visitors that were neither learned nor hinted, since it was busy for long. */
  readonly leftAlone: number;
  /** Of visitors, those that are learned and hinted at present: 1 unless the server is busy. */
  readonly share: number;
  /** What went wrong in here, by kind. */
  readonly faults: Readonly<Partial<Record<HintFault, number>>>;
  /** null: the prefetchd is in this process, and its `stats()` tell. */
  readonly remote: RemoteStats | null;
}

export interface Hints extends AsyncDisposable {
  /** Without `next` it only adds: it refuses nothing and answers nothing itself. */
  (req: Request, res: Response, next?: Next): void;
  /** The prefetchd can be asked. */
  readonly ready: Promise<void>;
  stats(): HintsStats;
  /** Sends what was learned, and closes the prefetchd unless it is the caller's. */
  close(): Promise<void>;
}

/**
 * The middleware, for Express, node:http and the handlers of createOrigin and createProxy. It belongs in
 * front of all that sets header fields.
 * @throws ServerError 'invalid-option', PrefetchdError `invalid-option`
 */
export function hints(given: HintsOptions = {}): Hints {
  const options = hintsOptions(given);
  const faults: Partial<Record<HintFault, number>> = {};
  const tell = (error: unknown, fault: HintFault): void => {
    const before = faults[fault] ?? 0;
    faults[fault] = before + 1;
    if (before > 0) return;
    try {
      given.onError?.(error, fault);
    } catch {
      // It is told of what went wrong, and no part of a request.
    }
  };
  options.onError = tell;
  const site = new Site(options);

  const middleware = (req: Request, res: Response, next?: Next): void => {
    let outcome: Promise<void> | 'answered' | null = null;
    try {
      outcome = site.begin(req, res as HeadResponse, next !== undefined);
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
      share: site.share,
      faults: { ...faults },
      remote: source.stats(),
    }),
    close: () => source.close(),
    [Symbol.asyncDispose]: () => source.close(),
  });
}

class Site implements Middleware {
  readonly options: CheckedHintsOptions;
  readonly source: HintSource;
  readonly counts: SiteCounts = { hinted: 0, unhinted: {}, early: 0, refused: 0, leftAlone: 0 };
  /** Paths whose responses no shared cache keeps, as far as seen; for what is asked before they are. */
  readonly ownPaths = new Set<string>();
  readonly links: HintLinks;
  readonly #work: LoadShedding;
  readonly #rules: EligibilityRules;
  readonly #clientOf: (req: Request) => string | null;

  constructor(options: CheckedHintsOptions) {
    this.options = options;
    const isRemote = typeof options.prefetchd === 'string';
    this.#rules = eligibilityRules(options);
    this.links = new HintLinks(options.origin);
    this.#clientOf = clientFinder(options);
    this.source = isRemote ? remotePrefetchd(options) : inProcess(options);
    this.#work = new LoadShedding(this.source.load);
  }

  get share(): number {
    return this.#work.share;
  }

  /** What to wait for before the site's own handlers run. */
  begin(req: Request, res: HeadResponse, mayAnswer: boolean): Promise<void> | 'answered' | null {
    // Mounted twice: the first does the work.
    if (watcherOf(res) !== undefined || res.headersSent) return null;
    const { source, options } = this;
    const target = targetOf(req);
    const { headers, method = '' } = req;
    const asked = mayAnswer ? rulesTarget(req, target, options.speculationRules) : null;
    if (mayAnswer && answerScript(req, res, target, options.speculationRules)) return 'answered';
    const work = this.#work;
    work.look(performance.now());
    if (work.isBusy && asked === null) {
      if (mayAnswer && method === 'GET' && isPrefetch(headers)) {
        this.counts.refused++;
        source.dropped('prefetch');
        plainAnswer(req, res, 503, { Vary: 'Sec-Purpose', 'Cache-Control': 'no-store' });
        return 'answered';
      }
      if (!work.has(visitorOf(req))) {
        this.counts.leftAlone++;
        return null;
      }
    }
    const kind = kindOfRequest(headers, target);
    const verdict = judgeRequest({ method, url: target, headers }, this.#rules, kind);
    if (asked !== null) {
      const isHinted = verdict.hint === null;
      void answerRules(req, res, asked, this, { client: this.#clientOfSafely(req), isHinted });
      return 'answered';
    }
    if (verdict.hint !== null && kind === 'document') countUnhinted(this.counts, verdict.hint);
    const isGuess = verdict.learn === 'prefetch';
    if (verdict.learn !== null && !isGuess) {
      source.dropped(verdict.learn);
      return null;
    }
    const url = pathOf(target);
    const isHinted = verdict.hint === null && kind === 'document';
    const visit = new HintVisit(this, req, url, kind, this.#clientOfSafely(req), isGuess, isHinted);
    watchHead(res, visit);
    res.on('finish', onFinish);
    return isHinted ? visit.ask(res) : null;
  }

  #clientOfSafely(req: Request): string | null {
    try {
      return this.#clientOf(req);
    } catch (error) {
      this.options.onError(error, 'client');
      return null;
    }
  }
}

/** Who asks, as far as that can be had for nothing. */
function visitorOf({ headers, socket }: Request): string {
  const forwarded = headers['x-forwarded-for'];
  return typeof forwarded === 'string' ? forwarded : (socket?.remoteAddress ?? '');
}

function onFinish(this: HeadResponse): void {
  (watcherOf(this) as HintVisit).finish(this);
}

/** The target as it came: routers cut the part that they are mounted on. */
function targetOf(req: Request): string {
  const { originalUrl } = req as { originalUrl?: unknown };
  return typeof originalUrl === 'string' ? originalUrl : (req.url ?? '');
}

/** Of an absolute target, which judgeRequest held against the host. */
function pathOf(target: string): string {
  if (target.charCodeAt(0) === 47) return target;
  const parsed = URL.parse(target);
  return parsed === null ? target : parsed.pathname + parsed.search;
}
