// Advice by a predictor alone, as in the paper (Padmanabhan 1995, 8): every access is learned and then answered. The
// limit i applies to the service's order: pages, then objects of the next pages, then objects of the page itself
// (hintRank). The paper's predictor, and any other that cannot tell which page an object belongs to, has a single rank,
// in which the most probable URLs come first (7.2).

import type { Access } from '../access.ts';
import { candidateSource } from '../model/graph/candidates.ts';
import { createPredictor } from '../model/index.ts';
import type { Candidates } from '../model/predictor.ts';
import { queryMayBeHinted } from '../normalise-url.ts';
import { hintRank, hintRanks } from '../wire/index.ts';
import { Advice, type Advisor, type AdvisorOptions, type RankAdvice } from './advice.ts';
import { graphCaps } from './graph-caps.ts';
import { partial, type Trace } from './trace.ts';
import { TraceReader } from './trace-reader.ts';

export class PaperAdvisor implements Advisor {
  readonly advice: Advice;
  ranks: readonly RankAdvice[];
  readonly #trace: Trace;
  readonly #reader: TraceReader;
  readonly #predictor: ReturnType<typeof createPredictor>;
  readonly #source: ReturnType<typeof candidateSource>;
  readonly #least: number;
  readonly #numberOfUrl: ReadonlyMap<string, number>;
  /** For each id of the predictor, the URL number that it last stood for. */
  readonly #numberOfId: number[] = [];
  readonly #size: Float64Array;

  constructor(trace: Trace, options: AdvisorOptions) {
    const { predictor, window, thresholds, batchAccesses, settings } = options;
    this.advice = new Advice(hintRanks.length, thresholds, batchAccesses);
    this.ranks = this.advice.ranks;
    this.#trace = trace;
    this.#reader = new TraceReader(trace);
    this.#predictor = createPredictor(predictor, {
      ...graphCaps(trace, window),
      ...settings.predictorOptions,
      mayHint: settings.hintQueries ? () => true : queryMayBeHinted('drop-from-hints'),
      window,
    });
    this.#source = candidateSource(this.#predictor);
    this.#least = thresholds[0] as number;
    this.#numberOfUrl = new Map(trace.urls.map((url, number) => [url, number]));
    this.#size = new Float64Array(trace.urls.length);
  }

  learn(index: number): void {
    this.#predictor.observe(this.#accessOf(index));
  }

  learnAndAdvise(index: number): void {
    const { advice } = this;
    const access = this.#accessOf(index);
    this.#predictor.observe(access);
    const candidates = this.#source.candidates(access, this.#least);
    const isRanked = candidates.navigationOf !== undefined;
    this.ranks = isRanked ? advice.ranks : advice.ranks.slice(0, 1);
    for (let rank = 0; rank < this.ranks.length; rank++) {
      advice.open(rank);
      for (let at = 0; at < candidates.length; at++) {
        if (isRanked && this.#rankOf(candidates, at) !== rank) continue;
        if (!advice.takes(candidates.probabilities[at] as number)) break;
        const file = this.#urlNumber(candidates.ids[at] as number);
        advice.add(file, this.#size[file] as number);
      }
      advice.close();
    }
    advice.next();
  }

  #rankOf(candidates: Candidates, at: number): number {
    const kind = this.#source.kindOf(candidates.ids[at] as number);
    return hintRank(kind, kind === 'object' ? candidates.navigationOf?.(at) : undefined);
  }

  #accessOf(index: number): Access {
    const reader = this.#reader;
    reader.seek(index);
    const [access, file] = [reader.access(), reader.url];
    // A prefetch fetches the whole file, and a partial response does not tell the file's size.
    if (access.status !== partial || !this.#size[file]) this.#size[file] = access.bytes;
    return access;
  }

  #urlNumber(id: number): number {
    const url = this.#source.urlOf(id);
    const known = this.#numberOfId[id];
    if (known !== undefined && this.#trace.urls[known] === url) return known;
    const number = this.#numberOfUrl.get(url) as number;
    this.#numberOfId[id] = number;
    return number;
  }
}
