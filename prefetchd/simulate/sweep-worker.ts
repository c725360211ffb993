// A worker thread of a sweep: receives a job, simulates, answers, and waits for the next. See sweep.ts.

import { parentPort, workerData } from 'node:worker_threads';
import { PrefetchdError } from '../errors.ts';
import { simulate } from './simulate.ts';
import type { FromWorker, SweepWorkerData, ToWorker } from './sweep.ts';

const { trace, points, settings } = workerData as SweepWorkerData;
const answer = (message: FromWorker): void => parentPort?.postMessage(message);

parentPort?.on('message', ({ index, job }: ToWorker) => {
  const onProgress = (progress: number, total: number) => answer({ index, progress, total });
  try {
    answer({ index, result: simulate(trace, { ...settings, ...job, points, onProgress }) });
  } catch (error) {
    const { message, stack } = error as Error;
    answer({
      index,
      error: { code: error instanceof PrefetchdError ? error.code : null, message, stack },
    });
  }
});
