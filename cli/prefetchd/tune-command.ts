// `prefetchd tune LOG...`: a setting for this site, what it gives, and the command line that serves it.

import {
  formatBaseline,
  formatCount,
  formatIncrease,
  formatSaved,
  formatSeconds,
  formatShare,
  wrapped,
} from '../../prefetchd/simulate/report/table.ts';
import type { Simulation, SimulationPoint } from '../../prefetchd/simulate/simulate.ts';
import {
  type TuneObjective,
  type TuneReport,
  tune,
  tuneParts,
  tuneSettings,
} from '../../prefetchd/simulate/tune.ts';
import { CommandError } from '../command-error.ts';
import { npxCommand } from '../npx-command.ts';
import { terminal } from '../output-terminal.ts';
import {
  describeFetchTime,
  type FetchTimeFlags,
  type FetchTimeFound,
  fetchTimes,
} from './fetch-time.ts';
import { describeLog, type LogFlags, readTrace, simulationProgress } from './log-trace.ts';
import { type GridFlags, gridOf } from './simulate-command.ts';

export interface TuneFlags extends LogFlags, GridFlags, FetchTimeFlags {
  maxTraffic: number;
  objective: TuneObjective;
  train: number;
  heldOut: number;
}

/** @returns the exit code */
export async function tuneLog(logs: string[], flags: TuneFlags): Promise<number> {
  const grid = gridOf(flags);
  tuneSettings(flags); // before a long log is read
  const times = await fetchTimes(flags);
  const log = await readTrace(logs, flags);
  const { count } = log.trace;
  const { taught, earlier } = tuneParts(count, flags);
  if (taught === 0 || earlier === taught || earlier === count) {
    throw new CommandError(
      `${count === 1 ? '1 access is' : `${formatCount(count)} accesses are`} too few to tune on: some have to teach, some to pick on, some to be held out`,
      1,
    );
  }
  const fetchTime = times.of(log.trace, taught);
  const progress = simulationProgress(performance.now());
  let report: TuneReport;
  try {
    report = await tune(log.trace, {
      ...grid,
      maxTraffic: flags.maxTraffic,
      objective: flags.objective,
      train: flags.train,
      heldOut: flags.heldOut,
      fetchTime: fetchTime.fetchTime,
      onProgress: progress.onProgress,
    });
  } finally {
    progress.clear();
  }
  const serve = report.picked === null ? null : serveCommand(report.picked, flags.minClients);
  process.stdout.write(
    flags.json
      ? `${JSON.stringify({ ...report, fetchTime: { ...fetchTime.fetchTime, fitted: fetchTime.fitted }, serve }, null, 2)}\n`
      : `${text(describeLog(log), report, fetchTime, serve).join('\n')}\n`,
  );
  return 0;
}

function text(
  log: string,
  report: TuneReport,
  fetchTime: FetchTimeFound,
  serve: string | null,
): string[] {
  const { columns } = terminal(process.stdout);
  const lines = [log, ...rendered(report, fetchTime)].flatMap((line) =>
    line.length <= columns ? [line] : wrapped(line, columns),
  );
  // The command stays in one line: it is to be copied.
  return serve === null ? lines : [...lines, '', serve];
}

function rendered(report: TuneReport, fetchTime: FetchTimeFound): string[] {
  const { parts, picked, heldOut, considered } = report;
  const lines = [
    `${formatCount(parts.taught)} accesses taught, ${formatCount(parts.pickedOn)} picked, ${formatCount(parts.heldOut)} held out; ${formatCount(considered)} settings compared; ${describeFetchTime(fetchTime)}`,
  ];
  if (picked === null) {
    lines.push(
      `nothing saves time within ${formatIncrease(report.maxTraffic - 1)} of traffic: leave prefetching off`,
    );
  }
  return [
    ...lines,
    '',
    `on the accesses held out; without prefetching: ${formatBaseline(heldOut.baseline)}`,
    ...(heldOut.picked === null ? [] : described('picked', heldOut.picked, heldOut.baseline)),
    ...described('default', heldOut.default, heldOut.baseline),
    ...(heldOut.picked === null ? [] : ['', verdict(report)]),
  ];
}

function described(
  name: string,
  point: SimulationPoint,
  baseline: Simulation['baseline'],
): string[] {
  const { predictor, window, threshold, limit } = point;
  const saved = (of: 'documents' | 'objects') =>
    formatSaved(point[of].averageAccessTimeMs, baseline[of].averageAccessTimeMs);
  return [
    `${name.padEnd(8)} ${predictor}, w ${window}, p ${threshold}, i ${limit ?? 'inf'}`,
    `         time ${formatSeconds(point.averageAccessTimeMs)}, saved ${formatSaved(point.averageAccessTimeMs, baseline.averageAccessTimeMs)} (pages ${saved('documents')}, objects ${saved('objects')})`,
    `         traffic ${formatIncrease(point.trafficIncrease)}, ${formatCount(point.prefetches)} prefetches, ${formatShare(point.precision)} of them used`,
  ];
}

function verdict({ beatsDefault, objective, withinTraffic, maxTraffic }: TuneReport): string {
  const what = objective === 'latency' ? 'saves more time than' : 'has more of its hints used than';
  const first = beatsDefault
    ? `the pick ${what} the default`
    : `the pick does not beat the default`;
  const limit = formatIncrease(maxTraffic - 1);
  const second = withinTraffic.picked
    ? `stays within ${limit} of traffic`
    : `does not stay within ${limit} of traffic there`;
  const third = withinTraffic.default ? '' : '; the default does not stay within it';
  return `${first}, and ${second}${third}`;
}

/** What serves the pick. */
export function serveCommand(
  { predictor, window, threshold, limit }: SimulationPoint,
  minClients: number,
): string {
  return npxCommand(
    `prefetchd serve --predictor ${predictor} --window ${window} --threshold ${threshold} --limit ${limit ?? 'inf'} --min-clients ${minClients}`,
  );
}
