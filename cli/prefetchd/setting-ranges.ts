// Parsers of flags with lists and ranges of w, p and i: `4`, `1,2,inf`, `2..10`, `0.0..1.1:0.1`, and combinations
// joined by commas. Each value is returned once, in the order written. Steps are counted, not added up, so that
// 0.0..1.1:0.1 contains 0.3 and not 0.30000000000000004. @throws InvalidArgumentError

import { InvalidArgumentError } from 'commander';

const number = String.raw`(\d+(?:\.\d+)?|\.\d+)`;
const single = new RegExp(`^${number}$`);
const range = new RegExp(String.raw`^${number}\.\.${number}(?::${number})?$`);
const mostValues = 10_000;

interface RangeRules {
  least: number;
  most: number;
  /** true: only whole numbers are accepted. */
  whole?: boolean;
}

export function windows(text: string): number[] {
  return parts(text).flatMap((part) => numbersIn(part, { least: 2, most: 100, whole: true }));
}

export function thresholds(text: string): number[] {
  return parts(text).flatMap((part) => numbersIn(part, { least: 0, most: 2 }));
}

/** `inf` and `none` are null, which means no limit. */
export function limits(text: string): Array<number | null> {
  const isNone = (part: string) => /^(inf|infinite|none)$/i.test(part);
  const rules = { least: 1, most: 10_000, whole: true };
  return parts(text).flatMap((part) => (isNone(part) ? [null] : numbersIn(part, rules)));
}

function parts(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

function numbersIn(part: string, { least, most, whole = false }: RangeRules): number[] {
  const [, first, last = first, step = '1'] = range.exec(part) ?? single.exec(part) ?? [];
  if (first === undefined || last === undefined) {
    throw new InvalidArgumentError('It must be a number or a range FIRST..LAST[:STEP].');
  }
  const [from, to, by] = [Number(first), Number(last), Number(step)];
  if (by === 0) throw new InvalidArgumentError('A range must have a step above 0.');
  if (to < from) throw new InvalidArgumentError('A range must rise.');
  if (from < least || to > most) {
    throw new InvalidArgumentError(`It must be from ${least} to ${most}.`);
  }
  // The number of steps is slightly extended, because 1.1 / 0.1 is just below 11.
  const count = Math.floor((to - from) / by + 1e-9) + 1;
  if (count > mostValues)
    throw new InvalidArgumentError(`It must be at most ${mostValues} values.`);
  const digits = Math.max(decimals(first), decimals(step));
  const values = Array.from({ length: count }, (_, at) => Number((from + at * by).toFixed(digits)));
  if (whole && !values.every(Number.isInteger)) {
    throw new InvalidArgumentError('It must be whole numbers.');
  }
  return values;
}

function decimals(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}
