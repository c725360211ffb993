// Runs in a worker thread of a sweep: simulates the jobs that it gets and sends back the results. See sweep.ts.

import { parentPort, workerData } from 'node:worker_threads';
import { runJobs, type SweepWork } from './sweep.ts';

runJobs(workerData as SweepWork, (message) => parentPort?.postMessage(message));
