// Lines per second for reading a log, and for reading and learning it, compared with a bare regular expression and
// GoAccess, on real logs repeated to sufficient length. The programs alternate, each in a new process, so that
// disturbances affect all alike; ratios are within one round.

import { basename, join } from 'node:path';
import type { BenchResult, Cell, Column, Target } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { ratios, spreadOf } from '../spread.ts';
import {
  type GoAccessWay,
  goAccessCommand,
  goAccessVersion,
  goAccessWays,
  runGoAccess,
} from './goaccess.ts';
import type { LogWorkerAnswer } from './log-worker.ts';
import { type LongLog, writeRepeated } from './long-log.ts';
import { oneCore } from './one-core.ts';
import { measureIn } from './worker.ts';

export interface LogBenchSettings {
  /** Plain or gzip; common or combined. */
  logs: string[];
  /** Each is repeated until it has so many lines. */
  lines: number;
  rounds: number;
  say: (line: string) => void;
}

interface Samples {
  /** Of the pass alone. */
  linesPerS: number[];
  wallMs: number[];
}

const ownWays = {
  'bare regex': 'regex',
  reading: 'read',
  'reading and learning': 'learn',
} as const;
const judged = 'reading and learning';
const leastLinesPerS = 500_000;
const leastRatio = 10;

export async function logBench(settings: LogBenchSettings): Promise<BenchResult> {
  const { logs, rounds, lines } = settings;
  const version = goAccessVersion();
  const theirs = version === null ? [] : (Object.keys(goAccessWays) as GoAccessWay[]);
  const tables: BenchResult['tables'] = [];
  const targets: Target[] = [];
  for (const log of logs) {
    const { long, samples } = await measureLog(log, theirs, settings);
    tables.push({
      title: `${basename(log)} x ${long.copies}: ${count(long.lines)} lines, ${megabytes(long.bytes)} MB, ${long.format} format, each copy ${dayCount(long.shiftDays)} later`,
      columns,
      rows: rowsOf(samples, theirs, version),
    });
    targets.push(...targetsOf(basename(log), samples, theirs));
  }
  return {
    name: 'prefetchd-log',
    title: 'Reading and learning logs',
    method: [
      `Each log is repeated up to ${count(lines)} lines, plain, every copy some whole days later, so that time never jumps back. Every way reads it in a process started for it, ${oneCore}; ways take turns, ${rounds} rounds count, one before them brings the file into memory. Reading is \`readLog\` with its default filter; learning gives each access to a dependency graph with w = 4.`,
      version === null
        ? 'GoAccess is not installed here, so there is nothing of it.'
        : `GoAccess ${version}, the Debian package: \`${goAccessCommand}\`, then \`--process-and-exit\` or \`-o report.json\`. It does another job: it counts visitors, hosts, systems, browsers and referrers, and reports on them; prefetchd drops bots and scans and learns which URL follows which. Both parse every line. Without \`--no-ip-validation\` GoAccess gives up on the EPA log, whose clients have names.`,
    ],
    tables,
    targets,
  };
}

async function measureLog(log: string, theirs: GoAccessWay[], settings: LogBenchSettings) {
  const { lines, rounds, say } = settings;
  using scratch = new Scratch();
  const path = join(scratch.path, 'long.log');
  say(`${basename(log)}: writing ${count(lines)} lines`);
  const long = await writeRepeated(log, path, lines);
  const ways = [...Object.keys(ownWays), ...theirs];
  const samples = new Map(ways.map((way) => [way, { linesPerS: [], wallMs: [] } as Samples]));
  for (let round = 0; round <= rounds; round++) {
    say(`${basename(log)}: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`);
    for (const [way, { linesPerS, wallMs }] of samples) {
      const sample = await once(way, path, long);
      if (round === 0) continue;
      linesPerS.push((long.lines / sample.ms) * 1000);
      wallMs.push(sample.wallMs);
    }
  }
  return { long, samples };
}

async function once(way: string, path: string, { format, lines }: LongLog) {
  if (way in goAccessWays) {
    const wallMs = await runGoAccess(way as GoAccessWay, path, format);
    return { ms: wallMs, wallMs };
  }
  const { answer, wallMs } = await measureIn<LogWorkerAnswer>({
    script: './log-worker.ts',
    args: [ownWays[way as keyof typeof ownWays], path],
    pinned: true,
  });
  if (way !== 'bare regex' && answer.lines !== lines) {
    throw new Error(`${way}: ${answer.lines} lines of ${lines}`);
  }
  return { ms: answer.ms, wallMs };
}

function rowsOf(
  samples: ReadonlyMap<string, Samples>,
  theirs: readonly GoAccessWay[],
  version: string | null,
): Cell[][] {
  const wallOf = (way: string | undefined) => samples.get(way ?? '')?.wallMs;
  const rows = [...samples].map(([way, { linesPerS, wallMs }]): Cell[] => {
    const [parse, report] = theirs.map((their) => wallOf(their));
    const ratio = (base: number[] | undefined) => (base ? spreadOf(ratios(base, wallMs)) : null);
    return [
      way,
      spreadOf(linesPerS.map((each) => each / 1000)),
      spreadOf(wallMs.map((each) => each / 1000)),
      spreadOf(ratios(wallOf('bare regex') ?? [], wallMs)),
      ratio(parse),
      ratio(report),
    ];
  });
  return version === null ? [...rows, ['GoAccess', 'not installed', null, null, null, null]] : rows;
}

function targetsOf(
  log: string,
  samples: ReadonlyMap<string, Samples>,
  theirs: readonly GoAccessWay[],
): Target[] {
  const ours = samples.get(judged) as Samples;
  return [
    {
      what: `${log}: ${judged}`,
      limit: leastLinesPerS / 1000,
      bound: 'at least',
      unit: 'k lines/s',
      digits: 0,
      measured: spreadOf(ours.linesPerS.map((each) => each / 1000)),
      judgedBy: 'median',
    },
    ...theirs.map(
      (way): Target => ({
        what: `${log}: ${judged}, times as fast as ${way}`,
        limit: leastRatio,
        bound: 'at least',
        unit: '',
        measured: spreadOf(ratios((samples.get(way) as Samples).wallMs, ours.wallMs)),
        judgedBy: 'median',
      }),
    ),
  ];
}

const columns: Column[] = [
  { name: 'way', meaning: 'what goes through the log' },
  {
    name: 'k lines/s',
    meaning:
      'thousands of lines a second, from opening the log to its last line; of GoAccess the whole process',
    digits: 0,
  },
  { name: 'process s', meaning: 'the whole process, its start included, s' },
  { name: 'x regex', meaning: 'times as fast as the bare regular expression, process by process' },
  {
    name: 'x GoAccess',
    meaning: 'times as fast as GoAccess that parses and exits, process by process, in one round',
  },
  { name: 'x its report', meaning: 'the same with GoAccess writing a JSON report' },
];

function count(value: number): string {
  return value.toLocaleString('en');
}

function dayCount(days: number): string {
  return days === 1 ? 'a day' : `${days} days`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
