// Gets hints from a prefetchd in another process or on another machine. `GET /v1/hints` asks for hints when a request
// arrives, in parallel with the site's work; `POST /v1/accesses` later sends what was learned, in batches. `POST
// /v1/hints`, which does both, is not used: whether an access may be learned is known only with its response, too late
// for hints.
//
// Whatever the service does, a request to it ends after a second, an answer has at most 64 KiB and is validated like
// any foreign input (wire/access-json), and after three consecutive failures, late answers included, no request of the
// site waits for the service (Breaker). Redirects are not followed, so accesses go only to the configured prefetchd.
// undici is loaded on first use, because loading it takes a tenth of a second.

import { performance } from 'node:perf_hooks';
import type { Dispatcher, Pool } from 'undici';
import { defaultsOf } from '../../options/options.ts';
import { about } from '../../options/refusal.ts';
import { type Access, longestUrl } from '../../prefetchd/access.ts';
import { leftOutEntry } from '../../prefetchd/engine/left-out.ts';
import { urlRule } from '../../prefetchd/rules/deny-list.ts';
import { accessesJson, parseHints } from '../../prefetchd/wire/access-json.ts';
import { belowPrefix } from '../../prefetchd/wire/hint.ts';
import { type LeftOutAccess, leftOutJson } from '../../prefetchd/wire/left-out-json.ts';
import {
  readSpeculation,
  speculationTable,
  usualImmediateFrom,
} from '../../prefetchd/wire/speculation-settings.ts';
import { Deadline } from '../../process/deadline.ts';
import { lastingLoad } from '../../process/thread-load.ts';
import { invalidOption } from '../errors.ts';
import { BatchSender, type Delivery } from './batch-sender.ts';
import type { CheckedHintsOptions } from './hint-options.ts';
import type { HintSource, PendingHints, SourceQuestion } from './source.ts';

/** Timeouts, ms: of a request for hints; of a delivery of accesses; of the last deliveries, when hints() is closed. */
const answerTimeoutMs = 1000;
const deliveryMs = 5000;
const closeMs = 2000;
const maxAnswerBytes = 64 * 1024;
const maxOutstanding = 64;
const connections = 4;
const connectionsForSending = 1;

