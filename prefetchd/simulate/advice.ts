// What clients are advised to prefetch in a batch of accesses: for each access and rank (hintRank) a list of URLs,
// best first, and where each threshold cuts it.

import type { PredictorName } from '../model/index.ts';
import type { SimulateSettings } from './simulate-options.ts';

/** Where the advice of one rank is in `files`. */
export interface RankAdvice {
  /** By access. */
  readonly begins: Int32Array;
  /** By threshold and access. */
  readonly ends: readonly Int32Array[];
}

export class Advice {
  /** URL numbers by access and rank, best first. */
  files = new Int32Array(1024);
  /** Size of each at that time. */
  bytes = new Float64Array(1024);
  readonly ranks: readonly RankAdvice[];
  readonly #thresholds: readonly number[];
  #length = 0;
  #row = 0;
  #rank = 0;
  /** Thresholds that have not cut the current list. */
  #open = 0;

  /** @param thresholds ascending @param accesses most between two calls of `begin` */
  constructor(ranks: number, thresholds: readonly number[], accesses: number) {
    this.#thresholds = thresholds;
    this.ranks = Array.from({ length: ranks }, () => ({
      begins: new Int32Array(accesses),
      ends: thresholds.map(() => new Int32Array(accesses)),
    }));
  }

  /** Start a batch. */
  begin(): void {
    this.#length = 0;
    this.#row = 0;
  }

  /** Start the list of a rank for the current access. */
  open(rank: number): void {
    this.#rank = rank;
    this.#open = this.#thresholds.length;
    (this.ranks[rank] as RankAdvice).begins[this.#row] = this.#length;
  }

  /** True if a candidate of this probability, no higher than that of the last, is above any threshold. */
  takes(probability: number): boolean {
    while (this.#open > 0 && !(probability > (this.#thresholds[this.#open - 1] as number))) {
      this.#cut(--this.#open);
    }
    return this.#open > 0;
  }

  add(file: number, bytes: number): void {
    if (this.#length === this.files.length) this.#grow();
    this.files[this.#length] = file;
    this.bytes[this.#length++] = bytes;
  }

  /** End the list. */
  close(): void {
    while (this.#open > 0) this.#cut(--this.#open);
  }

  /** The next access. */
  next(): void {
    this.#row++;
  }

  #cut(threshold: number): void {
    const { ends } = this.ranks[this.#rank] as RankAdvice;
    (ends[threshold] as Int32Array)[this.#row] = this.#length;
  }

  #grow(): void {
    const [files, bytes] = [this.files, this.bytes];
    this.files = new Int32Array(files.length * 2);
    this.files.set(files);
    this.bytes = new Float64Array(bytes.length * 2);
    this.bytes.set(bytes);
  }
}

export interface AdvisorOptions {
  predictor: PredictorName;
  /** w */
  window: number;
  /** Ascending. */
  thresholds: readonly number[];
  /** Most accesses between two calls of `advice.begin`. */
  batchAccesses: number;
  settings: SimulateSettings;
}

/**
 * Records the advice for a batch of accesses while the log is learned: who should prefetch what, by the rules of the
 * service (service-advisor.ts) or by those of the paper (paper-advisor.ts).
 */
export interface Advisor {
  readonly advice: Advice;
  /** In order, as many as the predictor can distinguish. */
  readonly ranks: readonly RankAdvice[];
  learn(index: number): void;
  /** Called for each access of a batch in turn. */
  learnAndAdvise(index: number): void;
}
