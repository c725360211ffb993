// Puts savings and budgets into words.

import type { BudgetLine } from '../audit/budget/budget-check.ts';
import type { Savings } from '../audit/finding.ts';
import { formatBytes, formatCount, formatMs, plural } from './units.ts';

/** `12.2 kB, 22 requests`; empty: nothing is saved. @param last Separator before the last: `12.2 kB and 22 requests` */
export function savingWords({ bytes, requests, roundTrips }: Savings, last = ', '): string {
  const parts = [
    bytes > 0 ? formatBytes(bytes) : '',
    requests > 0 ? plural(requests, 'request') : '',
    roundTrips > 0 ? plural(roundTrips, 'round trip') : '',
  ].filter((part) => part !== '');
  const end = parts.pop() ?? '';
  return parts.length === 0 ? end : `${parts.join(', ')}${last}${end}`;
}

/** `size of image: 125 kB, budget 102 kB (100 KiB)` */
export function budgetWords({ name, unit, measured, limit }: BudgetLine): string {
  const [short, exact] = formats[unit];
  // The format is never so short that a figure over its budget looks equal to it.
  const isClose = measured !== null && measured !== limit && short(measured) === short(limit);
  const format = isClose ? exact : short;
  const found = measured === null ? 'not known, as it did not come to that' : format(measured);
  // Reports use kB, budget files KiB: a whole number of KiB is repeated as the file has it.
  const inFile = unit === 'KiB' && Number.isInteger(limit) ? ` (${limit} KiB)` : '';
  return `${name}: ${found}, budget ${format(limit)}${inFile}`;
}

type Format = (value: number) => string;

const hundredths: Format = (value) => String(Math.ceil(value * 100) / 100);

/** Formats in the units of the report: budgets are in KiB, everything else here is in kB. */
const formats: Record<BudgetLine['unit'], [short: Format, exact: Format]> = {
  KiB: [
    (value) => formatBytes(value * 1024),
    (value) => `${formatCount(Math.ceil(value * 1024))} B`,
  ],
  ms: [formatMs, (value) => `${hundredths(value)} ms`],
  requests: [(value) => plural(value, 'request'), (value) => `${hundredths(value)} requests`],
  '': [hundredths, String],
};
