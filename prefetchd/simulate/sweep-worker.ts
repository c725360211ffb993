// A worker thread of a sweep: simulates one job and answers. See sweep.ts.

import { parentPort, workerData } from 'node:worker_threads';
import { simulate } from './simulate.ts';
import type { FromWorker, SweepWork } from './sweep.ts';

const { trace, job } = workerData as SweepWork;
const answer = (message: FromWorker): void => parentPort?.postMessage(message);
const onProgress = (done: number, total: number) => answer({ done, total });
answer(simulate(trace, { ...job, onProgress }));
