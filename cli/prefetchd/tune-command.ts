// `prefetchd tune LOG...`: chooses settings for the site of the log, and prints what they gain and the command to serve
// hints with them.

import { plural } from '../../loader/report/units.ts';
import { prefetchdDefaults } from '../../prefetchd/engine/prefetchd-options.ts';
import {
  describePages,
  formatCount,
  formatIncrease,
  formatSaved,
  formatSeconds,
  formatShare,
  wrapped,
} from '../../prefetchd/simulate/report.ts';
import type { SimulationPoint } from '../../prefetchd/simulate/simulate.ts';
import type { TuneOptions } from '../../prefetchd/simulate/simulate-options.ts';
import { type TuneReport, tune, tuneParts, tuneSettings } from '../../prefetchd/simulate/tune.ts';
import { CommandError } from '../command-error.ts';
import { terminal } from '../output-terminal.ts';
import { progressLine } from '../progress.ts';
import { nextCommand } from '../run-command.ts';
import {
  describeFetchTime,
  type FetchTimeFlags,
  type FoundFetchTime,
  fetchTimes,
} from './fetch-time.ts';
import { type LogFlags, readTrace } from './read-logs.ts';
import { type GridFlags, gridOf } from './simulate-command.ts';

export type TuneFlags = LogFlags &
  GridFlags &
  FetchTimeFlags &
  Pick<TuneOptions, 'maxTraffic' | 'objective' | 'train' | 'heldOut'>;

/** Runs `prefetchd tune`. @returns the exit code */
export async function tuneLog(logs: string[], flags: TuneFlags): Promise<number> {
  const { minClients = prefetchdDefaults.minClients } = flags;
  // The options are checked before a long log is read.
  const { maxTraffic, objective, train, heldOut } = flags;
  const options = tuneSettings({ ...gridOf(flags), maxTraffic, objective, train, heldOut });
  const fetchTimeOf = await fetchTimes(flags);
  const { trace, description } = await readTrace(logs, flags);
  const count = trace.accesses.length;
  const { taught, earlier } = tuneParts(count, options);
  if (taught === 0 || earlier === taught || earlier === count) {
    throw new CommandError(
      `${plural(count, 'access is', 'accesses are')} too few to tune on: some have to teach, some to pick on, some to be held out`,
      1,
    );
  }
  const found = fetchTimeOf(trace, taught);
  const { fetchTime, fitted } = found;
  const progress = progressLine('simulating');
  const report = await tune(trace, {
    ...options,
    engineOptions: { minClients },
    fetchTime,
    onProgress: ({ done, total }) => progress.show(done / total),
  }).finally(progress.clear);
  const serve = report.picked === null ? null : serveBetter(report, minClients);
  if (flags.json) {
    const told = { ...report, fetchTime: { ...fetchTime, fitted }, serve };
    process.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
    return 0;
  }
  const { columns } = terminal(process.stdout);
  const lines = [...description, ...rendered(report, found)].flatMap((line) =>
    line.length <= columns ? [line] : wrapped(line, columns),
  );
  // The command stays on one line, so that it can be copied.
  process.stdout.write(`${[...lines, ...(serve === null ? [] : ['', serve])].join('\n')}\n`);
  return 0;
}

function rendered(report: TuneReport, fetchTime: FoundFetchTime): string[] {
  const { parts, picked, heldOut, considered, objective } = report;
  const timed = objective === 'all' ? `; ${describeFetchTime(fetchTime)}` : '';
  const lines = [
    `${formatCount(parts.taught)} accesses taught, ${formatCount(parts.pickedOn)} picked, ${formatCount(parts.heldOut)} held out; ${formatCount(considered)} settings compared${timed}`,
  ];
  if (picked === null) {
    lines.push(
      '',
      `no setting helps here within ${formatIncrease(report.maxTraffic - 1)} of traffic: leave prefetching off, or try again with a longer log`,
    );
  }
  return [
    ...lines,
    '',
    'on the accesses held out:',
    ...(heldOut.picked === null ? [] : described('picked', heldOut.picked, report)),
    ...described('default', heldOut.default, report),
    ...(heldOut.picked === null ? [] : ['', verdict(report)]),
  ];
}

function described(
  name: string,
  point: SimulationPoint,
  { objective, heldOut: { baseline } }: TuneReport,
): string[] {
  const { predictor, window, threshold, limit, pages } = point;
  const saved = (of: 'documents' | 'objects') => formatSaved(point[of], baseline[of]);
  const told =
    objective === 'pages' && pages !== undefined
      ? describePages(pages)
      : [
          `time ${formatSeconds(point.averageAccessTimeMs)}, saved ${formatSaved(point, baseline)} (pages ${saved('documents')}, objects ${saved('objects')})`,
          `traffic ${formatIncrease(point.trafficIncrease)}, ${formatCount(point.prefetches)} prefetches, ${formatShare(point.precision)} of them used`,
        ];
  return [
    `${name.padEnd(8)} ${predictor}, w ${window}, p ${threshold}, i ${limit ?? 'inf'}`,
    ...told.map((line) => `         ${line}`),
  ];
}

function verdict(report: TuneReport): string {
  const { beatsDefault, isChance, objective, withinTraffic, maxTraffic } = report;
  const what =
    objective === 'pages' ? 'hints more clicks for its hints in vain than' : 'saves more time than';
  const first = beatsDefault
    ? `the pick ${what} the default`
    : isChance && servesDefault(report)
      ? `${againstEachOther(report)}the difference may be chance: serve the default`
      : servesDefault(report)
        ? 'the pick does not beat the default: serve the default'
        : 'the pick does not beat the default';
  const second = withinTraffic.default
    ? ''
    : `; the default does not stay within ${formatIncrease(maxTraffic - 1)} of traffic`;
  return `${first}${second}`;
}

/** Compares the best setting found with the default, by the clicks that were hinted and the unused hints, as `46 of 213
 *  clicks (30 hints in vain) against 43 (40): `. */
function againstEachOther({ heldOut: { picked, default: byDefault } }: TuneReport): string {
  const [one, other] = [picked?.pages, byDefault.pages];
  if (one === undefined || other === undefined) return '';
  return `${formatCount(one.hintedClicks)} of ${formatCount(one.clicks)} clicks (${formatCount(one.unusedHints)} hints in vain) against ${formatCount(other.hintedClicks)} (${formatCount(other.unusedHints)}): `;
}

/** Returns whether to recommend the default: it is no worse than the best setting found, and adds no undue traffic. */
function servesDefault({ beatsDefault, withinTraffic }: TuneReport): boolean {
  return !beatsDefault && withinTraffic.default;
}

/** Returns the `prefetchd serve` command, to be copied, with the best setting found or, if no worse, the default. */
function serveBetter(report: TuneReport, minClients: number): string {
  if (servesDefault(report)) return nextCommand('prefetchd', 'serve');
  return serveCommand(report.picked as SimulationPoint, minClients);
}

/** Returns the `prefetchd serve` command with the settings of one simulated combination. */
export function serveCommand(
  { predictor, window, threshold, limit }: SimulationPoint,
  minClients: number,
): string {
  return nextCommand(
    'prefetchd',
    `serve --predictor ${predictor} --window ${window} --threshold ${threshold} --limit ${limit ?? 'inf'} --min-clients ${minClients}`,
  );
}
