// Where hints come from: a prefetchd inside this process, or a remote one. The middleware sees this and
// nothing else of either. One difference stays visible: a prefetchd of this process answers at once, so
// it is asked when header fields leave and everything is known about the response; a remote one is asked
// when the request comes, beside the work of the site.

import type { Access } from '../../prefetchd/access.ts';
import { Engine } from '../../prefetchd/engine/engine.ts';
import { engineOf, type NotLearned, type Prefetchd } from '../../prefetchd/engine/prefetchd.ts';
import type { PredictorName } from '../../prefetchd/model/index.ts';
import type { Hint } from '../../prefetchd/wire/index.ts';
import type { CheckedHintsOptions } from './hint-options.ts';

export interface HintQuestion {
  url: string;
  client: string | null;
  /** The answer may be kept by a shared cache: it must be the same for everybody, and `client` is only counted. */
  isShared?: boolean;
  /** Only these; null: documents and objects. */
  kind: 'document' | 'object' | null;
  timeMs: number;
}

/** A question under way. */
export interface Asked {
  /** What came so far. */
  hints: readonly Hint[];
  /** Resolves with the answer, or when the deadline is over; null: not worth waiting for. */
  inTime: Promise<void> | null;
  /** Resolves with the answer, or when there will be none. Neither rejects. */
  done: Promise<void>;
}

export interface HintSource {
  readonly ready: Promise<void>;
  /** Hints at once; null: ask `later`. */
  readonly now: ((question: HintQuestion) => Hint[]) | null;
  /** null: not at present. */
  later(question: HintQuestion): Asked | null;
  learn(access: Access): void;
  dropped(reason: NotLearned): void;
  /** How busy this process is, 0..1. */
  load(): number;
  stats(): RemoteStats | null;
  close(): Promise<void>;
}

/** What stands on a site sees the pictures of its pages, which fill the window of a plain graph: no page would
 *  lead to a page. */
export const sitePredictor: PredictorName = 'double-graph';

/** How a remote prefetchd does. */
export interface RemoteStats {
  readonly asked: number;
  /** Came in time. */
  readonly answered: number;
  readonly late: number;
  readonly failed: number;
  /** Not asked, since it has been failing or too many answers are outstanding. */
  readonly skipped: number;
  readonly isFailing: boolean;
  /** Accesses waiting, delivered, and lost: the queue was full, or the delivery broke off. */
  readonly queued: number;
  readonly delivered: number;
  readonly lost: number;
}

/** Else it is settings for one. */
function isPrefetchd(given: object): given is Prefetchd {
  return 'observe' in given;
}

/** @throws PrefetchdError `invalid-option` for settings of a prefetchd of its own */
export function inProcess(options: CheckedHintsOptions): HintSource {
  const { threshold, limit, origin, deny, now, onError, prefetchd: given } = options;
  if (typeof given === 'string') throw new TypeError('a remote prefetchd is not in this process');
  const isOwn = !isPrefetchd(given);
  const engine = isOwn
    ? new Engine({
        ...{ origin, deny, now },
        onNotice: ({ level, message, error }) => {
          if (level === 'error') onError(error ?? new Error(message), 'report');
        },
        ...given,
        predictor: given.predictor ?? sitePredictor,
      })
    : engineOf(given);
  const tuning = {
    ...(threshold !== null && { threshold }),
    ...(limit !== undefined && { limit }),
  };
  const hasTuning = threshold !== null || limit !== undefined;
  // Told now, not at the first request.
  if (hasTuning) engine.hints({ url: '/', ...tuning });

  let pending: Access[] = [];
  /** Many at once cost half as much each. Who asks next comes later than this. */
  const learnPending = () => {
    const accesses = pending;
    pending = [];
    try {
      for (const access of accesses) engine.observe(access);
    } catch (error) {
      onError(error, 'report');
    }
  };

  return {
    ready: engine.ready,
    now({ url, client, isShared = false, kind, timeMs }) {
      const question: Parameters<Engine['hints']>[0] = {
        ...{ url, timeMs, isShared },
        urlKind: 'document',
      };
      if (client !== null) question.client = client;
      if (kind !== null) question.kind = kind;
      return engine.hints(hasTuning ? { ...question, ...tuning } : question);
    },
    later: () => null,
    learn(access) {
      if (pending.push(access) === 1) setImmediate(learnPending);
    },
    dropped: (reason) => void engine.dropped(reason),
    load: () => engine.load,
    stats: () => null,
    close: async () => {
      learnPending();
      if (isOwn) await engine.close();
    },
  };
}
