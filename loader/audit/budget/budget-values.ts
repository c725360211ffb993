// Checks the values in a budget file; an error states the position of the value.

import { BudgetError } from './budget.ts';

export type Json = Record<string, unknown>;

export function listOf(value: unknown, at: string, rule: string): unknown[] {
  if (!Array.isArray(value)) throw new BudgetError(`${at} must be ${rule}; got ${shown(value)}`);
  if (value.length > 1_000) throw new BudgetError(`${at} has more than 1000 entries`);
  return value;
}

/** @param names Names that the object may have; null: any */
export function objectOf(value: unknown, at: string, names: readonly string[] | null = null): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new BudgetError(`${at} must be an object; got ${shown(value)}`);
  }
  const unknown = Object.keys(value).find((name) => names?.includes(name) === false);
  if (names !== null && unknown !== undefined) {
    throw new BudgetError(`${at}.${unknown.slice(0, 40)} is not known; use ${names.join(', ')}`);
  }
  return value as Json;
}

export function oneOf<Name extends string>(
  value: unknown,
  names: readonly Name[],
  at: string,
): Name {
  const found = names.find((name) => name === value);
  if (found !== undefined) return found;
  throw new BudgetError(`${at} must be one of ${names.join(', ')}; got ${shown(value)}`);
}

export function amountOf(value: unknown, at: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new BudgetError(`${at} must be a number of at least 0; got ${shown(value)}`);
}

export const shown = (value: unknown): string =>
  (value === undefined ? 'nothing' : JSON.stringify(value)).slice(0, 60);
