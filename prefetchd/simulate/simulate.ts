// Log-driven simulation (Padmanabhan 1995, 8) of one predictor with one window w, for many points
// (p, i, timing model) in one pass. The log's first part teaches; on the rest prediction, prefetching
// and learning go on together, while each client has a cache.
//
// What is predicted depends on the log alone, not on p and i: p ends the sorted list of candidates and
// i cuts it. So a batch of accesses is learned and its candidates are written down once; then every
// point walks the batch with its own caches. Points share nothing but the candidates: evaluated
// together or one by one, in one thread or many, they give the same.
//
// Without GETALL and GETLIST: logs have none (8). A cache starts empty where the simulated part starts.

import type { Access } from '../access.ts';
import { candidateSource } from '../model/candidates.ts';
import { createPredictor, type PredictorName } from '../model/index.ts';
import { queryMayBeHinted } from '../normalise-url.ts';
import { ClientSlots } from './client-slots.ts';
import { graphCaps } from './graph-caps.ts';
import {
  checkPoints,
  type PointSpec,
  type SimulateOptions,
  type SimulateSettings,
  simulateSettings,
  splitOf,
} from './options.ts';
import { PointRun } from './point-run.ts';
import {
  type BaselineFigures,
  baselineFigures,
  type Figures,
  pointFigures,
  type WithKinds,
} from './tally.ts';
import type { Trace } from './trace.ts';

export interface SimulationPoint extends WithKinds<Figures> {
  predictor: PredictorName;
  model: PointSpec['model'];
  /** w */
  window: number;
  /** p */
  threshold: number;
  /** i; null: no limit. */
  limit: number | null;
}

export interface Simulation {
  baseline: WithKinds<BaselineFigures>;
  /** In the order asked for. */
  points: SimulationPoint[];
}

export interface SimulateJob extends SimulateOptions {
  predictor: PredictorName;
  /** w */
  window: number;
  points: readonly PointSpec[];
  /** Told now and then: accesses gone through, of how many. */
  onProgress?: (accesses: number, total: number) => void;
}

const batchAccesses = 4096;

/** @throws PrefetchdError `invalid-option`, `unknown-predictor` */
export function simulate(trace: Trace, job: SimulateJob): Simulation {
  const { predictor, window, points, onProgress, ...options } = job;
  checkPoints(points);
  const settings = simulateSettings(options);
  const { from, to } = splitOf(trace.count, settings);
  const thresholds = [...new Set(points.map(({ threshold }) => threshold))].sort((a, b) => a - b);
  const advisor = new Advisor(trace, predictor, window, thresholds, settings);
  const slots = new ClientSlots(trace.clients, settings.maxClients);
  const made = (model: PointSpec['model']) =>
    new PointRun({ ...settings, model, clients: slots.count, isDocument: trace.isDocument });
  const baseline = made('simple');
  const runs = points.map((point) => ({
    run: made(point.model),
    row: thresholds.indexOf(point.threshold),
    limit: point.limit ?? Number.POSITIVE_INFINITY,
  }));

  for (let start = 0; start < from; start += batchAccesses) {
    const end = Math.min(from, start + batchAccesses);
    for (let index = start; index < end; index++) advisor.learn(index);
    onProgress?.(end, to);
  }
  const batch = new Batch(slots);
  for (let start = from; start < to; start += batchAccesses) {
    const end = Math.min(to, start + batchAccesses);
    batch.assign(trace, start, end);
    advisor.begin();
    for (let index = start; index < end; index++) advisor.learnAndAdvise(index);
    walkBaseline(trace, batch, baseline);
    for (const { run, row, limit } of runs) walk(trace, batch, advisor, run, row, limit);
    onProgress?.(end, to);
  }
  for (const { run } of runs) run.finish(slots.count);
  return {
    baseline: baselineFigures(baseline.tallies),
    points: points.map(({ model, threshold, limit }, index) => ({
      predictor,
      model,
      window,
      threshold,
      limit,
      ...pointFigures((runs[index] as { run: PointRun }).run.tallies, baseline.tallies),
    })),
  };
}

/** Some accesses in a row: whose slot each uses, and whether it missed without prefetching. */
class Batch {
  start = 0;
  end = 0;
  readonly slot = new Int32Array(batchAccesses);
  readonly taken = new Uint8Array(batchAccesses);
  readonly wouldMiss = new Uint8Array(batchAccesses);
  readonly #slots: ClientSlots;

