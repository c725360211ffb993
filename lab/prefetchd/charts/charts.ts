// The paper's figures 10 to 16 for a log (Padmanabhan 1995, 8), and access time against traffic for all predictors,
// as Vega-Lite specifications. svg.ts renders them.
//
//   10, 11  miss rate and traffic over p, a curve for each w; i without limit, simple model
//   12, 13  the same over p for w = 2, a curve for each i
//   14      time to fetch over size: the line used in the simulation, and the measurements
//   15, 16  access time and miss rate over p: timed model beside simple, w = 2 and w = 4
//   traffic the lowest access time for a given increase in traffic, for each predictor

import type { TopLevelSpec } from 'vega-lite';
import {
  type FetchSample,
  type FetchTime,
  fetchTimeMs,
  type Simulation,
  type SimulationPoint,
} from '../../../prefetchd/simulate/index.ts';
import { curveColors } from './chart-colors.ts';
import { curves, levelLine, sheet } from './chart-curves.ts';

export interface ChartData {
  /** Name of the log, shown in the charts. */
  logName: string;
  /** The paper's sweep with its own predictor, simple and timed, savings not capped by the lead. */
  paper: Simulation;
  /** Other predictors, timed, with some of the windows and all p and i of `paper`. */
  others: readonly SimulationPoint[];
  fetchTime: FetchTime;
  /** Measurements, if the log contains durations. */
  samples?: readonly FetchSample[];
  /** Sizes of the simulated files, bytes. */
  sizes: readonly number[];
}

export interface Chart {
  /** Name of the file without extension. */
  name: string;
  spec: TopLevelSpec;
}

const unlimited = 'no limit';
/** "the curves shoot up for smaller values of p" (8.1): the paper plots traffic from this p on. */
const leastTrafficThreshold = 0.3;
const mostSizes = 300;
export function charts(data: ChartData): Chart[] {
  const { paper, logName } = data;
  const { baseline } = paper;
  const simple = paper.points.filter(({ model }) => model === 'simple');
  const free = simple.filter(({ limit }) => limit === null);
  const narrow = simple.filter(({ window }) => window === 2);
  const compared = paper.points.filter(
    ({ window, limit }) => limit === null && (window === 2 || window === 4),
  );
  const noPrefetching = `dashed: without prefetching`;
  const subtitle = (what: string) => [`${logName}; ${what}`];
  return [
    {
      name: 'figure-10-miss-rate-by-window',
      spec: curves({
        title: 'Padmanabhan 1995, figure 10: miss rate of all client caches over the threshold p',
        subtitle: subtitle(`i without limit, simple model; ${noPrefetching}`),
        rows: free.map((point) => ({
          p: point.threshold,
          y: point.missRate,
          series: String(point.window),
        })),
        y: 'block misses / blocks accessed',
        series: 'w',
        level: baseline.missRate,
      }),
    },
    {
      name: 'figure-11-traffic-by-window',
      spec: curves({
        title: 'Padmanabhan 1995, figure 11: traffic added by prefetching over the threshold p',
        subtitle: subtitle('i without limit, simple model; 0.4 means 40 % more bytes'),
        rows: free.filter(isTrafficShown).map((point) => ({
          p: point.threshold,
          y: point.trafficIncrease,
          series: String(point.window),
        })),
        y: 'added bytes / bytes without prefetching',
        series: 'w',
      }),
    },
    {
      name: 'figure-12-miss-rate-by-limit',
      spec: curves({
        title: 'Padmanabhan 1995, figure 12: miss rate over the threshold p for w = 2',
        subtitle: subtitle(`simple model; ${noPrefetching}`),
        rows: narrow.map((point) => ({
          p: point.threshold,
          y: point.missRate,
          series: limitName(point),
        })),
        y: 'block misses / blocks accessed',
        series: 'i',
        level: baseline.missRate,
      }),
    },
    {
      name: 'figure-13-traffic-by-limit',
      spec: curves({
        title: 'Padmanabhan 1995, figure 13: traffic added over the threshold p for w = 2',
        subtitle: subtitle('simple model; the axis is cut at 2'),
        rows: narrow.map((point) => ({
          p: point.threshold,
          y: point.trafficIncrease,
          series: limitName(point),
        })),
        y: 'added bytes / bytes without prefetching',
        series: 'i',
        top: 2,
      }),
    },
    { name: 'figure-14-fetch-time', spec: fetchTimeChart(data) },
    {
      name: 'figure-15-access-time-by-model',
      spec: curves({
        title: 'Padmanabhan 1995, figure 15: average access time over the threshold p',
        subtitle: subtitle(`timed and simple model, i without limit; ${noPrefetching}`),
        rows: compared.map((point) => ({
          p: point.threshold,
          y: point.averageAccessTimeMs / 1000,
          series: modelName(point),
        })),
        y: 'average access time, s',
        series: 'model, w',
        level: baseline.averageAccessTimeMs / 1000,
      }),
    },
    {
      name: 'figure-16-miss-rate-by-model',
      spec: curves({
        title: 'Padmanabhan 1995, figure 16: miss rate over the threshold p',
        subtitle: subtitle(`timed and simple model, i without limit; ${noPrefetching}`),
        rows: compared.map((point) => ({
          p: point.threshold,
          y: point.missRate,
          series: modelName(point),
        })),
        y: 'block misses / blocks accessed',
        series: 'model, w',
        level: baseline.missRate,
      }),
    },
    { name: 'access-time-by-traffic', spec: trafficChart(data) },
  ];
}

