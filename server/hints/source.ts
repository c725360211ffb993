// Defines the source of hints: a prefetchd in this process, or a remote one. The middleware depends on this interface
// alone. One difference remains visible: a prefetchd in this process answers synchronously, so it is asked when the
// header is sent and everything about the response is known; a remote one is asked when the request arrives, in
// parallel with the site's work.

import { checked } from '../../options/options.ts';
import type { Access } from '../../prefetchd/access.ts';
import { Engine } from '../../prefetchd/engine/engine.ts';
import type { NamedAccess } from '../../prefetchd/engine/left-out.ts';
import { engineOf, type NotLearned } from '../../prefetchd/engine/prefetchd.ts';
import { prefetchdKind } from '../../prefetchd/engine/prefetchd-options.ts';
import { invalidOption } from '../../prefetchd/errors.ts';
import { belowPrefix, type Hint } from '../../prefetchd/wire/hint.ts';
import type { SpeculationTerms } from '../../prefetchd/wire/speculation-settings.ts';
import { type CheckedHintsOptions, isGivenPrefetchd } from './hint-options.ts';
import type { RemoteStats } from './site-hints.ts';

export interface SourceQuestion {
  url: string;
  /** The requested host; undefined: the request names none. */
  host: string | undefined;
  /** Path prefix below which visitors see the site; URLs of hints get it, too. */
  prefix: string;
  client: string | null;
  /** True if a shared cache may store the page: all clients get the same hints, and `client` is only for counts. */
  isShared?: boolean;
  /** True if the browser asks for the page's speculation rules, which shows that it displays the page. */
  isShown?: boolean;
  /**
   * True asks also for pages that only speculation rules may name; `otherwise` does so only if no page is above the
   * threshold.
   */
  forRules?: boolean | 'otherwise';
  /** Whether to hint pages (`document`) or their embedded objects; null: both. */
  kind: 'document' | 'object' | null;
  timeMs: number;
}

/** A request for hints to a remote prefetchd, with what it has answered so far. */
export interface PendingHints {
  /** The hints received so far. */
  hints: readonly Hint[];
  /** True if the client gets no hints, so that others can be compared with it; null: not known. */
  isHeldBack: boolean | null;
  /** Resolves when prefetchd's answer arrives or is late (`deadlineMs`); null: the site need not wait for it. */
  inTime: Promise<void> | null;
  /** Resolves when the remote prefetchd's answer has arrived or can no longer arrive. Neither promise rejects. */
  done: Promise<void>;
}

export interface HintSource {
  readonly ready: Promise<void>;
  /** True with the option `trial`. Hints then depend on whether a client is on this machine, so a proxy on this machine
   *  is trusted to tell its clients' addresses. */
  readonly isTrial: boolean;
  /** Returns hints synchronously; null for a remote prefetchd, which only `later` can ask. */
  readonly hintsNow: ((question: SourceQuestion) => readonly Hint[]) | null;
  /**
   * Returns whether the client gets no hints, so that others can be compared with it; null: only the answer of a remote
   * prefetchd tells.
   */
  isHeldBack(client: string | null): boolean | null;
  /** Asks a remote prefetchd for hints; returns null if it cannot be asked at present. */
  later(question: SourceQuestion): PendingHints | null;
  /** Returns the present settings of speculation rules; for a remote prefetchd, those of its last answer. */
  speculation(): SpeculationTerms;
  learn(access: Access): void;
  /** Counts an access that may not be learned, by the reason. @param of The access, if its URL or response is why */
  dropped(reason: NotLearned, of?: NamedAccess): void;
  /** Returns how busy this process is, 0..1. */
  load(): number;
  stats(): RemoteStats | null;
  close(): Promise<void>;
}

/**
 * Makes a source of hints from a prefetchd in this process.
 * @throws PrefetchdError `invalid-option` for settings of a new prefetchd
 */
export function inProcess(options: CheckedHintsOptions): HintSource {
  const { threshold, limit, origin, deny, now, trial, onFault, prefetchd: given } = options;
  if (typeof given === 'string') throw new TypeError('a remote prefetchd is not in this process');
  const isOwn = !isGivenPrefetchd(given);
  if (isOwn) checked(prefetchdKind, given, invalidOption, { inside: 'prefetchd' });
  const engine = isOwn
    ? new Engine({ origin, deny, now, trial, log: options.log, ...given })
    : engineOf(given);
  const tuning = {
    ...(threshold !== null && { threshold }),
    ...(limit !== undefined && { limit }),
  };
  const isAsking = Object.keys(tuning).length > 0;
  // Checks the options `threshold` and `limit`: this call throws their errors now, not at the first request.
  if (isAsking) engine.hints({ url: '/', ...tuning });

  let pending: Access[] = [];
  /**
   * Learns the accesses of one turn of the event loop together, which halves the cost. Requests of later turns find
   * them learned.
   */
  const learnPending = () => {
    const accesses = pending;
    pending = [];
    try {
      for (const access of accesses) engine.observe(access);
    } catch (error) {
      onFault(error, 'report');
    }
  };

  return {
    ready: engine.ready,
    isTrial: engine.trial !== false,
    hintsNow({ url, host, prefix, client, kind, timeMs, ...asked }) {
      const { isShared = false, isShown = false, forRules = false } = asked;
      const question: Parameters<Engine['hints']>[0] = {
        url,
        timeMs,
        isShared,
        isShown,
        forRules,
        urlKind: 'document',
      };
      if (host !== undefined) question.host = host;
      if (client !== null) question.client = client;
      if (kind !== null) question.kind = kind;
      const hints = engine.hints(isAsking ? { ...question, ...tuning } : question);
      return belowPrefix(hints, prefix);
    },
    isHeldBack: (client) => client !== null && engine.isHeldBack(client),
    later: () => null,
    speculation: () => engine.speculation,
    learn(access) {
      if (pending.push(access) === 1) setImmediate(learnPending);
    },
    dropped: (reason, of) => void engine.dropped(reason, of),
    load: () => engine.load,
    stats: () => null,
    close: async () => {
      learnPending();
      if (isOwn) await engine.close();
    },
  };
}
