// What the holdback reports of the visitors, beside what was measured in their browsers from outside.

import type { Cell, Table } from '../../result.ts';
import { addressOf } from './measure.ts';
import { instantPercent, type Outcome } from './table.ts';
import type { Navigation } from './visitor.ts';

const compared = ['instant', 'ttfb', 'lcp'] as const;
type Compared = (typeof compared)[number];

export function holdbackTables(outcomes: readonly Outcome[]): Table[] {
  if (outcomes.length === 0) return [];
  return [
    {
      title: 'What the holdback reports, beside what was measured',
      columns: [
        { name: 'Cache-Control', meaning: 'of the pages', text: true },
        {
          name: 'what',
          meaning:
            'of a run of its own, with twice as many visitors and `holdback: 50`: visitors with hints less those held back',
          text: true,
        },
        { name: 'reported', meaning: 'by the holdback: ms, or percentage points', digits: 0 },
        { name: 'from', meaning: 'lower end of its 95 % interval', digits: 0 },
        { name: 'to', meaning: 'upper end', digits: 0 },
        { name: 'measured', meaning: 'in the browsers', digits: 0 },
        { name: 'inside', meaning: 'measured, within the interval', text: true },
      ],
      rows: outcomes.flatMap(rowsOf),
    },
  ];
}

function rowsOf({ cacheControl, measured }: Outcome): Cell[][] {
  const { holdback } = measured.site;
  if (holdback === undefined) return [];
  const isHeldBack = (visitor: number) => holdback.heldBack.includes(addressOf(visitor));
  const hinted = measured.visitors.filter((_, visitor) => !isHeldBack(visitor)).flat();
  const heldBack = measured.visitors.filter((_, visitor) => isHeldBack(visitor)).flat();
  const measures = holdback.report.all.find(({ device }) => device === 'all')?.measures ?? [];
  return compared.map((of) => {
    const found = measures.find((each) => each.of === of);
    const scale = of === 'instant' ? 100 : 1;
    const difference = statisticOf(hinted, of) - statisticOf(heldBack, of);
    const [from, to] = (found?.interval ?? [Number.NaN, Number.NaN]).map((end) => scale * end);
    const isInside = difference >= (from ?? 0) && difference <= (to ?? 0);
    return [
      cacheControl ?? '-',
      of === 'instant' ? 'instant' : `${of.toUpperCase()}, mean`,
      found?.difference == null ? null : scale * found.difference,
      ...[from, to].map((end) => (Number.isFinite(end) ? (end as number) : null)),
      difference,
      isInside ? 'yes' : 'no',
    ];
  });
}

function statisticOf(navigations: readonly Navigation[], of: Compared): number {
  if (of === 'instant') return instantPercent(navigations) ?? Number.NaN;
  const values = navigations.map(({ ttfbMs, lcpMs }) => (of === 'lcp' ? lcpMs : ttfbMs));
  const known = values.filter((ms) => ms !== null);
  return known.reduce((sum, ms) => sum + ms, 0) / known.length;
}
