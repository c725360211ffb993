// What a holdback counted and found, for /metrics. Figures that are not significant yet are absent.

import type { Engine } from '../engine/engine.ts';
import type { HoldbackReport, Measure } from '../holdback/report.ts';
import type { MetricCounter } from './service-options.ts';

/** A gauge with values by `label`; a value that is NaN is left out. */
export interface MetricGauge {
  name: string;
  help: string;
  label?: string;
  read: () => number | Readonly<Record<string, number>>;
}

/** Counters of the holdback; none without a holdback. */
export function holdbackCounters({ holdback }: Engine): MetricCounter[] {
  if (holdback === null) return [];
  return [
    {
      name: 'prefetchd_holdback_visitors_total',
      help: 'Visitors with a beacon, with hints or held back; a visitor counts each day.',
      label: 'arm',
      read: () => holdback.sizes().visitors,
    },
    {
      name: 'prefetchd_holdback_navigations_total',
      help: 'Navigations to pages that were hinted, or would have been.',
      label: 'arm',
      read: () => holdback.sizes().navigations,
    },
    {
      name: 'prefetchd_holdback_instant_navigations_total',
      help: 'Of these, with the first byte within 100 ms.',
      label: 'arm',
      read: () => holdback.sizes().instant,
    },
  ];
}

const verdicts: readonly HoldbackReport['verdict'][] = [
  ...(['too early', 'faster', 'slower', 'no difference'] as const),
];

const bounds = [
  { suffix: '', said: 'Hints less held back', of: ({ difference }: Measure) => difference },
  {
    suffix: '_low',
    said: '95 % interval, lower end',
    of: ({ interval }: Measure) => interval?.[0],
  },
  {
    suffix: '_high',
    said: '95 % interval, upper end',
    of: ({ interval }: Measure) => interval?.[1],
  },
];

/** Gauges of the holdback, for all devices together. */
export function holdbackGauges(prefetchd: Engine): MetricGauge[] {
  if (prefetchd.holdback === null) return [];
  const report = reportOfScrape(prefetchd);
  const measures = () => report()?.hinted[0]?.measures.filter(({ isEarly }) => !isEarly) ?? [];
  return [
    {
      name: 'prefetchd_holdback_verdict',
      help: '1: what the report says; it is too early for all else.',
      label: 'verdict',
      read: () =>
        Object.fromEntries(verdicts.map((one) => [one, Number(report()?.verdict === one)])),
    },
    {
      name: 'prefetchd_holdback_uneven',
      help: '1: one group is smaller than it should be, and the rest is not to be trusted.',
      read: () => Number(report()?.isUneven === true),
    },
    ...bounds.flatMap(({ suffix, said, of }) => [
      {
        name: `prefetchd_holdback_difference${suffix}_seconds`,
        help: `${said}: of pages that were hinted, or would have been.`,
        label: 'measure',
        read: () =>
          Object.fromEntries(
            measures()
              .filter((measure) => measure.of !== 'instant')
              .map((measure) => [nameOf(measure), (of(measure) ?? Number.NaN) / 1000]),
          ),
      },
      {
        name: `prefetchd_holdback_instant_difference${suffix}_ratio`,
        help: `${said}: share of these with the first byte within 100 ms.`,
        read: () => {
          const instant = measures().find((measure) => measure.of === 'instant');
          return (instant && of(instant)) ?? Number.NaN;
        },
      },
    ]),
  ];
}

const nameOf = ({ of, percentile }: Measure) => `${of}_${percentile === 50 ? 'median' : 'p75'}`;

/** The gauges of one scrape share a report, because making one takes some ms. */
function reportOfScrape(prefetchd: Engine): () => HoldbackReport | null {
  let report: HoldbackReport | null | undefined;
  return () => {
    if (report === undefined) {
      report = prefetchd.report();
      setImmediate(() => {
        report = undefined;
      });
    }
    return report;
  };
}
