// Log-driven simulation (Padmanabhan 1995, 8) of one predictor with one window w, for many points (p, i, timing
// model) in one pass. The first part of the log is for training; on the rest, prediction, prefetching and learning
// run together, and each client has a cache, empty at first. There is no GETALL or GETLIST, because logs have none
// (8). By the rules of the service only people prefetch (trace.ts) and enter the figures; robots are only learned from.
//
// Candidates depend only on the log: p ends their sorted list and i truncates it. A batch of accesses is therefore
// learned once and its candidates recorded (advice.ts); then every point replays the batch with its own caches.
// Points share only the candidates, so the results do not depend on how many points or threads run together.

import type { PredictorName } from '../model/index.ts';
import { hintRanks } from '../wire/index.ts';
import type { Advisor, RankAdvice } from './advice.ts';
import { ClientSlots } from './client-slots.ts';
import { PageClicks, type PageFigures } from './page-clicks.ts';
import { PaperAdvisor } from './paper-advisor.ts';
import { type FileDemand, PointRun } from './point-run.ts';
import { ServiceAdvisor } from './service-advisor.ts';
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
  pointFigures,
  type RunFigures,
  type WithKinds,
} from './tally.ts';
import type { Trace } from './trace.ts';
import { TraceReader } from './trace-reader.ts';

export interface SimulationPoint extends WithKinds<RunFigures> {
  predictor: PredictorName;
  model: PointSpec['model'];
  /** w, the window. */
  window: number;
  /** p: documents with a probability above this are hinted. */
  threshold: number;
  /** Threshold p of objects; absent: `threshold`. */
  objectThreshold?: number;
  /** i: most hints; null: no limit. */
  limit: number | null;
  /** Figures of pages, only with the rules of the service. */
  pages?: PageFigures;
}

export interface Simulation {
  baseline: WithKinds<BaselineFigures>;
  /** Points in the requested order. */
  points: SimulationPoint[];
}

export interface SimulateJob extends SimulateOptions {
  predictor: PredictorName;
  /** w, the window. */
  window: number;
  points: readonly PointSpec[];
  /** Called from time to time with the accesses processed and their total. */
  onProgress?: (accesses: number, total: number) => void;
}

/** Accesses learned, advised and replayed at a time. */
const batchAccesses = 4096;
/** Status of a response with the whole page. */
const complete = 200;

/** @throws PrefetchdError `invalid-option`, `unknown-predictor` */
export function simulate(trace: Trace, job: SimulateJob): Simulation {
  const { predictor, window, points, onProgress, ...options } = job;
  checkPoints(points);
  const settings = simulateSettings(options);
  const { from, to } = splitOf(trace.count, settings);
  const given = points.flatMap(({ threshold, objectThreshold = threshold }) => [
    threshold,
    objectThreshold,
  ]);
  const thresholds = [...new Set(given)].sort((a, b) => a - b);
  const AdvisorOf = settings.rules === 'paper' ? PaperAdvisor : ServiceAdvisor;
  const advisor = new AdvisorOf(trace, { predictor, window, thresholds, batchAccesses, settings });
  const slots = new ClientSlots(trace.clients, settings.maxClients);
  const made = (model: PointSpec['model']) =>
    new PointRun({ ...settings, model, clients: slots.count, isDocument: trace.isDocument });
  const baseline = made('simple');
  const runs = points.map((point) => ({
    run: made(point.model),
    cuts: cutsOf(point, thresholds),
    limit: point.limit ?? Number.POSITIVE_INFINITY,
  }));

  for (let start = 0; start < from; start += batchAccesses) {
    const end = Math.min(from, start + batchAccesses);
    for (let index = start; index < end; index++) advisor.learn(index);
    onProgress?.(end, to);
  }
  const clicks =
    settings.rules === 'paper'
      ? null
      : new PageClicks(runs.map(({ cuts, limit }) => ({ cut: cuts[0] as number, limit })));
  const batch = new AccessBatch(trace, slots, settings.rules === 'service');
  for (let start = from; start < to; start += batchAccesses) {
    const end = Math.min(to, start + batchAccesses);
    batch.read(start, end);
    advisor.advice.begin();
    for (let index = start; index < end; index++) advisor.learnAndAdvise(index);
    walkBaseline(batch, baseline);
    if (clicks !== null) followVisits(trace, batch, advisor, clicks);
    for (const { run, cuts, limit } of runs) walk(batch, advisor, run, cuts, limit);
    onProgress?.(end, to);
  }
  for (const { run } of runs) run.finish(slots.count);
  const pages = clicks?.finish() ?? null;
  return {
    baseline: baselineFigures(baseline.tallies),
    points: points.map(({ model, threshold, objectThreshold, limit }, index) => {
      const { tallies } = (runs[index] as { run: PointRun }).run;
      return {
        predictor,
        model,
        window,
        threshold,
        ...(objectThreshold !== undefined && { objectThreshold }),
        limit,
        ...pointFigures(tallies, baseline.tallies),
        ...(pages !== null && { pages: pages[index] as PageFigures }),
      };
    }),
  };
}

