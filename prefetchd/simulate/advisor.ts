// Records the advice for a batch of accesses while the log is learned: who should prefetch what. If i limits the
// advice, the order is that of the service: pages, then objects of pages that come next, then those of the page
// itself (hintRank). With the paper's predictor, and any other that cannot tell which page an object belongs to,
// there is one rank, and the likeliest come first, as in the paper (Padmanabhan 1995, 7.2).

import type { Access } from '../access.ts';
import { candidateSource } from '../model/graph/candidates.ts';
import { createPredictor, type PredictorName } from '../model/index.ts';
import type { Candidates } from '../model/predictor.ts';
import { queryMayBeHinted } from '../normalise-url.ts';
import { hintRank, hintRanks } from '../wire/index.ts';
import { graphCaps } from './graph-caps.ts';
import type { SimulateSettings } from './simulate-options.ts';
import type { Trace } from './trace.ts';

export interface AdvisorOptions {
  predictor: PredictorName;
  /** w */
  window: number;
  /** Ascending. */
  thresholds: readonly number[];
  /** Most accesses between two calls of `begin`. */
  batchAccesses: number;
  settings: SimulateSettings;
}

/** Where the advice of one rank is in `files`. */
export interface RankAdvice {
  /** By access. */
  begins: Int32Array;
  /** By threshold and access. */
  ends: Int32Array[];
}

export class Advisor {
  /** URL numbers by access and rank, best first. */
  files = new Int32Array(1024);
  /** Size of each at that time. */
  bytes = new Float64Array(1024);
  readonly #trace: Trace;
  readonly #predictor: ReturnType<typeof createPredictor>;
  readonly #source: ReturnType<typeof candidateSource>;
  readonly #thresholds: readonly number[];
  readonly #byRank: readonly RankAdvice[];
  readonly #likeliestFirst: readonly RankAdvice[];
  #advice: readonly RankAdvice[];
  readonly #clientNames: string[] = [];
  readonly #numberOfUrl: ReadonlyMap<string, number>;
  /** By the predictor's id: URL number as of the last access. */
  readonly #numberOfId: number[] = [];
  readonly #size: Float64Array;
  #length = 0;
  #row = 0;

  constructor(trace: Trace, options: AdvisorOptions) {
    const { predictor, window, thresholds, batchAccesses, settings } = options;
    this.#trace = trace;
    this.#predictor = createPredictor(predictor, {
      ...graphCaps(trace, window),
      ...settings.predictorOptions,
      mayHint: settings.hintQueries ? () => true : queryMayBeHinted(),
      window,
    });
    this.#source = candidateSource(this.#predictor);
    this.#thresholds = thresholds;
    this.#byRank = hintRanks.map(() => ({
      begins: new Int32Array(batchAccesses),
      ends: thresholds.map(() => new Int32Array(batchAccesses)),
    }));
    this.#likeliestFirst = this.#byRank.slice(0, 1);
    this.#advice = this.#byRank;
    this.#numberOfUrl = new Map(trace.urls.map((url, number) => [url, number]));
    this.#size = new Float64Array(trace.urls.length);
  }

  /** Ordered by rank, with as many ranks as the predictor can distinguish. */
  get advice(): readonly RankAdvice[] {
    return this.#advice;
  }

  begin(): void {
    this.#length = 0;
    this.#row = 0;
  }

  learn(index: number): void {
    this.#predictor.observe(this.#accessOf(index));
  }

  learnAndAdvise(index: number): void {
    const access = this.#accessOf(index);
    this.#predictor.observe(access);
    const candidates = this.#source.candidates(access, this.#thresholds[0] as number);
    const isRanked = candidates.navigationOf !== undefined;
    this.#advice = isRanked ? this.#byRank : this.#likeliestFirst;
    const row = this.#row++;
    for (const [rank, { begins, ends }] of this.#advice.entries()) {
      begins[row] = this.#length;
      let above = ends.length - 1;
      for (let at = 0; at < candidates.length; at++) {
        if (isRanked && this.#rankOf(candidates, at) !== rank) continue;
        const probability = candidates.probabilities[at] as number;
        while (above >= 0 && !(probability > (this.#thresholds[above] as number))) {
          (ends[above--] as Int32Array)[row] = this.#length;
        }
        if (above < 0) break;
        this.#write(this.#urlNumber(candidates.ids[at] as number));
      }
      while (above >= 0) (ends[above--] as Int32Array)[row] = this.#length;
    }
  }

  #rankOf(candidates: Candidates, at: number): number {
    const kind = this.#source.kindOf(candidates.ids[at] as number);
    return hintRank(kind, kind === 'object' ? candidates.navigationOf?.(at) : undefined);
  }

  #accessOf(index: number): Access {
    const { client, url, timeMs, bytes, status, isDocument, urls } = this.#trace;
    const number = url[index] as number;
    this.#size[number] = bytes[index] as number;
    const clientNumber = client[index] as number;
    this.#clientNames[clientNumber] ??= String(clientNumber);
    return {
      client: this.#clientNames[clientNumber],
      url: urls[number] as string,
      timeMs: timeMs[index] as number,
      kind: isDocument[number] === 1 ? 'document' : 'object',
      status: status[index] as number,
      bytes: bytes[index] as number,
      prefetch: false,
    };
  }

  #urlNumber(id: number): number {
    const url = this.#source.urlOf(id);
    const known = this.#numberOfId[id];
    if (known !== undefined && this.#trace.urls[known] === url) return known;
    const number = this.#numberOfUrl.get(url) as number;
    this.#numberOfId[id] = number;
    return number;
  }

  #write(file: number): void {
    if (this.#length === this.files.length) {
      const [files, bytes] = [this.files, this.bytes];
      this.files = new Int32Array(files.length * 2);
      this.files.set(files);
      this.bytes = new Float64Array(bytes.length * 2);
      this.bytes.set(bytes);
    }
    this.files[this.#length] = file;
    this.bytes[this.#length] = this.#size[file] as number;
    this.#length++;
  }
}
