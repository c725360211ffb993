// Quality of `prefetchd tune`: its pick compared with the default setting, on the held-out last part of each log.

import {
  defaultSetting,
  type TuneReport,
  tune,
  tuneDefaults,
} from '../../prefetchd/simulate/index.ts';
import type { BenchResult, Cell, Column } from '../result.ts';
import { change } from './finding.ts';
import { realLog } from './real-log.ts';
import { sweepProgress } from './sweep-progress.ts';

export interface TuneBenchSettings {
  logs: string[];
  say: (line: string) => void;
}

type Point = TuneReport['heldOut']['default'];

export async function tuneBench({ logs, say }: TuneBenchSettings): Promise<BenchResult> {
  const rows: Cell[][] = [];
  for (const path of logs) {
    const { name, trace } = await realLog(path);
    const report = await tune(trace, { onProgress: sweepProgress(name, say) });
    rows.push(...rowsOf(name, report));
  }
  const { predictor, window, threshold, limit } = defaultSetting;
  const { heldOut, train, maxTraffic, windows, thresholds, limits, predictors } = tuneDefaults;
  const settings = predictors.length * windows.length * thresholds.length * limits.length;
  const parts = [(1 - heldOut) * train, (1 - heldOut) * (1 - train), heldOut];
  return {
    name: 'prefetchd-tune',
    title: "tune's advice against the default",
    method: [
      `\`prefetchd tune LOG\`: the first ${shares(parts, 0)} of a log's accesses teach, on the next ${shares(parts, 1)} each of ${settings.toLocaleString('en')} settings is simulated with the rules of the service, and the one that hints most clicks to another page within ${change(maxTraffic - 1)} bytes of pages is picked. Here are that pick and the default (${predictor}, w ${window}, p ${threshold}, i ${limit}) on the last ${shares(parts, 2)}, which may only veto a pick that exceeds the traffic there.`,
    ],
    tables: [{ title: '', columns, rows }],
    targets: [],
  };
}

function rowsOf(log: string, report: TuneReport): Cell[][] {
  const { picked, default: byDefault } = report.heldOut;
  const row = (setting: string, point: Point, verdict: string): Cell[] => [
    log,
    setting,
    point.predictor,
    point.window,
    point.threshold,
    point.limit ?? 'inf',
    ...pageCells(point),
    verdict,
  ];
  return [
    ...(picked === null
      ? [[log, 'advised', 'none', null, null, null, null, null, null, verdictOf(report)]]
      : [row('advised', picked, verdictOf(report))]),
    row('default', byDefault, report.withinTraffic.default ? '' : 'exceeds the traffic allowed'),
  ];
}

/** Said of the advised setting. */
function verdictOf({ heldOut, beatsDefault, withinTraffic }: TuneReport): string {
  if (heldOut.picked === null) return 'no setting helps within the traffic allowed';
  const better = beatsDefault
    ? 'hints more than the default'
    : '**hints no more than the default**';
  return withinTraffic.picked ? better : `${better}, **exceeds the traffic allowed**`;
}

/** Per cent of the clicks hinted, of the hints opened, and of bytes added. */
function pageCells({ pages }: Point): Cell[] {
  if (pages === undefined) return [null, null, null];
  const { clicks, hintedClicks, hints, unusedHints, byteIncrease } = pages;
  const percent = (part: number, of: number) => (of === 0 ? null : (100 * part) / of);
  return [percent(hintedClicks, clicks), percent(hints - unusedHints, hints), 100 * byteIncrease];
}

function shares(parts: readonly number[], at: number): string {
  return `${((parts[at] as number) * 100).toFixed(0)} %`;
}

const columns: Column[] = [
  { name: 'log', meaning: 'read with the default filter' },
  { name: 'setting', meaning: 'the pick of tune, or the default', text: true },
  { name: 'predictor', meaning: 'by its name on the command line', text: true },
  { name: 'w', meaning: 'window: accesses looked back at', digits: 0 },
  { name: 'p', meaning: 'only what is more probable is hinted' },
  { name: 'i', meaning: 'hints at most', digits: 0 },
  { name: 'hinted %', meaning: 'of the clicks to another page: hinted before', digits: 1 },
  { name: 'opened %', meaning: 'of the hinted pages', digits: 0 },
  { name: 'bytes %', meaning: 'hinted pages that nobody opened, of all bytes', digits: 1 },
  { name: 'verdict', meaning: 'by the part held out', text: true },
];