  constructor(slots: ClientSlots) {
    this.#slots = slots;
  }

  assign(trace: Trace, start: number, end: number): void {
    this.start = start;
    this.end = end;
    for (let index = start; index < end; index++) {
      this.slot[index - start] = this.#slots.assign(trace.client[index] as number);
      this.taken[index - start] = this.#slots.taken ? 1 : 0;
    }
  }
}

/** Learns the log and writes down, for a batch of accesses, who should prefetch what. */
class Advisor {
  /** Numbers of URLs, best first, access after access. */
  files = new Int32Array(1024);
  /** Size of each at that moment. */
  bytes = new Float64Array(1024);
  /** By threshold and access: where its advice ends. */
  readonly ends: Int32Array[];
  /** By access: where its advice begins. */
  readonly begins = new Int32Array(batchAccesses);

  readonly #trace: Trace;
  readonly #predictor: ReturnType<typeof createPredictor>;
  readonly #source: ReturnType<typeof candidateSource>;
  /** Rising. */
  readonly #thresholds: readonly number[];
  readonly #clientNames: string[] = [];
  readonly #numberOfUrl: ReadonlyMap<string, number>;
  /** By the predictor's id: number of the URL, as last seen. */
  readonly #numberOfId: number[] = [];
  readonly #size: Float64Array;
  #length = 0;
  #row = 0;

  constructor(
    trace: Trace,
    predictor: PredictorName,
    window: number,
    thresholds: readonly number[],
    settings: SimulateSettings,
  ) {
    this.#trace = trace;
    this.#predictor = createPredictor(predictor, {
      ...graphCaps(trace, window),
      ...settings.predictorOptions,
      mayHint: settings.hintQueries ? () => true : queryMayBeHinted(),
      window,
    });
    this.#source = candidateSource(this.#predictor);
    this.#thresholds = thresholds;
    this.#numberOfUrl = new Map(trace.urls.map((url, number) => [url, number]));
    this.#size = new Float64Array(trace.urls.length);
    this.ends = thresholds.map(() => new Int32Array(batchAccesses));
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
    const least = this.#thresholds[0] as number;
    const { length, ids, probabilities } = this.#source.candidates(access, least);
    const row = this.#row++;
    const start = this.#length;
    this.begins[row] = start;
    let count = 0;
    while (count < length && (probabilities[count] as number) > least) {
      this.#write(this.#urlNumber(ids[count] as number));
      count++;
    }
    for (let at = 0; at < this.#thresholds.length; at++) {
      const threshold = this.#thresholds[at] as number;
      while (count > 0 && !((probabilities[count - 1] as number) > threshold)) count--;
      (this.ends[at] as Int32Array)[row] = start + count;
    }
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

function walkBaseline(trace: Trace, batch: Batch, run: PointRun): void {
  for (let index = batch.start; index < batch.end; index++) {
    const row = index - batch.start;
    const slot = batch.slot[row] as number;
    if (batch.taken[row] === 1) run.forget(slot);
    const bytes = trace.bytes[index] as number;
    run.demand(slot, trace.url[index] as number, bytes, trace.timeMs[index] as number, false);
    batch.wouldMiss[row] = run.missed ? 1 : 0;
  }
}

function walk(
  trace: Trace,
  batch: Batch,
  advisor: Advisor,
  run: PointRun,
  thresholdRow: number,
  limit: number,
): void {
  const { begins, files, bytes } = advisor;
  const ends = advisor.ends[thresholdRow] as Int32Array;
  for (let index = batch.start; index < batch.end; index++) {
    const row = index - batch.start;
    const slot = batch.slot[row] as number;
    if (batch.taken[row] === 1) run.forget(slot);
    const nowMs = trace.timeMs[index] as number;
    const wouldMiss = batch.wouldMiss[row] === 1;
    run.demand(slot, trace.url[index] as number, trace.bytes[index] as number, nowMs, wouldMiss);
    const begin = begins[row] as number;
    const end = Math.min(ends[row] as number, begin + limit);
    for (let at = begin; at < end; at++) {
      run.advise(slot, files[at] as number, bytes[at] as number, nowMs);
    }
  }
}
