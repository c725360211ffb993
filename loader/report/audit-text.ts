// Renders an audit as terminal lines: failed resources, the total savings, then each piece of advice with its saving,
// what to do, the resources, and how that was judged. Savings not measured are listed where their figures would be.
//
// Guarantee: no line is longer than `columns` (from 40 up), and the only control characters are our own colours.

import type { BudgetLine } from '../audit/budget.ts';
import type { Audit, Finding, Savings } from '../audit/finding.ts';
import type { PageLoad } from '../page-load.ts';
import { failureLines } from './failures.ts';
import { clipMiddle, printableText, printableUrl, shortName, wrapText } from './printable.ts';
import { type Paint, painter, type TerminalOptions, terminalOptions } from './terminal.ts';
import { formatBytes, formatCount, formatMs, plural } from './units.ts';

/** Limit on the resources listed under one finding (piece of advice); the output of `--json` has all. */
const mostItems = 6;
const widestName = 36;

/** Renders an audit as lines, each ending with a newline. */
export function renderAudit(audit: Audit & { load: PageLoad }, options: TerminalOptions): string {
  const { columns, color } = terminalOptions(options);
  const paint = painter(color);
  const { load, findings, uncounted } = audit;
  const untried = audit.untried.filter((line) => !uncounted.includes(line));
  const wrapped = (text: string, indent: number) =>
    wrapText(printableText(text), columns - indent).map((line) => ' '.repeat(indent) + line);
  const parts = (['first', 'next'] as const).flatMap((visit) => {
    const own = findings.filter((finding) => finding.visit === visit);
    const missing = visit === 'first' ? uncounted : [];
    if (own.length === 0 && missing.length === 0) return [];
    const title = visitTitle(visit, audit.saves[visit], missing.length > 0);
    return [
      ['', ...wrapText(title, columns).map((line) => paint('bold', line))],
      missing
        .flatMap((line) => wrapped(`Not counted: ${line}`, 2))
        .map((line) => paint('yellow', line)),
      ...own.map((finding) => findingLines(finding, load, columns, paint, wrapped)),
    ];
  });
  const none = 'No advice: nothing was found that would save bytes, requests or round trips.';
  const { requests, transferBytes } = load.totals;
  const cost = `${plural(requests, 'request')}, ${formatBytes(transferBytes)}`;
  return [
    paint('bold', clipMiddle(printableUrl(audit.url), columns)),
    ...wrapped(`${cost}, complete after ${formatMs(load.timing.completeMs)}`, 0),
    ...failureLines(load.resources, load, columns, paint),
    ...(parts.length === 0 ? ['', ...wrapped(none, 0)] : parts.flat()),
    ...(untried.length === 0 ? [] : ['', paint('bold', 'Not tried')]),
    ...untried.flatMap((line) => wrapped(line, 2)),
    '',
  ].join('\n');
}

function visitTitle(visit: Finding['visit'], saves: Savings, isPartial: boolean): string {
  const name = visit === 'first' ? 'First visit' : 'Next visit';
  const saved = savingWords(saves, ' and ');
  if (saved !== '') return `${name}: saves up to ${saved}`;
  return isPartial
    ? `${name}: savings not known`
    : `${name}: saves no bytes, requests or round trips`;
}

function findingLines(
  finding: Finding,
  load: PageLoad,
  columns: number,
  paint: Paint,
  wrapped: (text: string, indent: number) => string[],
): string[] {
  const { title, advice, saves, items, how, sure } = finding;
  const saving = savingWords(saves);
  const gap = columns - title.length - saving.length;
  const isOneLine = gap >= 2 || saving === '';
  const between = saving === '' ? '' : isOneLine ? ' '.repeat(gap) : '\n  ';
  const shown = items.slice(0, mostItems);
  const names = shown.map(({ url }) => shortName(url, load.url));
  const longest = Math.max(...names.map(({ length }) => length));
  const width = Math.min(longest, widestName, Math.floor(columns / 3));
  const left = items.length - shown.length;
  return [
    '',
    paint('cyan', clipMiddle(title, columns)) +
      between +
      paint('green', isOneLine ? saving : clipMiddle(saving, columns - 2)),
    ...wrapped(advice, 2),
    ...shown.map(({ note }, index) => {
      const name = clipMiddle(names[index] ?? '', width).padEnd(width);
      return `    ${name}  ${clipMiddle(printableText(note), columns - width - 6)}`.trimEnd();
    }),
    ...(left > 0 ? [`    and ${left} more`] : []),
    ...wrapped(`${sure === 'measured' ? 'Measured' : 'Likely'}: ${how}.`, 2).map((line) =>
      paint('dim', line),
    ),
  ];
}

/** Renders the figures that have a budget as lines, each ending with a newline; '' without a budget. */
export function renderBudget(lines: readonly BudgetLine[], options: TerminalOptions): string {
  const { columns, color } = terminalOptions(options);
  if (lines.length === 0) return '';
  const paint = painter(color);
  const rows = lines.map((line) => {
    const text = clipMiddle(budgetWords(line), columns - 10);
    return line.isExceeded
      ? `  ${paint(['bold', 'red'], 'over')}    ${text}`
      : `  ${paint('green', 'within')}  ${text}`;
  });
  return `${['', paint('bold', 'Budget'), ...rows].join('\n')}\n`;
}

/** Lists what is saved, as `12.2 kB, 22 requests`; '' if nothing is. @param last Separator before the last item. */
function savingWords({ bytes, requests, roundTrips }: Savings, last = ', '): string {
  const parts = [
    bytes > 0 ? formatBytes(bytes) : '',
    requests > 0 ? plural(requests, 'request') : '',
    roundTrips > 0 ? plural(roundTrips, 'round trip') : '',
  ].filter((part) => part !== '');
  const end = parts.pop() ?? '';
  return parts.length === 0 ? end : `${parts.join(', ')}${last}${end}`;
}

/** Describes a figure and its budget, as `size of image: 125 kB, budget 102 kB (100 KiB)`. */
export function budgetWords({ name, unit, measured, limit }: BudgetLine): string {
  const [short, exact] = formats[unit];
  // The format is never so short that a figure over its budget looks equal to the budget.
  const isClose = measured !== null && measured !== limit && short(measured) === short(limit);
  const format = isClose ? exact : short;
  const found = measured === null ? 'not known, as it did not come to that' : format(measured);
  // Reports use kB, budget files KiB: a whole number of KiB is repeated as the file has it.
  const inFile = unit === 'KiB' && Number.isInteger(limit) ? ` (${limit} KiB)` : '';
  return `${name}: ${found}, budget ${format(limit)}${inFile}`;
}

type Format = (value: number) => string;

const hundredths: Format = (value) => String(Math.ceil(value * 100) / 100);

/** Short and exact formats of a budget's figures, by the unit in the budget's file: for KiB, reports show kB. */
const formats: Record<BudgetLine['unit'], [short: Format, exact: Format]> = {
  KiB: [
    (value) => formatBytes(value * 1024),
    (value) => `${formatCount(Math.ceil(value * 1024))} B`,
  ],
  ms: [formatMs, (value) => `${hundredths(value)} ms`],
  requests: [(value) => plural(value, 'request'), (value) => `${hundredths(value)} requests`],
  '': [hundredths, String],
};