/** The points not dominated by another of the same predictor (less time for no more traffic), sorted by traffic. */
export function frontier(points: readonly SimulationPoint[]): SimulationPoint[] {
  const sorted = points.toSorted(
    (left, right) =>
      left.trafficIncrease - right.trafficIncrease ||
      left.averageAccessTimeMs - right.averageAccessTimeMs,
  );
  let leastMs = Number.POSITIVE_INFINITY;
  return sorted.filter(({ averageAccessTimeMs }) => {
    if (averageAccessTimeMs >= leastMs) return false;
    leastMs = averageAccessTimeMs;
    return true;
  });
}

function fetchTimeChart({ logName, fetchTime, samples = [], sizes }: ChartData): TopLevelSpec {
  const shown = evenly(samples.length > 0 ? samples.map(({ bytes }) => bytes) : sizes, mostSizes);
  const most = largeSize(shown);
  const line = [0, most].map((bytes) => ({ bytes, seconds: fetchTimeMs(fetchTime, bytes) / 1000 }));
  const top = 2 * fetchTimeMs(fetchTime, most);
  const drawn = evenly(samples, mostSizes).filter(({ bytes }) => bytes <= most);
  const measured = drawn
    .filter(({ durationMs }) => durationMs <= top)
    .map(({ bytes, durationMs }) => ({ bytes, seconds: durationMs / 1000 }));
  const above = drawn.length - measured.length;
  const unmeasured = shown.filter((bytes) => bytes <= most).map((bytes) => ({ bytes, seconds: 0 }));
  const x = {
    field: 'bytes',
    type: 'quantitative' as const,
    title: 'size, bytes',
    axis: { tickCount: 8, labelExpr: "datum.value === 0 ? '0' : format(datum.value, '~s')" },
  };
  const y = { field: 'seconds', type: 'quantitative' as const, title: 'time to fetch, s' };
  const perByte = (fetchTime.perByteMs / 1000).toExponential(2);
  const formula = `y = ${short(fetchTime.latencyMs / 1000)} s + ${perByte} s per byte`;
  const what =
    measured.length > 0
      ? `dots: ${measured.length} fetches measured${above === 0 ? '' : `, ${above} more lie above`}`
      : 'the log has no durations; ticks at the bottom: sizes of its files';
  const [curveColor, lineColor] = curveColors(2) as [string, string];
  return {
    ...sheet('Padmanabhan 1995, figure 14: time to fetch a file', [
      `the line: ${formula}`,
      logName,
      what,
    ]),
    layer: [
      measured.length > 0
        ? {
            data: { values: measured },
            mark: { type: 'point', size: 12, opacity: 0.5, color: curveColor },
            encoding: { x, y },
          }
        : {
            data: { values: unmeasured },
            mark: { type: 'tick', opacity: 0.3, orient: 'vertical', size: 10, color: curveColor },
            encoding: { x, y },
          },
      { data: { values: line }, mark: { type: 'line', color: lineColor }, encoding: { x, y } },
    ],
  };
}

/** A size above almost all others; a few huge files would compress the rest of the chart. */
function largeSize(sizes: readonly number[]): number {
  const sorted = sizes.toSorted((left, right) => left - right);
  return Math.max(1, sorted[Math.floor(sorted.length * 0.99)] ?? 1);
}

function trafficChart({ logName, paper, others }: ChartData): TopLevelSpec {
  // The comparison is fair only if the paper's predictor has the windows of the others.
  const windows = new Set(others.map(({ window }) => window));
  const own = paper.points.filter(({ window }) => others.length === 0 || windows.has(window));
  const timed = [...own, ...others].filter(({ model }) => model === 'timed');
  const names = [...new Set(timed.map(({ predictor }) => predictor))];
  const rows = names.flatMap((predictor) =>
    frontier(timed.filter((point) => point.predictor === predictor))
      .filter(({ trafficIncrease }) => trafficIncrease <= 2)
      .map((point) => ({
        traffic: point.trafficIncrease,
        seconds: point.averageAccessTimeMs / 1000,
        predictor,
      })),
  );
  return {
    ...sheet('Average access time over added traffic, the best of each predictor', [
      `${logName}; timed model, the best over w, p and i; 0.4 means 40 % more bytes`,
      'dashed: without prefetching; the axis of time does not begin at 0',
    ]),
    layer: [
      {
        data: { values: rows },
        mark: {
          type: 'line',
          point: { filled: true, size: 30 },
          interpolate: 'step-after',
        },
        encoding: {
          x: {
            field: 'traffic',
            type: 'quantitative',
            title: 'added bytes / bytes without prefetching',
            scale: { domain: [0, 2] },
          },
          y: {
            field: 'seconds',
            type: 'quantitative',
            title: 'average access time, s',
            scale: { zero: false },
          },
          color: {
            field: 'predictor',
            type: 'nominal',
            sort: names,
            scale: { range: curveColors(names.length) },
          },
        },
      },
      levelLine(paper.baseline.averageAccessTimeMs / 1000),
    ],
  };
}

function isTrafficShown({ threshold }: SimulationPoint): boolean {
  return threshold >= leastTrafficThreshold;
}

function limitName({ limit }: SimulationPoint): string {
  return limit === null ? unlimited : String(limit);
}

function modelName({ model, window }: SimulationPoint): string {
  return `${model}, w = ${window}`;
}

function evenly<T>(values: readonly T[], most: number): T[] {
  if (values.length <= most) return [...values];
  return Array.from(
    { length: most },
    (_, at) => values[Math.floor((at * values.length) / most)] as T,
  );
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
