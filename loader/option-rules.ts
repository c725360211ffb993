// The rules that values of options are held to. Each throws LoaderError `invalid-option` and names the option,
// the rule and the value.

import { LoaderError } from './errors.ts';

export function wholeNumber(name: string, value: unknown, least: number, most: number): void {
  if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most) {
    fail(name, `a whole number from ${least} to ${most}`, value);
  }
}

export function milliseconds(name: string, value: unknown, least: number): void {
  const longest = 2 ** 31 - 1; // what a timer can hold
  if (typeof value !== 'number' || !(value >= least && value <= longest)) {
    fail(name, `milliseconds from ${least} to ${longest}`, value);
  }
}

export function trueOrFalse(name: string, value: unknown): void {
  if (typeof value !== 'boolean') fail(name, 'true or false', value);
}

export function oneOf(name: string, value: unknown, known: readonly string[]): void {
  if (!known.includes(value as string)) fail(name, `one of ${known.join(', ')}`, value);
}

export function checkObject(name: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    fail(name, 'an object', value);
  }
}

export function checkNames(name: string, given: object, known: string[]): void {
  for (const key of Object.keys(given)) {
    if (!known.includes(key)) fail(`${name}.${key}`, `one of ${known.join(', ')}`, key);
  }
}

export function fail(name: string, rule: string, value: unknown): never {
  throw new LoaderError('invalid-option', `${name} must be ${rule}; got ${shown(value)}`);
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 200));
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value) ? 'an array' : 'an object';
}
