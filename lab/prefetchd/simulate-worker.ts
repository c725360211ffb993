// One simulated point (w 4, p 0.5, i 3) in a separate process, reported as JSON:
//   node simulate-worker.ts simple|timed LOG [ACCESSES RUNS]
// The log of a day is repeated up to ACCESSES.

import { simulate, timingModels } from '../../prefetchd/simulate/index.ts';
import { realLog, repeatedLog } from './real-log.ts';

export interface Taken {
  wallMs: number;
  /** Of all threads. */
  cpuMs: number;
}

export interface SimulateWorkerAnswer {
  accesses: number;
  clients: number;
  reading: Taken;
  /** One after the other; the first compiles. */
  simulating: Taken[];
  peakBytes: number;
}

async function taken<T>(work: () => Promise<T>): Promise<{ value: T; time: Taken }> {
  const startMs = performance.now();
  const start = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(start);
  const time = { wallMs: performance.now() - startMs, cpuMs: (user + system) / 1000 };
  return { value, time };
}

const [modelName, log = '', accesses, runs = '1'] = process.argv.slice(2);
const model = timingModels.find((name) => name === modelName);
if (model === undefined) throw new Error(`no model ${modelName}`);
const { value: trace, time: reading } = await taken(async () =>
  accesses === undefined ? (await realLog(log)).trace : repeatedLog(log, Number(accesses)),
);
const simulating: Taken[] = [];
for (let run = 0; run < Number(runs); run++) {
  const points = [{ model, threshold: 0.5, limit: 3 }];
  const job = { predictor: 'dependency-graph', window: 4, points } as const;
  simulating.push((await taken(async () => simulate(trace, job))).time);
}
const answer: SimulateWorkerAnswer = {
  accesses: trace.accesses.length,
  clients: trace.clients.length,
  reading,
  simulating,
  peakBytes: process.resourceUsage().maxRSS * 1024,
};
process.stdout.write(JSON.stringify(answer));
