// What was measured as tables and targets: pure.

import type { Cell, Column, Table, Target } from '../../result.ts';
import { spreadOf } from '../../spread.ts';
import type { Measured } from './measure.ts';
import { type Pattern, patterns, type VisitorsSite } from './site.ts';
import { type Variant, withoutHints } from './variants.ts';
import type { Navigation } from './visitor.ts';

/** A click that waits no longer than this for the first byte is instant. */
const instantMs = 100;
const thirds = 3;

/** One variant with pages of one lifetime. */
export interface Outcome {
  variant: Variant;
  cacheControl: string | null;
  measured: Measured;
}

export function tablesOf(outcomes: readonly Outcome[], site: VisitorsSite): Table[] {
  const visitors = outcomes[0]?.measured.visitors.length ?? 0;
  return [
    { title: '', columns: columnsFor(visitors), rows: outcomes.map(rowOf(outcomes)) },
    {
      title: 'By the page that was left',
      columns: [
        ...what,
        ...patterns.map(
          (pattern): Column => ({
            name: `${pattern} %`,
            meaning: 'share of the clicks made on such a page that were instant',
            digits: 0,
          }),
        ),
      ],
      rows: outcomes.map(({ variant, cacheControl, measured }) => [
        variant.label,
        cacheControl ?? '-',
        ...patterns.map((pattern) => sharesOn(pattern, measured, site)),
      ]),
    },
  ];
}

const what: Column[] = [
  {
    name: 'variant',
    meaning:
      'what the site does; document rule, and three popular pages at once: rules in its HTML, without prefetchd',
    text: true,
  },
  { name: 'Cache-Control', meaning: 'of its pages', text: true },
];

function columnsFor(visitors: number): Column[] {
  const instant = `clicks whose page waited no longer than ${instantMs} ms for its first byte (from activation, if it was prerendered), of visitors in the order in which they came`;
  const ends = Array.from({ length: thirds }, (_, third) => [
    Math.floor((third * visitors) / thirds) + 1,
    Math.floor(((third + 1) * visitors) / thirds),
  ]);
  return [
    ...what,
    ...ends.map(
      ([first, last]): Column => ({
        name: `instant ${first}-${last} %`,
        meaning: instant,
        digits: 0,
      }),
    ),
    { name: 'instant %', meaning: 'the same, of all visitors', digits: 0 },
    {
      name: 'ahead %',
      meaning:
        'clicks whose page came from a prefetch, finished or not, or from the HTTP cache; the machine being busy changes it little',
      digits: 0,
    },
    { name: 'prerendered %', meaning: 'clicks on a page that was prerendered', digits: 0 },
    {
      name: 'extra requests %',
      meaning: 'requests for pages at the site over those without hints, less 1',
      digits: 0,
    },
    {
      name: 'extra bytes %',
      meaning:
        'bytes from the site to the visitors, fields and rules included, over those without hints, less 1',
      digits: 0,
    },
    ...['TTFB', 'LCP'].flatMap((name): Column[] => [
      { name: `${name} ms`, meaning: 'median of all clicks', digits: 0 },
      { name: `${name} p75 ms`, meaning: 'three quarters of the clicks took no longer', digits: 0 },
    ]),
  ];
}

const rowOf =
  (outcomes: readonly Outcome[]) =>
  (outcome: Outcome): Cell[] => {
    const { variant, cacheControl, measured } = outcome;
    const { visitors } = measured;
    const all = visitors.flat();
    const each = Array.from({ length: thirds }, (_, third) => instantOfThird(third, measured));
    const lcp = all.map(({ lcpMs }) => lcpMs).filter((ms) => ms !== null);
    return [
      variant.label,
      cacheControl ?? '-',
      ...each,
      instantPercent(all),
      percentOf(all, ({ delivery }) => delivery !== ''),
      percentOf(all, ({ prerendered }) => prerendered),
      extraPercent(outcomes, outcome, ({ site }) => site.pages),
      extraPercent(outcomes, outcome, ({ bytes }) => bytes),
      ...[all.map(({ ttfbMs }) => ttfbMs), lcp].flatMap((values) =>
        [0.5, 0.75].map((share) => quantile(values, share)),
      ),
    ];
  };

/** @param third 0 to 2, of the visitors in the order in which they came */
function instantOfThird(third: number, { visitors }: Measured): number | null {
  const [from, to] = [third, third + 1].map((at) => Math.floor((at * visitors.length) / thirds));
  return instantPercent(visitors.slice(from, to).flat());
}

function sharesOn(pattern: Pattern, { visitors }: Measured, site: VisitorsSite): number | null {
  return instantPercent(
    visitors.flat().filter(({ from }) => site.pages.get(from)?.pattern === pattern),
  );
}

export const instantPercent = (navigations: readonly Navigation[]) =>
  percentOf(navigations, ({ ttfbMs }) => ttfbMs <= instantMs);

/** null: of nothing. */
function percentOf<T>(items: readonly T[], isSo: (item: T) => boolean): number | null {
  return items.length === 0 ? null : (100 * items.filter(isSo).length) / items.length;
}

/** null: what to compare with was not measured. */
function extraPercent(
  outcomes: readonly Outcome[],
  { measured, cacheControl }: Outcome,
  value: (measured: Measured) => number,
): number | null {
  const base = find(outcomes, withoutHints, cacheControl);
  return base === undefined ? null : 100 * (value(measured) / value(base.measured) - 1);
}

export function quantile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

const find = (outcomes: readonly Outcome[], name: string, cacheControl: string | null) =>
  outcomes.find((each) => each.variant.name === name && each.cacheControl === cacheControl);

/** Those of the variants that were measured. */
export function targetsOf(outcomes: readonly Outcome[]): Target[] {
  return outcomes.flatMap((outcome) => {
    const { variant, cacheControl, measured } = outcome;
    const instant = instantPercent(measured.visitors.flat());
    const extra = extraPercent(outcomes, outcome, ({ site }) => site.pages);
    if (instant === null || extra === null) return [];
    const pages = cacheControl === null ? 'no Cache-Control' : cacheControl;
    const target = (what: string, bound: 'at least' | 'at most', limit: number, value: number) => ({
      what: `${what}: ${variant.label}, ${pages}`,
      ...{ bound, limit: Math.round(limit), unit: '%', digits: 0 },
      ...{ measured: spreadOf([value]), judgedBy: 'median' as const },
    });
    if (variant.name === 'learned') {
      return [
        target('instant', 'at least', 45, instant),
        target('extra requests', 'at most', 60, extra),
        target(
          'instant in the last third of the visitors, at least as in the first',
          ...(['at least', instantOfThird(0, measured) ?? 0] as const),
          instantOfThird(thirds - 1, measured) ?? 0,
        ),
      ];
    }
    const rule = find(outcomes, 'document-rule', cacheControl);
    if (!variant.name.startsWith('learned-') || rule === undefined) return [];
    const instantByRule = instantPercent(rule.measured.visitors.flat()) ?? 0;
    const extraByRule = extraPercent(outcomes, rule, ({ site }) => site.pages) ?? 0;
    return [
      target('instant, as the document rule', 'at least', instantByRule, instant),
      target('extra requests, half of the document rule', 'at most', extraByRule / 2, extra),
    ];
  });
}
