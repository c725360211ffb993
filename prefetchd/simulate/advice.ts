// The advice for a batch of accesses: for each access and rank (hintRank), the URLs that the client should prefetch,
// most probable first, and the place where each threshold cuts off the list.

import type { PredictorName } from '../model/index.ts';
import type { SimulateSettings } from './simulate-options.ts';

/** Where the lists of one rank begin and end in `files`. */
export interface RankAdvice {
  /** Start of the list of each access. */
  readonly begins: Int32Array;
  /** By threshold, then access: the place in `files` where the threshold cuts off the list of the access. */
  readonly ends: readonly Int32Array[];
}

export class PrefetchAdvice {
  /** URL numbers by access and rank, most probable first. */
  files = new Int32Array(1024);
  /** Size of each file at that time, bytes. */
  bytes = new Float64Array(1024);
  readonly ranks: readonly RankAdvice[];
  readonly #thresholds: readonly number[];
  #length = 0;
  #row = 0;
  #rank = 0;
  /** Number of thresholds that have not yet cut off the current list. */
  #open = 0;

  /** @param thresholds in ascending order @param accesses most accesses between two calls of `begin` */
  constructor(ranks: number, thresholds: readonly number[], accesses: number) {
    this.#thresholds = thresholds;
    this.ranks = Array.from({ length: ranks }, () => ({
      begins: new Int32Array(accesses),
      ends: thresholds.map(() => new Int32Array(accesses)),
    }));
  }

  /** Starts a batch. */
  begin(): void {
    this.#length = 0;
    this.#row = 0;
  }

  /** Starts the list of a rank for the current access. */
  open(rank: number): void {
    this.#rank = rank;
    this.#open = this.#thresholds.length;
    (this.ranks[rank] as RankAdvice).begins[this.#row] = this.#length;
  }

  /** Whether a candidate is above any threshold. From one call to the next, the probability must not rise. */
  exceedsThreshold(probability: number): boolean {
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

  /** Ends the current list. */
  close(): void {
    while (this.#open > 0) this.#cut(--this.#open);
  }

  /** Proceeds to the next access. */
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
  /** w, the window. */
  window: number;
  /** Thresholds in ascending order. */
  thresholds: readonly number[];
  /** Most accesses between two calls of `advice.begin`. */
  batchAccesses: number;
  settings: SimulateSettings;
}

/**
 * Records the advice for a batch of accesses while the log is learned: which clients should prefetch what, by the rules
 * of the service (service-advisor.ts) or by those of the paper (paper-advisor.ts).
 */
export interface Advisor {
  readonly advice: PrefetchAdvice;
  /** Advice in order of rank, with as many ranks as the predictor can distinguish. */
  readonly ranks: readonly RankAdvice[];
  learn(index: number): void;
  /** Called for each access of a batch in turn. */
  learnAndAdvise(index: number): void;
}
