// What a holdback counted and found, for /metrics. Figures that are not significant yet are absent.

import type { Engine } from '../engine/engine.ts';
import type { Comparison, HoldbackReport, PerArm } from '../holdback/report.ts';
import type { MetricCounter } from './service-options.ts';

const none: PerArm = { hinted: 0, heldBack: 0 };

/** None without a holdback. */
export function holdbackCounters(prefetchd: Engine): MetricCounter[] {
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

const verdicts: ReadonlyArray<HoldbackReport['verdict']> = [
  ...(['too early', 'faster', 'slower', 'no difference'] as const),
];

const bounds = [
  ['', 'Hints less held back', ({ difference }: Comparison) => difference],
  ['_low', '95 % interval, lower end', ({ interval }: Comparison) => interval?.[0]],
  ['_high', '95 % interval, upper end', ({ interval }: Comparison) => interval?.[1]],
] as const;

/** Of all devices; a number that is NaN is left out. */
export function holdbackGauges(prefetchd: Engine): MetricCounter[] {
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