/** Makes a source of hints that asks a remote prefetchd. @throws ServerError 'invalid-option' */
export function remotePrefetchd(options: CheckedHintsOptions): HintSource {
  const { deadlineMs, threshold, limit, token, onFault } = options;
  const { origin, socketPath, basePath } = addressOf(String(options.prefetchd));
  const breaker = new Breaker();
  const load = lastingLoad();
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
  const tuning = {
    ...(threshold !== null && { threshold: String(threshold) }),
    ...(limit !== undefined && { limit: String(limit ?? 'inf') }),
  };
  let speculation = { ...defaultsOf(speculationTable), immediateFrom: usualImmediateFrom };
  let [asked, answered, late, failed, skipped, outstanding] = [0, 0, 0, 0, 0, 0];
  let failedMs = Number.NEGATIVE_INFINITY;
  let pools: { questions: Pool; deliveries: Pool } | null = null;
  let isClosed = false;

  const ready = import('undici').then(({ Pool }) => {
    if (isClosed) return;
    const pool = (most: number, timeoutMs: number) =>
      new Pool(origin, {
        ...(socketPath !== null && { socketPath }),
        connections: most,
        pipelining: 1,
        connect: { timeout: answerTimeoutMs },
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        maxResponseSize: maxAnswerBytes,
      });
    pools = {
      questions: pool(connections, answerTimeoutMs),
      deliveries: pool(connectionsForSending, deliveryMs),
    };
  });
  ready.catch((error: unknown) => onFault(error, 'remote'));

  /** Asks for hints, and returns the body of the answer. @throws Refused, and errors of undici */
  async function answerTo(pool: Pool, question: SourceQuestion): Promise<unknown> {
    const { url, host, client, isShared, isShown, forRules, kind } = question;
    const asked = new URLSearchParams({
      url,
      ...tuning,
      ...(host !== undefined && { host }),
      ...(kind !== null && { kind }),
      ...(client !== null && { client }),
      ...(isShared && { shared: 'true' }),
      ...(isShown && { shown: 'true' }),
      ...(forRules && { rules: 'true' }),
    });
    const path = `${basePath}/v1/hints?${asked}`;
    const signal = AbortSignal.timeout(answerTimeoutMs);
    return json(pool, { path, method: 'GET', headers: authorization, signal });
  }

  function ask(pool: Pool, asking: SourceQuestion, isProbe: boolean): PendingHints {
    outstanding++;
    asked++;
    const settled = Promise.withResolvers<void>();
    const inTime = Promise.withResolvers<void>();
    let isLate = false;
    const askedMs = performance.now();
    const onLate = () => {
      isLate = true;
      fail('late', askedMs);
      inTime.resolve();
    };
    const deadline = new Deadline();
    deadline.start(deadlineMs, onLate);
    const question: PendingHints = {
      hints: [],
      isHeldBack: null,
      inTime: isProbe ? null : inTime.promise,
      done: settled.promise,
    };
    answerTo(pool, asking)
      .then((body) => {
        question.hints = belowPrefix(parseHints(body), asking.prefix);
        const { heldBack, speculation: said } = (body ?? {}) as Record<string, unknown>;
        question.isHeldBack = heldBack === true;
        if (said !== undefined) speculation = { ...speculation, ...readSpeculation(said) };
        if (isLate) return;
        answered++;
        breaker.succeeded();
      })
      .catch((error: unknown) => {
        if (!isLate) fail('failed', askedMs);
        onFault(error, 'remote');
      })
      .finally(() => {
        deadline.stop();
        outstanding--;
        inTime.resolve();
        settled.resolve();
      });
    return question;
  }

  /**
   * Counts a failed request for hints. Requests that run at the same time fail for the same cause, so the breaker
   * counts one failure.
   */
  function fail(how: 'late' | 'failed', askedMs: number): void {
    if (how === 'late') late++;
    else failed++;
    if (askedMs < failedMs) return;
    failedMs = performance.now();
    breaker.failed(failedMs);
  }

  async function deliver(body: string): Promise<Delivery> {
    if (pools === null) return 'again';
    try {
      await json(pools.deliveries, {
        path: `${basePath}/v1/accesses`,
        method: 'POST',
        headers: { ...authorization, 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(deliveryMs),
      });
      return 'delivered';
    } catch (error) {
      onFault(error, 'remote');
      return isUndelivered(error) ? 'again' : 'lost';
    }
  }

  const sender = new BatchSender<Access>({
    send: (accesses) => deliver(accessesJson(accesses)),
    charactersOf: ({ url, client, page = '' }) => url.length + client.length + page.length,
  });
  /** Notices of requests that may not be learned have a queue of their own, so that they never displace accesses. */
  const leftOutSender = new BatchSender<LeftOutAccess>({
    send: (entries) => deliver(leftOutJson(entries)),
    charactersOf: ({ url }) => url.length,
  });
  const verdictOf = urlRule(options.deny);

  return {
    ready,
    isTrial: false,
    hintsNow: null,
    speculation: () => speculation,
    isHeldBack: () => null,
    later(question): PendingHints | null {
      const advice = outstanding >= maxOutstanding ? 'skip' : breaker.advice(performance.now());
      if (pools === null || advice === 'skip') {
        skipped++;
        return null;
      }
      return ask(pools.questions, question, advice === 'probe');
    },
    learn: (access) => sender.push(access),
    dropped(reason, of) {
      const entry = of === undefined ? null : leftOutEntry(reason, of, verdictOf);
      if (of === undefined || entry === null) return;
      // The entry has a masked URL, because the URL may have private parts. Only for `noindex` is the whole URL sent:
      // the service then withdraws the page that it has learned.
      const isNamed = reason === 'noindex' && of.url.length <= longestUrl;
      leftOutSender.push(isNamed ? { ...entry, url: of.url } : entry);
    },
    load,
    stats: () => ({
      asked,
      answered,
      late,
      failed,
      skipped,
      isFailing: breaker.isOpen,
      queued: sender.queued,
      delivered: sender.delivered,
      lost: sender.lost,
    }),
    async close() {
      await Promise.all([sender.close(closeMs), leftOutSender.close(closeMs)]);
      isClosed = true;
      await Promise.allSettled([pools?.questions.destroy(), pools?.deliveries.destroy()]);
      pools = null;
    },
  };
}

/** The error for an answer of the remote prefetchd with a status other than 200. */
class Refused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`prefetchd answered with status ${status}`);
    this.status = status;
  }
}

