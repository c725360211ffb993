// Cost of `app.use(hints())` for a minimal server: hello world with node:http and Express, with and without it.

import type { BenchResult, Target } from '../result.ts';
import { ratios, spreadOf } from '../spread.ts';
import { oneCore } from './one-core.ts';
import {
  type FrontSample,
  frontColumns,
  frontMethod,
  frontRow,
  frontServer,
  inTurns,
  timesAsMany,
} from './serve-front.ts';

export interface MiddlewareBenchSettings {
  rounds: number;
  say: (line: string) => void;
}

const leastRatio = 0.95;
const sites = { http: 'node:http', express: 'Express 5' } as const;
/** Of a server without hints, beside it. */
const asItStarts = 'young generation as it comes';
const variants = { hints: 'hints()', 'hints always': 'hints(), never too busy' } as const;

export async function middlewareBench(settings: MiddlewareBenchSettings): Promise<BenchResult> {
  const { rounds } = settings;
  const samples = new Map<string, FrontSample[]>();
  for (const [site, siteName] of Object.entries(sites)) {
    for (const [name, list] of await samplesOf(site, siteName, settings)) samples.set(name, list);
  }
  return {
    name: 'prefetchd-middleware',
    title: 'The middleware',
    method: [
      `Hello world, 49 bytes of HTML, from one Node process ${oneCore}, with \`hints()\` and without, in turns, ${rounds} rounds. ${frontMethod}`,
      `A busy server keeps the work of \`hints()\` to the time that is left: of its visitors, those that are learned and hinted become fewer until the event loop waits for a fifth of the time, which in a server that answers all it can is nobody after two seconds and a half. That is the default, and its row; the warm-up is over by then. "Never too busy" has this switched off (\`load: () => 0\`), so that every request is learned and hinted; the CPU columns have what that costs, at a rate where nobody is busy.`,
      `"With a ${asItStarts}" is the bare server as Node starts it: while nothing survives in it, its young generation is of a few MiB and stays in the processor's cache. It grows in any program that keeps something, one with a prefetchd in it among them, so the others are compared at the size that it grows to; the difference is this row's.`,
    ],
    tables: [
      {
        title: '',
        columns: [
          ...frontColumns,
          {
            name: 'ratio',
            meaning: 'most k/s over that of the same server without hints, round by round',
          },
          {
            name: 'CPU ratio',
            meaning: 'CPU us over that of the same server without hints, round by round',
          },
        ],
        rows: [...samples].map(([name, list]) => [
          ...frontRow(name, list),
          spreadOf(timesAsMany(list, baseOf(name, samples))),
          spreadOf(timesTheCpu(list, baseOf(name, samples))),
        ]),
      },
    ],
    targets: [...samples]
      .filter(([name]) => name.endsWith(` with ${variants.hints}`))
      .map(
        ([name, list]): Target => ({
          what: `${name}: requests/s over those without`,
          limit: leastRatio,
          bound: 'at least',
          unit: '',
          measured: spreadOf(timesAsMany(list, baseOf(name, samples))),
          judgedBy: 'median',
        }),
      ),
  };
}

/** Few servers at a time: what one that is silent still does (its timers, its garbage) falls on the others. */
async function samplesOf(
  site: string,
  siteName: string,
  { rounds, say }: MiddlewareBenchSettings,
): Promise<Map<string, FrontSample[]>> {
  await using stack = new AsyncDisposableStack();
  const servers = [
    stack.use(await frontServer(siteName, site)),
    stack.use(await frontServer(`${siteName} with a ${asItStarts}`, site, { flags: [] })),
  ];
  for (const [variant, variantName] of Object.entries(variants)) {
    const name = `${siteName} with ${variantName}`;
    servers.push(stack.use(await frontServer(name, `${site} ${variant}`)));
  }
  return await inTurns(servers, rounds, say);
}

function timesTheCpu(of: readonly FrontSample[], base: readonly FrontSample[]): number[] {
  const cpuUs = (samples: readonly FrontSample[]) => samples.map(({ calm }) => calm.cpuUs);
  return ratios(cpuUs(of), cpuUs(base));
}

function baseOf(name: string, samples: ReadonlyMap<string, FrontSample[]>): FrontSample[] {
  return samples.get(name.replace(/ with .*/, '')) as FrontSample[];
}
