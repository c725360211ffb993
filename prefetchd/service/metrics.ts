// Answers GET /metrics with the counters of prefetchd (Prometheus naming: unit and `_total` in the name). They are read
// at each request, so nothing is counted twice; only request durations are collected here.

import type { Engine } from '../engine/engine.ts';
import type { PrefetchdStats } from '../engine/prefetchd.ts';
import { objectThresholdOf } from '../engine/prefetchd-options.ts';
import type { Comparison, HoldbackReport, PerArm } from '../holdback/report.ts';
import { Histogram, type Metric, metricText } from './exposition.ts';
import { processCounters, processGauges } from './process-metrics.ts';

/** A metric that is read from the figures of the engine. */
interface EngineMetric extends Omit<Metric, 'read'> {
  read(stats: PrefetchdStats): ReturnType<Metric['read']>;
}

type Stats = PrefetchdStats;
const counters: readonly EngineMetric[] = (
  [
    ['accesses', 'Accesses learned.', (of: Stats) => of.learned, 'kind'],
    ['accesses_dropped', 'Accesses not learned.', (of: Stats) => of.notLearned, 'reason'],
    ['hints_given', 'Hints given to clients that were named.', (of: Stats) => of.hints.given],
    ['hints_taken', 'Hints that a prefetch followed.', (of: Stats) => of.hints.taken],
    ['hints_used', 'Hints whose URL was asked for in time.', (of: Stats) => of.hints.used],
    ['hints_unknown', 'Prefetched pages, perhaps shown.', (of: Stats) => of.hints.unknown],
    ['hints_wasted', 'Hints not asked for in time.', (of: Stats) => of.hints.wasted],
    ['store_flushes', 'Times what was learned was stored.', (of: Stats) => of.store.flushes],
    ['store_failures', 'Times the store failed.', (of: Stats) => of.store.failures],
  ] as const
).map(([name, help, read, label]) => ({
  name: `prefetchd_${name}_total`,
  help,
  read,
  ...(label && { label }),
}));

function gauges(prefetchd: Engine, now: () => number): EngineMetric[] {
  return [
    {
      name: 'prefetchd_hint_precision_ratio',
      help: 'Hints used, of those used or wasted; absent before the first.',
      read: ({ hints: { used, wasted } }) => used / (used + wasted),
    },
    { name: 'prefetchd_graph_nodes', help: 'URLs in the graph.', read: ({ nodes }) => nodes },
    { name: 'prefetchd_graph_arcs', help: 'Arcs in the graph.', read: ({ arcs }) => arcs },
    {
      name: 'prefetchd_store_healthy',
      help: '1: the last thing asked of the store succeeded, or there is none.',
      read: ({ store }) => Number(store.isHealthy),
    },
    {
      name: 'prefetchd_store_last_flush_age_seconds',
      help: 'Time since what was learned went to the store; absent before the first time.',
      read: ({ store: { lastFlushMs } }) =>
        lastFlushMs === null ? Number.NaN : (now() - lastFlushMs) / 1000,
    },
    {
      name: 'prefetchd_event_loop_load_ratio',
      help: 'Share of time in which the process did not wait; hints get fewer from 0.7 on.',
      read: ({ load }) => load,
    },
    {
      name: 'prefetchd_tuning_threshold_ratio',
      help: 'p: only documents that are more probable are hinted.',
      read: () => prefetchd.tuning.threshold,
    },
    {
      name: 'prefetchd_tuning_object_threshold_ratio',
      help: 'p of embedded objects.',
      read: () => objectThresholdOf(prefetchd.tuning.threshold),
    },
    {
      name: 'prefetchd_tuning_window_accesses',
      help: 'w: accesses that a window holds.',
      read: () => prefetchd.tuning.window,
    },
    {
      name: 'prefetchd_tuning_limit_hints',
      help: 'i: hints at most; +Inf: no limit.',
      read: () => prefetchd.tuning.limit ?? Number.POSITIVE_INFINITY,
    },
  ];
}

const none: PerArm = { hinted: 0, heldBack: 0 };

