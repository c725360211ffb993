// A thread that works, rests and works again, run as a process of its own: 10 ms of processor time, then a rest that is
// the given share of the time this took, so it is late as often as others have the processor, and never behind. Begins
// when a line comes; after five seconds, or when nearly nothing is left, it prints what LoadShedding made of it.

import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as rest } from 'node:timers/promises';
import { lastingLoad } from '../../../process/thread-load.ts';
import { LoadShedding } from '../../../server/hints/load-shedding.ts';

const restShare = Number(process.argv[2]);
const workMs = 10;
/** Where others have the processor, four stretches of its own take long. */
const durationMs = restShare > 0 ? 5000 : 20_000;

function ranMs(): number {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1000;
}

process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.pause();

const work = new LoadShedding(lastingLoad());
const beginMs = performance.now();
while (performance.now() - beginMs < durationMs && work.share > 0.05) {
  const startedMs = performance.now();
  for (const before = ranMs(); ranMs() - before < workMs; );
  const tookMs = performance.now() - startedMs;
  work.look(performance.now());
  if (restShare > 0) await rest(tookMs * restShare);
  else await nextTurn();
}
process.stdout.write(`${work.share}\n`);
