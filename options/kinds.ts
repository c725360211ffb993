// Kinds of option values. Each states its rule in words, for refusals (refusal.ts), and in a form that converts to
// JSON Schema. A number has its unit in its option's name; `null` switches a rule off (never 0), and only with
// `orNull`.

import {
  array,
  boolean,
  check,
  custom,
  type GenericSchema,
  gtValue,
  type InferInput,
  type InferOutput,
  integer,
  literal,
  maxLength,
  maxValue,
  minLength,
  minValue,
  nullable,
  null as nullSchema,
  number as numberSchema,
  picklist,
  pipe,
  regex,
  string,
  transform,
  union,
} from 'valibot';
import { mustBe, mustBeUnshown } from './refusal.ts';

/** Longest timer: setTimeout fires at once if the delay does not fit in 31 bits. */
export const longestMs = 2 ** 31 - 1;

export interface Range {
  least?: number;
  most?: number;
  /** Alternative to the kind: `null`. */
  or?: string;
}

export interface NumberRange extends Range {
  /** Exclusive lower bound, instead of `least`. */
  above?: number;
}

/** A finite number. */
export function number({ least, above, most, or }: NumberRange) {
  const message = mustBe(`a number${rangeWords({ least, above, most })}${alternative(or)}`);
  return pipe(
    numberSchema(message),
    above === undefined ? minValue(least ?? -Number.MAX_VALUE, message) : gtValue(above, message),
    maxValue(most ?? Number.MAX_VALUE, message),
  );
}

/** A safe integer. */
export function wholeNumber({ least = 0, most = Number.MAX_SAFE_INTEGER, or }: Range) {
  const isOpen = most === Number.MAX_SAFE_INTEGER;
  const words = rangeWords({ least, most: isOpen ? undefined : most });
  const message = mustBe(`a whole number${words}${alternative(or)}`);
  return pipe(
    numberSchema(message),
    integer(message),
    minValue(least, message),
    maxValue(most, message),
  );
}

/** A whole number or Infinity, for options where Infinity is harmless. */
export function wholeNumberOrInfinity(range: Omit<Range, 'or'>) {
  return either([literal(Number.POSITIVE_INFINITY), wholeNumber({ ...range, or: 'Infinity' })]);
}

/** One of several kinds, with a common rule. */
export function anyOf<const Kinds extends [GenericSchema, ...GenericSchema[]]>(
  kinds: Kinds,
  rule: string,
) {
  return union(kinds, mustBe(rule));
}

/** One of several kinds; the rule of the last applies to all. */
export function either<const Kinds extends [GenericSchema, ...GenericSchema[]]>(kinds: Kinds) {
  return union(kinds, ({ issues = [] }) => String(issues.at(-1)?.message));
}

/** Milliseconds, possibly with a fraction, up to the longest timer. */
export function milliseconds({ least, or }: { least: number; or?: string }) {
  const message = mustBe(`milliseconds from ${least} to ${longestMs}${alternative(or)}`);
  return pipe(numberSchema(message), minValue(least, message), maxValue(longestMs, message));
}

/** A probability or a share: 0..1. */
export function share() {
  return number({ least: 0, most: 1 });
}

/** The kind or null, which switches the option off; the message for a refused value says so. */
export function orNull<Rule, Kind extends GenericSchema>(
  kind: (rule: Rule & { or: string }) => Kind,
  rule: Rule,
) {
  return nullable(kind({ ...rule, or: 'null' }));
}

export function trueOrFalse({ or }: Pick<TextRule, 'or'> = {}) {
  return boolean(mustBe(`true or false${alternative(or)}`));
}

export function oneOf<const Words extends readonly (string | number)[]>(words: Words) {
  return picklist(words, mustBe(listed(words)));
}

/** One of the words, `true` or `false`. */
export function oneOfOr<const Words extends readonly string[]>(words: Words) {
  return union([picklist(words), boolean()], mustBe(listed([...words, 'true', 'false'])));
}

