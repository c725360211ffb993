// Log-driven simulation (Padmanabhan 1995, 8) of one predictor with one window w, for many points (p, i, timing
// model) in one pass. The first part of the log is for training; on the rest, prediction, prefetching and learning
// run together, and each client has a cache, empty at first. There is no GETALL or GETLIST, because logs have none
// (8).
//
// Candidates depend on the log alone: p ends their sorted list and i truncates it. A batch of accesses is therefore
// learned once and its candidates recorded (advisor.ts); then every point replays the batch with its own caches.
// Points share only the candidates, so results are the same one by one or together, in one thread or many.

import type { PredictorName } from '../model/index.ts';
import { Advisor } from './advisor.ts';
import { ClientSlots } from './client-slots.ts';
import { PointRun } from './point-run.ts';
import {
  checkPoints,
  type PointSpec,
  type SimulateOptions,
  simulateSettings,
  splitOf,
} from './simulate-options.ts';
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
  /** In the requested order. */
  points: SimulationPoint[];
}

export interface SimulateJob extends SimulateOptions {
  predictor: PredictorName;
  /** w */
  window: number;
  points: readonly PointSpec[];
  /** Called from time to time with the accesses processed and their total. */
  onProgress?: (accesses: number, total: number) => void;
}

/** Accesses learned, advised and replayed at a time. */
const batchAccesses = 4096;

/** @throws PrefetchdError `invalid-option`, `unknown-predictor` */
export function simulate(trace: Trace, job: SimulateJob): Simulation {
  const { predictor, window, points, onProgress, ...options } = job;
  checkPoints(points);
  const settings = simulateSettings(options);
  const { from, to } = splitOf(trace.count, settings);
  const thresholds = [...new Set(points.map(({ threshold }) => threshold))].sort((a, b) => a - b);
  const advisor = new Advisor(trace, { predictor, window, thresholds, batchAccesses, settings });
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

/** Consecutive accesses: the client slot of each, and whether it missed without prefetching. */
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
  const { advice, files, bytes } = advisor;
  for (let index = batch.start; index < batch.end; index++) {
    const row = index - batch.start;
    const slot = batch.slot[row] as number;
    if (batch.taken[row] === 1) run.forget(slot);
    const nowMs = trace.timeMs[index] as number;
    const wouldMiss = batch.wouldMiss[row] === 1;
    run.demand(slot, trace.url[index] as number, trace.bytes[index] as number, nowMs, wouldMiss);
    let left = limit;
    for (const { begins, ends } of advice) {
      const begin = begins[row] as number;
      const end = Math.min((ends[thresholdRow] as Int32Array)[row] as number, begin + left);
      for (let at = begin; at < end; at++) {
        run.advise(slot, files[at] as number, bytes[at] as number, nowMs);
      }
      left -= end - begin;
    }
  }
}
