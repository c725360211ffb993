// One pass over a log in a separate process: node log-worker.ts regex|read|learn LOG

import { readLog } from '../../prefetchd/log/index.ts';
import { type Access, createPredictor } from '../../prefetchd/model/index.ts';
import { readByRegex } from './log-regex-reader.ts';

export interface LogWorkerAnswer {
  /** From before the log is opened to after its last line; neither Node's start nor loading is in it. */
  ms: number;
  lines: number;
  accesses: number;
}

const ways: Record<string, (log: string) => Promise<Omit<LogWorkerAnswer, 'ms'>>> = {
  regex: async (log) => {
    const lines = await readByRegex(log);
    return { lines, accesses: lines };
  },
  read: (log) => read(log, () => {}),
  learn: (log) => {
    const graph = createPredictor('dependency-graph', { window: 4 });
    return read(log, (access) => graph.observe(access));
  },
};

async function read(log: string, take: (access: Access) => void) {
  let accesses = 0;
  const reading = readLog([log]);
  for await (const batch of reading) {
    accesses += batch.length;
    for (const access of batch) take(access);
  }
  return { lines: reading.statistics.lines, accesses };
}

const [way = '', log = ''] = process.argv.slice(2);
const pass = ways[way];
if (pass === undefined) throw new Error(`no way ${way}; there are ${Object.keys(ways).join(', ')}`);
const startMs = performance.now();
const counted = await pass(log);
const answer: LogWorkerAnswer = { ms: performance.now() - startMs, ...counted };
process.stdout.write(JSON.stringify(answer));