/** A request with a signal that limits its total time, because undici's own timeouts apply to each step alone. */
type Bounded = Dispatcher.RequestOptions & { signal: AbortSignal };

/**
 * Sends a request, and returns the body of its answer, a 200.
 * @throws Refused for another status, and errors of undici
 */
async function json(pool: Pool, request: Bounded): Promise<unknown> {
  const { statusCode, body } = await pool.request(request);
  if (statusCode !== 200) {
    body.destroy();
    body.on('error', () => {});
    throw new Refused(statusCode);
  }
  return body.json();
}

/** Returns whether a request was certainly not delivered: it got no connection, or the service rejected it unread. */
function isUndelivered(error: unknown): boolean {
  if (error instanceof Refused) return error.status === 429 || error.status === 503;
  // If all connections to a host with several addresses failed, the error has one error for each of them.
  if (error instanceof AggregateError) return error.errors.every(isUndelivered);
  const { code, syscall = '' } = error as NodeJS.ErrnoException;
  return code === 'UND_ERR_CONNECT_TIMEOUT' || ['connect', 'getaddrinfo'].includes(syscall);
}

interface Address {
  origin: string;
  socketPath: string | null;
  /** Path of the remote prefetchd's API before /v1, without a trailing slash. */
  basePath: string;
}

/**
 * Parses the address of a remote prefetchd: `http://host:port` or https, with a path before /v1 if a web server maps
 * the service there; or `unix:/path`.
 * @throws ServerError 'invalid-option'
 */
function addressOf(address: string): Address {
  if (address.startsWith('unix:')) {
    const socketPath = address.slice(5);
    if (socketPath.startsWith('/') && Buffer.byteLength(socketPath) <= 100) {
      return { origin: 'http://localhost', socketPath, basePath: '' };
    }
  }
  const url = /^https?:\/\//i.test(address) ? URL.parse(address) : null;
  const isPlain = url !== null && url.username + url.password + url.search + url.hash === '';
  if (url === null || !isPlain) {
    const rule = 'its settings, http://host:port without user and query, or unix:/path';
    return invalidOption(...about('prefetchd', `must be a prefetchd, ${rule}`));
  }
  return { origin: url.origin, socketPath: null, basePath: url.pathname.replace(/\/+$/, '') };
}

/** Consecutive failed requests for hints after which the breaker opens, so that prefetchd is only probed. */
const maxFailures = 3;
/** Time between two requests by which a failing prefetchd is probed, ms. */
const probeIntervalMs = 1000;

/**
 * What to do about a request for hints. `ask`: ask and wait; `probe`: ask, but do not wait for the answer; `skip`: do
 * not ask.
 */
type BreakerAdvice = 'ask' | 'probe' | 'skip';

/**
 * Breaks the circuit to a failing service, so that it costs nothing: after some failures in a row it is only probed
 * from time to time, and nobody waits for a probe. No timer is needed: the first request after a pause is the probe.
 */
export class Breaker {
  #failures = 0;
  #probedMs = Number.NEGATIVE_INFINITY;

  get isOpen(): boolean {
    return this.#failures >= maxFailures;
  }

  /** Returns what to do about a request for hints. @param nowMs Time of a monotonic clock */
  advice(nowMs: number): BreakerAdvice {
    if (!this.isOpen) return 'ask';
    if (nowMs - this.#probedMs < probeIntervalMs) return 'skip';
    this.#probedMs = nowMs;
    return 'probe';
  }

  succeeded(): void {
    this.#failures = 0;
  }

  failed(nowMs: number): void {
    this.#failures++;
    if (this.#failures === maxFailures) this.#probedMs = nowMs;
  }
}