/** Words that stand for values. In JSON, `true` and `false` mean on and off, and 48 is "48". */
export function wordOf<const Words extends Readonly<Record<string, unknown>>>(words: Words) {
  const known = Object.keys(words);
  const numbers = known.filter((word) => /^\d+$/.test(word)).map(Number);
  const message = mustBe(listed(known));
  const names = picklist([...known, ...numbers], message);
  const given = Object.hasOwn(words, 'on') ? union([names, boolean()], message) : names;
  return pipe(
    given as GenericSchema<unknown, string | number | boolean>,
    transform((word): Words[keyof Words] => {
      const name = word === true ? 'on' : word === false ? 'off' : String(word);
      return words[name] as Words[keyof Words];
    }),
  );
}

/** `inf` switches a rule off in texts and files, where `null` is hard to write; null does too. */
export function orInfinite<Rule, Kind extends GenericSchema>(
  kind: (rule: Rule & { or: string }) => Kind,
  rule: Rule,
) {
  const kinds = either([nullSchema(), literal('inf'), kind({ ...rule, or: 'inf' })]);
  return pipe(
    kinds,
    transform((value): InferOutput<Kind> | null => (value === 'inf' ? null : value)),
  );
}

const msOfUnit: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const durationPattern = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** A duration, `90s` or `7d`, which becomes ms. */
export function duration({ or }: Pick<TextRule, 'or'> = {}) {
  const written = text({
    rule: 'a time such as 500ms, 90s, 15m, 12h or 7d',
    pattern: durationPattern,
    ...(or !== undefined && { or }),
  });
  return pipe(
    written,
    transform((given) => {
      const [, amount, unit = ''] = durationPattern.exec(given) ?? [];
      return Number(amount) * (msOfUnit[unit] as number);
    }),
  );
}

export interface TextRule {
  /** The rule in words: `a path that begins with /`. */
  rule: string;
  pattern?: RegExp;
  or?: string;
  /** The value never appears in messages. */
  isSecret?: boolean;
}

export function text({ rule, pattern = /^/, or, isSecret = false }: TextRule) {
  const message = (isSecret ? mustBeUnshown : mustBe)(`${rule}${alternative(or)}`);
  return pipe(string(message), regex(pattern, message));
}

/** Text whose length is limited, in characters. */
export function textOfLength({ least, most }: { least: number; most: number }) {
  const message = ({ input }: { input: string }) =>
    `must have ${least} to ${most} characters, not ${input.length}`;
  return pipe(string(mustBe('a string')), minLength(least, message), maxLength(most, message));
}

/** @param rule description of the list: `a list of paths`; at most `most` elements */
export function listOf<Item extends GenericSchema>(
  item: Item,
  rule: string,
  most = Number.MAX_SAFE_INTEGER,
): GenericSchema<readonly InferInput<Item>[], readonly InferOutput<Item>[]> {
  return pipe(
    array(item, mustBe(rule)),
    maxLength(most, ({ input }) => `must have at most ${most} entries, not ${input.length}`),
  ) as never;
}

/** A function; its type describes its arguments and result. */
// biome-ignore lint/suspicious/noExplicitAny: arguments of any kind
export function aFunction<Type extends (...args: any[]) => any>(rule: Pick<TextRule, 'or'> = {}) {
  const message = mustBe(`a function${alternative(rule.or)}`);
  return custom<Type>((value) => typeof value === 'function', message);
}

/** A value JSON cannot express, such as an object or a certificate. @param rule in words */
export function any<Type>(isIt: (value: unknown) => boolean, rule: string) {
  return custom<Type>(isIt, mustBe(rule));
}

/** The kind with an additional condition. */
export function also<Kind extends GenericSchema>(
  kind: Kind,
  holds: (value: InferOutput<Kind>) => boolean,
  rule: string,
) {
  return pipe(kind, check(holds, mustBe(rule)));
}

function rangeWords({
  least,
  above,
  most,
}: { [name in 'least' | 'above' | 'most']?: number | undefined }): string {
  const isBelow = most !== undefined;
  if (above !== undefined) return isBelow ? ` above ${above}, at most ${most}` : ` above ${above}`;
  if (least === undefined) return isBelow ? ` of at most ${most}` : '';
  return isBelow ? ` from ${least} to ${most}` : ` of at least ${least}`;
}

function alternative(or: string | undefined): string {
  return or === undefined ? '' : `, or ${or}`;
}

/** `a, b or c` */
function listed(words: readonly unknown[]): string {
  return words.join(', ').replace(/, (\S+)$/, ' or $1');
}
