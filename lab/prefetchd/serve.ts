// The hint service over HTTP on loopback, with 100,000 URLs in its graph: latency at a steady rate, and maximum
// throughput. A bare node:http server with a fixed response shows how much of that is Node's HTTP and the load
// generator.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LineProcess } from '../processes.ts';
import type { BenchResult, Cell, Column } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { spreadOf } from '../spread.ts';
import { modelSite } from './model-settings.ts';
import { onCore, oneCore } from './one-core.ts';
import { type LoadAnswer, type LoadSettings, load } from './serve-load.ts';
import { mostAccesses, ServeProcess } from './serve-process.ts';
import { agentOf } from './serve-requests.ts';
import { batchOf, siteAccesses, siteUrls } from './site.ts';

export interface ServeBenchSettings {
  rounds: number;
  say: (line: string) => void;
}

interface Round {
  paced: LoadAnswer;
  most: LoadAnswer;
  /** Share of accesses, since the service knew the site, that were learned. */
  learned: number | null;
}

const pacedPerS = 5000;
const mostP99Ms = 2;
const learnedBefore = 300_000;
const connections = 64;
const loads = { warmUpS: 5, pacedS: 20, mostS: 10 };
const bare = 'node:http, fixed answer';
const judged = 'prefetchd serve, sqlite';
const bareWorker = fileURLToPath(new URL('./serve-bare-worker.ts', import.meta.url));

export async function serveBench({ rounds, say }: ServeBenchSettings): Promise<BenchResult> {
  using scratch = new Scratch();
  const ways: Record<string, (round: number) => Promise<Round>> = {
    [bare]: bareRound,
    'prefetchd serve, memory': (round) => serveRound('memory', round),
    [judged]: (round) => serveRound(`sqlite:${join(scratch.path, `round-${round}.db`)}`, round),
  };
  const samples = new Map(Object.keys(ways).map((name) => [name, [] as Round[]]));
  for (let round = 1; round <= rounds; round++) {
    for (const [name, list] of samples) {
      say(`round ${round} of ${rounds}: ${name}`);
      list.push(await (ways[name] as (round: number) => Promise<Round>)(round));
    }
  }
  return {
    name: 'prefetchd-serve',
    title: 'The hint service over HTTP',
    method: [
      `\`prefetchd serve\`, compiled as it is published, default settings, ${oneCore}; the load generator has the first core. The site is that of the predictors in process: ${count(siteUrls(modelSite).length)} URLs, all learned before by POST /v1/accesses, then ${count(learnedBefore)} accesses of ${count(modelSite.visitors)} visitors. Then come POST /v1/hints (learn an access, and answer with its hints) over ${connections} kept connections, one request at a time on each: ${loads.warmUpS} s to warm up, ${loads.pacedS} s at ${count(pacedPerS)} a second, evenly spaced whatever the service does, each latency counted from the moment at which its request was due; then ${loads.mostS} s as many as it answers. A fresh process for each round, ${rounds} rounds, ways in turn. The store in SQLite is on disk and gets each second what was learned.`,
      `${bare}: reads the request and answers a fixed body. Its row tells what of the latency is HTTP in Node, the machine and the load generator.`,
    ],
    tables: [{ title: '', columns, rows: [...samples].map(rowOf) }],
    targets: [
      {
        what: `${judged}: 99th percentile at ${count(pacedPerS)} requests/s`,
        limit: mostP99Ms,
        unit: 'ms',
        digits: 2,
        measured: spreadOf((samples.get(judged) ?? []).map(({ paced }) => paced.latencyMs.p99)),
        judgedBy: 'median',
      },
    ],
  };
}

async function bareRound(round: number): Promise<Round> {
  await using server = new LineProcess(...onCore('last', process.execPath, [bareWorker]));
  const port = Number(await server.nextLine());
  return { ...(await bothLoads(port, server.child.pid as number, round)), learned: null };
}

async function serveRound(store: string, round: number): Promise<Round> {
  await using service = await ServeProcess.start(store);
  await learnSite(service);
  const counts = () =>
    Promise.all(
      ['prefetchd_accesses_total', 'prefetchd_accesses_dropped_total'].map((name) =>
        service.metric(name),
      ),
    );
  const [learnedThen = 0, droppedThen = 0] = await counts();
  const answers = await bothLoads(service.port, service.pid, round);
  const [learned = 0, dropped = 0] = await counts();
  const came = learned + dropped - learnedThen - droppedThen;
  return { ...answers, learned: (learned - learnedThen) / came };
}

async function bothLoads(port: number, pid: number, seed: number) {
  const { warmUpS, pacedS, mostS } = loads;
  const common = { port, pid, requests: 'hints', connections } as const;
  const paced: LoadSettings = { ...common, seed, perS: pacedPerS, warmUpS, measuredS: pacedS };
  const most: LoadSettings = {
    ...common,
    seed: seed + 1000,
    perS: null,
    warmUpS: 2,
    measuredS: mostS,
  };
  return { paced: await load(paced), most: await load(most) };
}

/** Every URL once, each by somebody else; then visitors. */
export async function learnSite(service: ServeProcess): Promise<void> {
  const urls = siteUrls(modelSite);
  const accesses = siteAccesses({ ...modelSite, seed: 7 });
  for (let at = 0; at < urls.length; at += mostAccesses) {
    const some = urls.slice(at, at + mostAccesses);
    await service.learn(some.map((url, index) => ({ client: `first-${at + index}`, url })));
  }
  for (let done = 0; done < learnedBefore; done += mostAccesses) {
    const some = batchOf(accesses, mostAccesses);
    await service.learn(some.map(({ client, url }) => ({ client: agentOf(client), url })));
  }
}

function rowOf([name, rounds]: [string, Round[]]): Cell[] {
  const cell = (of: (round: Round) => number) => spreadOf(rounds.map(of));
  const learned = rounds.flatMap((round) => round.learned ?? []);
  return [
    name,
    cell(({ paced }) => paced.latencyMs.p50),
    cell(({ paced }) => paced.latencyMs.p99),
    cell(({ paced }) => paced.latencyMs.p999),
    cell(({ paced }) => paced.latencyMs.max),
    cell(({ paced }) => paced.cpuUs),
    cell(({ most }) => most.perS / 1000),
    cell(({ most }) => most.cpuUs),
    learned.length === 0 ? null : cell(({ paced }) => paced.hinted * 100),
    learned.length === 0 ? null : spreadOf(learned.map((share) => share * 100)),
  ];
}

const cpuMeaning =
  'processor time of the server for a request, all threads, us; at the steady rate, and at the most';
const columns: Column[] = [
  { name: 'server', meaning: 'what answers' },
  { name: 'p50 ms', meaning: `latency at ${count(pacedPerS)} requests/s, median` },
  { name: 'p99 ms', meaning: '99 of 100 take no longer' },
  { name: 'p99.9 ms', meaning: '999 of 1,000 take no longer' },
  { name: 'max ms', meaning: 'the slowest', digits: 1 },
  { name: 'CPU us', meaning: cpuMeaning, digits: 0 },
  {
    name: 'most k/s',
    meaning: 'thousands of requests answered a second, as many as it can',
    digits: 1,
  },
  { name: 'CPU us at most', meaning: cpuMeaning, digits: 0 },
  { name: 'hinted %', meaning: 'answers with a hint, at the steady rate', digits: 0 },
  {
    name: 'learned %',
    meaning: 'accesses learned; others were over the fair share of their visitor',
    digits: 1,
  },
];

function count(value: number): string {
  return value.toLocaleString('en');
}
