// Advice by a predictor alone, as in the paper (Padmanabhan 1995, 8): every access is learned and then answered. The
// limit i applies to the service's order: pages, then objects of the next pages, then objects of the page itself
// (hintRank). The paper's predictor, and any other that cannot tell which page an object belongs to, has a single rank,
// in which the most probable URLs come first (7.2).

import type { Access } from '../access.ts';
import { createPredictor } from '../model/index.ts';
import { queryMayBeHinted } from '../normalise-url.ts';
import { hintRank, hintRanks } from '../wire/index.ts';
import { type Advisor, type AdvisorOptions, PrefetchAdvice, type RankAdvice } from './advice.ts';
import { graphCaps } from './graph-caps.ts';
import { partial, type Trace } from './trace.ts';
import { TraceReader } from './trace-reader.ts';

export class PaperAdvisor implements Advisor {
  readonly advice: PrefetchAdvice;
  ranks: readonly RankAdvice[];
  readonly #reader: TraceReader;
  readonly #predictor: ReturnType<typeof createPredictor>;
  readonly #least: number;
  readonly #numberOfUrl: ReadonlyMap<string, number>;
  readonly #size: Float64Array;

  constructor(trace: Trace, options: AdvisorOptions) {
    const { predictor, window, thresholds, batchAccesses, settings } = options;
    this.advice = new PrefetchAdvice(hintRanks.length, thresholds, batchAccesses);
    this.ranks = this.advice.ranks;
    this.#reader = new TraceReader(trace);
    this.#predictor = createPredictor(predictor, {
      ...graphCaps(trace, window),
      ...settings.predictorOptions,
      mayHint: settings.hintQueries ? () => true : queryMayBeHinted('drop-from-hints'),
      window,
    });
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
    const predictions = this.#predictor.predict(access, { threshold: this.#least, limit: null });
    const isRanked = predictions.every((each) => each.kind === 'document' || each.navigation);
    this.ranks = isRanked ? advice.ranks : advice.ranks.slice(0, 1);
    for (let rank = 0; rank < this.ranks.length; rank++) {
      advice.open(rank);
      for (const { url, kind, navigation, probability } of predictions) {
        if (isRanked && hintRank(kind, navigation) !== rank) continue;
        if (!advice.exceedsThreshold(probability)) break;
        const file = this.#numberOfUrl.get(url) as number;
        advice.add(file, this.#size[file] as number);
      }
      advice.close();
    }
    advice.next();
  }

  #accessOf(index: number): Access {
    const reader = this.#reader;
    reader.seek(index);
    const [access, file] = [reader.access(), reader.url];
    // A prefetch fetches the whole file, and a partial response does not tell the file's size.
    if (access.status !== partial || !this.#size[file]) this.#size[file] = access.bytes;
    return access;
  }
}
