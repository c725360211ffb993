// Parses lists and ranges of numbers on a command line: `4`, `1,2,inf`, `2..10`, `0.0..1.1:0.1`, and combinations
// joined by commas. Steps are counted, not added up, so that 0.0..1.1:0.1 contains 0.3 and not 0.30000000000000004.

import { PrefetchdError } from '../../prefetchd/errors.ts';

const number = String.raw`(\d+(?:\.\d+)?|\.\d+)`;
const single = new RegExp(`^${number}$`);
const range = new RegExp(String.raw`^${number}\.\.${number}(?::${number})?$`);
const mostValues = 10_000;

export interface RangeRules {
  /** Name of the setting, used in messages. */
  name: string;
  least: number;
  most: number;
  /** true: only whole numbers are accepted. */
  whole?: boolean;
  /** true: `inf` and `none` are accepted as null, which means no limit. */
  unlimited?: boolean;
}

/** @returns each value once, in the order written. @throws PrefetchdError `invalid-option` */
export function parseRanges(
  text: string,
  rules: RangeRules & { unlimited: true },
): Array<number | null>;
export function parseRanges(text: string, rules: RangeRules): number[];
export function parseRanges(text: string, rules: RangeRules): Array<number | null> {
  const values = new Set<number | null>();
  for (const part of text.split(',')) {
    for (const value of parsePart(part.trim(), rules)) values.add(value);
    if (values.size > mostValues) throw wrong(rules, text, `at most ${mostValues} values`);
  }
  return [...values];
}

function parsePart(part: string, rules: RangeRules): Array<number | null> {
  if (rules.unlimited && /^(inf|infinite|none)$/i.test(part)) return [null];
  if (single.test(part)) return [checked(Number(part), part, rules)];
  const [, first, last, step = '1'] = range.exec(part) ?? [];
  if (first === undefined || last === undefined) {
    const words = rules.unlimited ? 'a number, inf' : 'a number';
    throw wrong(rules, part, `${words} or a range FIRST..LAST[:STEP]`);
  }
  return steps(first, last, step, part, rules);
}

function steps(
  first: string,
  last: string,
  step: string,
  part: string,
  rules: RangeRules,
): number[] {
  if (Number(step) === 0) throw wrong(rules, part, 'a range with a step above 0');
  if (Number(last) < Number(first)) throw wrong(rules, part, 'a range that rises');
  // The limit is slightly extended, because 1.1 / 0.1 is just below 11.
  const count = Math.floor((Number(last) - Number(first)) / Number(step) + 1e-9);
  if (count >= mostValues) throw wrong(rules, part, `at most ${mostValues} values`);
  const digits = Math.max(decimals(first), decimals(step));
  return Array.from({ length: count + 1 }, (_, at) =>
    checked(Number((Number(first) + at * Number(step)).toFixed(digits)), part, rules),
  );
}

function checked(value: number, part: string, rules: RangeRules): number {
  if (value < rules.least || value > rules.most) {
    throw wrong(rules, part, `from ${rules.least} to ${rules.most}`);
  }
  if (rules.whole && !Number.isInteger(value)) throw wrong(rules, part, 'whole numbers');
  return value;
}

function decimals(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}

function wrong({ name }: RangeRules, got: string, words: string): PrefetchdError {
  return new PrefetchdError(
    'invalid-option',
    `${name} must be ${words}; got ${JSON.stringify(got)}`,
  );
}
