// Savings and budgets in words, the same on terminals and in JUnit files.

import type { BudgetLine } from '../audit/budget/budget-check.ts';
import type { Savings } from '../audit/finding.ts';
import { formatBytes, plural } from './units.ts';

/** `12.2 kB, 22 requests`; empty: nothing is saved. */
export function savingWords({ bytes, requests, roundTrips }: Savings): string {
  return [
    bytes > 0 ? formatBytes(bytes) : '',
    requests > 0 ? plural(requests, 'request') : '',
    roundTrips > 0 ? plural(roundTrips, 'round trip') : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** `size of image: 125.3 KiB, budget 100 KiB` */
export function budgetWords({ name, unit, measured, limit }: BudgetLine): string {
  const withUnit = (value: number) => `${shortNumber(value)}${unit === '' ? '' : ` ${unit}`}`;
  const found = measured === null ? 'not known, as it did not come to that' : withUnit(measured);
  return `${name}: ${found}, budget ${withUnit(limit)}`;
}

/** To a hundredth: never so short that a figure over its budget looks the same. */
const shortNumber = (value: number): string => String(Math.ceil(value * 100) / 100);
