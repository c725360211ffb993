// Advises what to prefetch while a log is learned, by the rules of the service or of Padmanabhan 1995. For an access,
// the advice is what the client should prefetch, by priority (hintRank), then the most probable first.

import { withConstants } from '../../options/options.ts';
import { Engine } from '../engine/engine.ts';
import { type PredictorName, predictorWith } from '../model/index.ts';
import { checkOptions } from '../model/model-options.ts';
import { type Salt, saltBytes, saltOf } from '../model/salt.ts';
import { queryMayBeHinted } from '../normalise-url.ts';
import { type Hint, hintRank, hintRanks } from '../wire/hint.ts';
import type { SimulateSettings } from './simulate-options.ts';
import { accessOf, partial, type Trace, type TraceAccess, type TraceFile } from './trace.ts';

export interface Candidate {
  file: TraceFile;
  /** Size of the file as known when its prefetch was advised. */
  bytes: number;
  probability: number;
}

/** The URLs to prefetch: a list for each kind of hint (pages, objects of next pages, objects of this page), in the
 *  order of `hintRanks`, or a single list if the predictor cannot tell which page an object belongs to. */
export type Advice = ReadonlyArray<readonly Candidate[]>;

export interface Advisor {
  learn(access: TraceAccess): void;
  learnAndAdvise(access: TraceAccess): Advice;
}

export interface AdvisorOptions {
  predictor: PredictorName;
  /** Size of the window (w), the number of a client's latest accesses considered together. */
  window: number;
  /** Only URLs with a probability above this (p) are advised to be prefetched. */
  threshold: number;
  settings: SimulateSettings;
}

/** Limits on the graph far above those of the service: a simulation should measure prefetching, not eviction. */
const graphCaps = {
  maxArcs: 8_000_000, // so many arcs take about 250 MB per thread
  maxArcsPerNode: 65_536,
  maxNodes: 2_000_000,
  maxClients: 10_000_000,
  maxUrlCharacters: 2 ** 31,
};

/**
 * Advises by a predictor alone (Padmanabhan 1995, 8): every access is learned and then gets advice. The paper's
 * predictor, and any other that cannot tell which page an object belongs to, gives one list, most probable first (7.2).
 */
export function paperAdvisor(trace: Trace, options: AdvisorOptions): Advisor {
  const { predictor: name, window, threshold, settings } = options;
  const candidates = new Candidates(trace, threshold);
  const predictor = predictorWith(name, {
    ...graphCaps,
    ...checkOptions({ ...settings.predictorOptions, window }),
    mayHint: settings.hintQueries ? () => true : queryMayBeHinted('drop-from-hints'),
  });
  const learn = (traced: TraceAccess) => {
    candidates.noteSize(traced);
    const access = accessOf(traced);
    predictor.observe(access);
    return access;
  };
  return {
    learn,
    learnAndAdvise(traced) {
      const predictions = predictor.predict(learn(traced), { threshold, limit: null });
      const isRanked = predictions.every((each) => each.kind === 'document' || each.navigation);
      return isRanked ? candidates.byRank(predictions) : [candidates.of(predictions)];
    },
  };
}

/** Interval at which the engine replaces salts and ends hints that were not used, ms of the log's time. */
export const tickMs = 60_000;

/** Returns the salt of pseudonyms at a time. It is no secret here, because a log must always give the same figures. */
export function saltAt(nowMs: number): Salt {
  return saltOf(new Uint8Array(saltBytes).fill(nowMs / tickMs), nowMs);
}

/**
 * Advises by the engine of the service, with the log's clock. The engine's rules decide which clients are learned from,
 * and which URLs are hinted after how many clients, for how long, and up to which size. As with a site's middleware, a
 * request for a page gets its hints before it is learned, and only requests of people get any (trace.ts).
 */
export function serviceAdvisor(trace: Trace, options: AdvisorOptions): Advisor {
  const { predictor, window, threshold, settings } = options;
  const candidates = new Candidates(trace, threshold);
  let nowMs = trace.accesses[0]?.timeMs ?? 0;
  let tickedMs = nowMs;
  const engine = new Engine({
    ...settings.engineOptions,
    predictor,
    window,
    ...withConstants({ newSalt: saltAt }),
    now: () => nowMs,
    load: () => 0,
  });
  const learn = (traced: TraceAccess) => {
    candidates.noteSize(traced);
    nowMs = traced.timeMs;
    if (nowMs - tickedMs >= tickMs) {
      tickedMs = nowMs;
      engine.tick();
    }
    engine.observe(accessOf(traced));
  };
  // The engine must apply the lowest simulated threshold to pages and objects alike. With its default threshold,
  // however, it applies a higher one to objects; so it gets a slightly lower one.
  const forAllKinds = Math.max(0, threshold - Number.EPSILON);
  const advise = (traced: TraceAccess): Advice => {
    if (!traced.file.isDocument || !traced.client.isPerson) return [];
    const { url, client, timeMs, kind } = accessOf(traced);
    nowMs = timeMs;
    const question = { url, client, timeMs, urlKind: kind, limit: null };
    return candidates.byRank(engine.hints({ ...question, threshold: forAllKinds }));
  };
  return {
    learn,
    learnAndAdvise(traced) {
      nowMs = traced.timeMs;
      const advice = advise(traced);
      learn(traced);
      return advice;
    },
  };
}

type Hinted = Pick<Hint, 'url' | 'kind' | 'navigation' | 'probability'>;

/** Finds the logged URL to which each hint leads, and remembers its size. */
class Candidates {
  /** Files of the log by URL, each with its size as far as it is known, bytes. */
  readonly #known: ReadonlyMap<string, { file: TraceFile; bytes: number }>;
  readonly #threshold: number;

  constructor({ files }: Trace, threshold: number) {
    this.#known = new Map(files.map((file) => [file.url, { file, bytes: 0 }]));
    this.#threshold = threshold;
  }

  /** Notes a file's size for its prefetches; that of a partial response counts only while no other is known. */
  noteSize({ file, status, bytes }: TraceAccess): void {
    const known = this.#known.get(file.url);
    if (known && (status !== partial || known.bytes === 0)) known.bytes = bytes;
  }

  of(hints: readonly Hinted[]): Candidate[] {
    const candidates: Candidate[] = [];
    for (const { url, probability } of hints) {
      const known = this.#known.get(url);
      if (known === undefined || !(probability > this.#threshold)) continue;
      candidates.push({ file: known.file, bytes: known.bytes, probability });
    }
    return candidates;
  }

  byRank(hints: readonly Hinted[]): Advice {
    return hintRanks.map((rank) =>
      this.of(hints.filter(({ kind, navigation }) => hintRank(kind, navigation) === rank)),
    );
  }
}