/** For each rank, the index of the threshold that applies at this point. */
function cutsOf(
  { threshold, objectThreshold = threshold }: PointSpec,
  thresholds: number[],
): number[] {
  const [pages, objects] = [thresholds.indexOf(threshold), thresholds.indexOf(objectThreshold)];
  return hintRanks.map((rank) => (rank === 0 ? pages : objects));
}

/** Consecutive accesses: the client slot of each, and whether it missed without prefetching. */
class AccessBatch {
  count = 0;
  readonly slot = new Int32Array(batchAccesses);
  readonly file = new Int32Array(batchAccesses);
  readonly bytes = new Float64Array(batchAccesses);
  readonly timeMs = new Float64Array(batchAccesses);
  readonly status = new Uint16Array(batchAccesses);
  readonly taken = new Uint8Array(batchAccesses);
  readonly wouldMiss = new Uint8Array(batchAccesses);
  readonly #reader: TraceReader;
  readonly #slots: ClientSlots;
  readonly #ofPeople: boolean;

  constructor(trace: Trace, slots: ClientSlots, ofPeople: boolean) {
    this.#reader = new TraceReader(trace);
    this.#slots = slots;
    this.#ofPeople = ofPeople;
  }

  read(start: number, end: number): void {
    const reader = this.#reader;
    this.count = end - start;
    for (let row = 0; row < this.count; row++) {
      reader.seek(start + row);
      this.file[row] = reader.url;
      this.bytes[row] = reader.bytes;
      this.timeMs[row] = reader.timeMs;
      this.status[row] = reader.status;
      if (this.#ofPeople && !reader.isOfPerson) {
        this.slot[row] = nobody;
        continue;
      }
      this.slot[row] = this.#slots.assign(reader.client);
      this.taken[row] = this.#slots.taken ? 1 : 0;
    }
  }

  /** The access in a row, for a run, which first forgets the client that had the slot before. */
  demand(row: number, run: PointRun): FileDemand {
    const client = this.slot[row] as number;
    if (this.taken[row] === 1) run.forget(client);
    return {
      client,
      file: this.file[row] as number,
      bytes: this.bytes[row] as number,
      nowMs: this.timeMs[row] as number,
      wouldMiss: this.wouldMiss[row] === 1,
    };
  }
}

function followVisits(
  trace: Trace,
  batch: AccessBatch,
  { ranks, advice }: Advisor,
  clicks: PageClicks,
): void {
  for (let row = 0; row < batch.count; row++) {
    const slot = batch.slot[row] as number;
    if (slot === nobody) continue;
    if (batch.taken[row] === 1) clicks.forget(slot);
    const file = batch.file[row] as number;
    const nowMs = batch.timeMs[row] as number;
    const bytes = batch.status[row] === complete ? (batch.bytes[row] as number) : 0;
    if (trace.isDocument[file] === 0) {
      clicks.stay(slot, bytes, nowMs);
      continue;
    }
    clicks.open(slot, file, trace.isPage[file] === 1, bytes, nowMs);
    clicks.offer(slot, row, ranks[0] as RankAdvice, advice.files, advice.bytes);
  }
}

/** Stands in place of the slot for a robot, which prefetches nothing. */
const nobody = -1;

function walkBaseline(batch: AccessBatch, run: PointRun): void {
  for (let row = 0; row < batch.count; row++) {
    if (batch.slot[row] === nobody) continue;
    batch.wouldMiss[row] = 0;
    run.demand(batch.demand(row, run));
    batch.wouldMiss[row] = run.missed ? 1 : 0;
  }
}

function walk(
  batch: AccessBatch,
  advisor: Advisor,
  run: PointRun,
  cuts: readonly number[],
  limit: number,
): void {
  const { ranks } = advisor;
  const { files, bytes } = advisor.advice;
  for (let row = 0; row < batch.count; row++) {
    if (batch.slot[row] === nobody) continue;
    const demand = batch.demand(row, run);
    run.demand(demand);
    const { client, nowMs } = demand;
    let left = limit;
    for (const [rank, { begins, ends }] of ranks.entries()) {
      const begin = begins[row] as number;
      const cut = (ends[cuts[rank] as number] as Int32Array)[row] as number;
      const end = Math.min(cut, begin + left);
      for (let at = begin; at < end; at++) {
        run.advise(client, files[at] as number, bytes[at] as number, nowMs);
      }
      left -= end - begin;
    }
  }
}
