// Measures servers in turn: first at a steady rate, for the cost of a request, then at full speed; a server is idle
// while others are measured. Servers run on the last core, the load generator on the first. All Node servers start
// with V8's largest default young generation, 16 MiB: a bare server would otherwise keep a smaller one that fits the
// processor's cache, which makes it up to a fifth faster until other work makes it grow.

import { fileURLToPath } from 'node:url';
import { LineProcess } from '../processes.ts';
import type { Cell, Column } from '../result.ts';
import { ratios, spreadOf } from '../spread.ts';
import { onCore } from './one-core.ts';
import { type LoadAnswer, load } from './serve-load.ts';

export interface FrontServer extends AsyncDisposable {
  name: string;
  port: number;
  pid: number;
}

export interface FrontSample {
  calm: LoadAnswer;
  most: LoadAnswer;
}

export const calmPerS = 2000;
/** The warm-up gives `hints()` time to adapt to the load (server/hints/load-shedding.ts). */
export const frontLoads = { warmUpS: 3, measuredS: 4, connections: 32 };
const worker = fileURLToPath(new URL('./serve-front-worker.ts', import.meta.url));

/** @param kind of serve-front-worker.ts */
export async function frontServer(
  name: string,
  kind: string,
  { upstream = '', flags = ['--min-semi-space-size=16'] } = {},
): Promise<FrontServer> {
  const args = [...flags, worker, kind, upstream];
  const process_ = new LineProcess(...onCore('last', process.execPath, args));
  const port = Number(await process_.nextLine(60_000));
  return {
    name,
    port,
    pid: process_.child.pid as number,
    [Symbol.asyncDispose]: () => process_[Symbol.asyncDispose](),
  };
}

/** By name. The first round is not counted: it warms up. Each round goes the other way, for a machine that slowly
 *  becomes faster or slower. */
export async function inTurns(
  servers: readonly FrontServer[],
  rounds: number,
  say: (line: string) => void,
): Promise<Map<string, FrontSample[]>> {
  const samples = new Map(servers.map(({ name }) => [name, [] as FrontSample[]]));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, port, pid } of round % 2 === 0 ? servers : servers.toReversed()) {
      say(`${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}: ${name}`);
      const common = { ...frontLoads, port, pid, requests: 'pages', seed: round } as const;
      const calm = await load({ ...common, perS: calmPerS });
      const most = await load({ ...common, seed: round + 1000, perS: null });
      if (round > 0) samples.get(name)?.push({ calm, most });
    }
  }
  return samples;
}

/** Times as many requests a second as another, round by round. */
export function timesAsMany(of: readonly FrontSample[], base: readonly FrontSample[]): number[] {
  const perS = (samples: readonly FrontSample[]) => samples.map(({ most }) => most.perS);
  return ratios(perS(of), perS(base));
}

export function frontRow(name: string, samples: readonly FrontSample[]): Cell[] {
  const cell = (of: (sample: FrontSample) => number) => spreadOf(samples.map(of));
  return [
    name,
    cell(({ most }) => most.perS / 1000),
    cell(({ most }) => most.hinted * 100),
    cell(({ calm }) => calm.cpuUs),
    cell(({ calm }) => calm.hinted * 100),
  ];
}

export const frontColumns: Column[] = [
  { name: 'server', meaning: 'what answers' },
  {
    name: 'most k/s',
    meaning: 'thousands of requests answered a second, as many as it can',
    digits: 1,
  },
  { name: 'hinted %', meaning: 'answers with hints meanwhile', digits: 0 },
  {
    name: 'CPU us',
    meaning: `processor time of the server for a request at ${calmPerS.toLocaleString('en')} a second, us`,
    digits: 0,
  },
  { name: 'hinted % calm', meaning: 'answers with hints at that rate', digits: 0 },
];

export const frontMethod = `Requests are documents of a made-up site (100,000 URLs, 10,000 visitors with addresses and user agents of their own) over ${frontLoads.connections} kept connections; each turn is ${frontLoads.warmUpS} s to warm up and ${frontLoads.measuredS} s at ${calmPerS.toLocaleString('en')} requests a second, evenly spaced, then the same as fast as it answers. Each round goes through the servers the other way. Node's servers have a young generation of 16 MiB from the start (\`--min-semi-space-size=16\`), which is what V8 lets it grow to by default. A prefetchd in the server's process learned 300,000 accesses of the site before.`;