/** Returns the counters of the holdback (some visitors get no hints, for comparison); none if there is no holdback. */
function holdbackCounters(prefetchd: Engine): Metric[] {
  if (prefetchd.holdback === null) return [];
  return [
    {
      name: 'prefetchd_holdback_visitors_total',
      help: 'Visitors with a beacon, with hints or held back; a visitor counts each day.',
      label: 'arm',
      read: () => prefetchd.report()?.visitors ?? none,
    },
    {
      name: 'prefetchd_holdback_navigations_total',
      help: 'Navigations to pages that were hinted, or would have been.',
      label: 'arm',
      read: () => prefetchd.report()?.hinted[0]?.navigations ?? none,
    },
  ];
}

const verdicts: HoldbackReport['verdict'][] = ['too early', 'faster', 'slower', 'no difference'];

const bounds = [
  ['', 'Hints less held back', ({ difference }: Comparison) => difference],
  ['_low', '95 % interval, lower end', ({ interval }: Comparison) => interval?.[0]],
  ['_high', '95 % interval, upper end', ({ interval }: Comparison) => interval?.[1]],
] as const;

/** Metrics that compare visitors with and without hints, on all devices; one not computable yet has no sample. */
function holdbackGauges(prefetchd: Engine): Metric[] {
  if (prefetchd.holdback === null) return [];
  const measures = () =>
    (prefetchd.report()?.hinted[0]?.measures ?? []).filter(({ isEarly }) => !isEarly);
  return [
    {
      name: 'prefetchd_holdback_verdict',
      help: '1: what the report says; it is too early for all else.',
      label: 'verdict',
      read() {
        const said = prefetchd.report()?.verdict;
        return Object.fromEntries(verdicts.map((one) => [one, Number(said === one)]));
      },
    },
    {
      name: 'prefetchd_holdback_uneven',
      help: '1: one group is smaller than it should be, and the rest is not to be trusted.',
      read: () => Number(prefetchd.report()?.isUneven === true),
    },
    ...bounds.flatMap(([suffix, said, of]) => [
      {
        name: `prefetchd_holdback_difference${suffix}_seconds`,
        help: `${said}: of pages that were hinted, or would have been.`,
        label: 'measure',
        read() {
          const times = measures().filter((measure) => measure.of !== 'instant');
          return Object.fromEntries(times.map((one) => [one.of, (of(one) ?? Number.NaN) / 1000]));
        },
      },
      {
        name: `prefetchd_holdback_instant_difference${suffix}_ratio`,
        help: `${said}: share of these with the first byte within 100 ms.`,
        read() {
          const instant = measures().find((measure) => measure.of === 'instant');
          return (instant && of(instant)) ?? Number.NaN;
        },
      },
    ]),
  ];
}

const durationBounds = [
  0.0001, 0.00025, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5,
];

export interface Metrics {
  /** Returns all metrics in the text format of Prometheus (exposition.ts). */
  text(): string;
  /** Counts a response of a route; to be called for each response. */
  answered(route: string, status: number, seconds: number): void;
  /** Counts a request that was not admitted (admission.ts); to be called for each such request. */
  refused(reason: string): void;
}

/** Makes the metrics of the service. @param more Metrics of other parts, such as a proxy in the same process */
export function createMetrics(
  prefetchd: Engine,
  now: () => number,
  more: readonly Metric[] = [],
): Metrics {
  const refusals: Record<string, number> = {};
  const durations = new Histogram(
    'prefetchd_request_duration_seconds',
    'From the head of a request to the end of its answer.',
    durationBounds,
  );
  const ofEngine = (metrics: readonly EngineMetric[]): Metric[] =>
    metrics.map((metric) => ({ ...metric, read: () => metric.read(prefetchd.stats()) }));
  const all = [
    ...ofEngine(counters),
    ...holdbackCounters(prefetchd),
    ...more,
    {
      name: 'prefetchd_requests_refused_total',
      help: 'Requests that were not let in, by reason.',
      label: 'reason',
      read: () => refusals,
    },
    ...processCounters(),
    ...ofEngine(gauges(prefetchd, now)),
    ...holdbackGauges(prefetchd),
    ...processGauges(),
  ];
  return {
    text: () => [...all.map(metricText), durations.text()].join('\n'),
    answered: (route, status, seconds) => durations.observe({ route, code: `${status}` }, seconds),
    refused(reason) {
      refusals[reason] = (refusals[reason] ?? 0) + 1;
    },
  };
}
