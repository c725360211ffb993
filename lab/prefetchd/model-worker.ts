// Cost of one predictor, in a separate process: node --expose-gc model-worker.ts PREDICTOR
//
// It first interns all URLs of the site, then learns, then times each access. Accesses are generated outside the
// timed parts, in batches; before each timed part, the compiler is warmed up.

import { createPredictor, isPredictorName, type Predictor } from '../../prefetchd/model/index.ts';
import { modelCounts, modelPredict, modelSite, modelWindow } from './model-settings.ts';
import { batchOf, siteAccesses, siteUrls } from './site.ts';

export interface ModelWorkerAnswer {
  observesPerS: number;
  predictUs: Percentiles;
  /** Observe and predict. */
  bothUs: Percentiles;
  /** By which learning made the process grow. */
  bytes: number;
  /** Null: the predictor does not tell. */
  arcs: number | null;
}

export interface Percentiles {
  p50: number;
  p99: number;
  p9999: number;
}

const batchAccesses = 10_000;
const accesses = siteAccesses(modelSite);

function learnUrls(predictor: Predictor): void {
  const [any] = batchOf(accesses, 1);
  for (const url of siteUrls(modelSite)) {
    if (any !== undefined) predictor.observe({ ...any, url, client: url });
  }
}

/** @returns time in `observe`, ms */
function learn(predictor: Predictor, count: number): number {
  let ms = 0;
  for (let done = 0; done < count; done += batchAccesses) {
    const batch = batchOf(accesses, batchAccesses);
    const startMs = performance.now();
    for (const access of batch) predictor.observe(access);
    ms += performance.now() - startMs;
  }
  return ms;
}

function timeEach(predictor: Predictor, count: number) {
  const predictUs = new Float64Array(count);
  const bothUs = new Float64Array(count);
  for (let done = 0; done < count; ) {
    for (const access of batchOf(accesses, batchAccesses)) {
      const startMs = performance.now();
      predictor.observe(access);
      const observedMs = performance.now();
      predictor.predict(access, modelPredict);
      const endMs = performance.now();
      predictUs[done] = (endMs - observedMs) * 1000;
      bothUs[done++] = (endMs - startMs) * 1000;
    }
  }
  return { predictUs: percentiles(predictUs), bothUs: percentiles(bothUs) };
}

function percentiles(values: Float64Array): Percentiles {
  const sorted = values.toSorted();
  const at = (share: number) => sorted[Math.floor(share * sorted.length)] as number;
  return { p50: at(0.5), p99: at(0.99), p9999: at(0.9999) };
}

function memoryBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const [name = ''] = process.argv.slice(2);
if (!isPredictorName(name)) throw new Error(`no predictor ${name}`);
batchOf(accesses, batchAccesses);
const bytesBefore = memoryBytes();
const predictor = createPredictor(name, { window: modelWindow });
learnUrls(predictor);
learn(predictor, modelCounts.warmUp);
const learningMs = learn(predictor, modelCounts.learned);
const bytes = memoryBytes() - bytesBefore;
timeEach(predictor, modelCounts.timed / 2);
const answer: ModelWorkerAnswer = {
  observesPerS: (modelCounts.learned / learningMs) * 1000,
  ...timeEach(predictor, modelCounts.timed),
  bytes,
  arcs: name === 'dependency-graph' ? predictor.graph.size : null,
};
process.stdout.write(JSON.stringify(answer));
