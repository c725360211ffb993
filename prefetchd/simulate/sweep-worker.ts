// Runs in a worker thread of a sweep: simulates its jobs and answers. See sweep.ts.

import { parentPort, workerData } from 'node:worker_threads';
import { runJobs, type SweepWork } from './sweep.ts';

runJobs(workerData as SweepWork, (message) => parentPort?.postMessage(message));
