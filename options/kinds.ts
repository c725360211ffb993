// Kinds of option values. Each describes the allowed values in words, for error messages (refusal.ts), and by a JSON
// Schema. A number has its unit in its option's name; `null` switches a rule off (never 0), and only with `orNull`.

import {
  type Fault,
  type GivenOf,
  isOf,
  type JsonSchema,
  type Kind,
  readPart,
  type ValueOf,
} from './options.ts';
import { mustBe } from './refusal.ts';

type AnyKind = Kind<unknown>;
type Kinds = readonly [AnyKind, ...AnyKind[]];

/** Longest timer, ms: setTimeout fires at once if the delay does not fit in 31 bits. */
export const longestMs = 2 ** 31 - 1;
/** Longest timer that is whole days, ms, for flags that take days. */
export const longestDaysMs = 24 * 86_400_000;

export interface Range {
  least?: number;
  most?: number;
  /** A value that is accepted besides numbers, in words for error messages: `null`. */
  or?: string;
}

export interface NumberRange extends Range {
  /** Lower bound, in place of `least`, that a number must exceed. */
  above?: number;
}

/** Returns the option kind (schema and reader) of a finite number. */
export function number({ least, above, most, or }: NumberRange) {
  const bounds = above === undefined ? { minimum: least } : { exclusiveMinimum: above };
  return inRange('a number', { type: 'number', ...bounds, maximum: most }, or);
}

/** Returns the option kind (schema and reader) of a safe integer. */
export function wholeNumber({ least = 0, most, or }: Range) {
  return inRange('a whole number', { type: 'integer', minimum: least, maximum: most }, or);
}

export const portKind = wholeNumber({ most: 65_535 });

/** Returns the option kind (schema and reader) of a time in ms, possibly with a fraction, up to the longest timer. */
export function milliseconds({ least, or }: { least: number; or?: string }) {
  return inRange('milliseconds', { type: 'number', minimum: least, maximum: longestMs }, or);
}

function inRange(noun: string, schema: JsonSchema, or?: string): Kind<number> {
  const { minimum: least, maximum: most, exclusiveMinimum: above } = schema;
  const isSound = schema.type === 'integer' ? Number.isSafeInteger : Number.isFinite;
  const isNumber = (given: unknown) => typeof given === 'number' && !Number.isNaN(given);
  const isWithin = (value: number) =>
    isSound(value) &&
    value >= (least ?? value) &&
    value <= (most ?? value) &&
    (above === undefined || value > above);
  const rule = `${noun}${rangeWords(schema)}${alternative(or)}`;
  return also(ofType<number>(schema, rule, isNumber), isWithin, rule);
}

/** Returns the option kind (schema and reader) of a probability or a share: 0..1. */
export function share() {
  return number({ least: 0, most: 1 });
}

/** Returns the option kind (schema and reader) of a whole number or Infinity, where Infinity is harmless. */
export function wholeNumberOrInfinity(range: Omit<Range, 'or'>) {
  return anyOf([exactly(Number.POSITIVE_INFINITY), wholeNumber({ ...range, or: 'Infinity' })]);
}

function exactly<const Value>(only: Value) {
  const schema = only === null ? { type: 'null' } : { const: only };
  return ofType<Value>(schema, String(only), (given) => given === only);
}

/**
 * Makes an option kind (schema and reader) for a value of any of several kinds. A refused value gets the message of the
 * one kind that has its type. If none or several have it, the message is `rule`, or the last such kind's if there is no
 * `rule` or the fault is inside an object. @param rule What all of the kinds accept, in words, unless the rule of the
 * last one says that
 */
export function anyOf<const Some extends Kinds>(
  kinds: Some,
  rule?: string,
): Kind<ValueOf<Some[number]>, GivenOf<Some[number]>> {
  const schema = { anyOf: kinds.map((kind) => kind.schema) };
  const read = (given: unknown, faults: Fault[]) => {
    const refusals: Fault[][] = [];
    for (const kind of kinds) {
      const own: Fault[] = [];
      const value = kind.read(given, own);
      if (own.length === 0) return value;
      refusals.push(own);
    }
    const near = refusals.filter((own) => own.every(({ isNear }) => isNear));
    const told = (near.length === 0 ? refusals : near).at(-1) ?? [];
    const isTold = rule === undefined || near.length === 1 || told[0]?.path.length !== 0;
    faults.push(...(isTold ? told : [refused(rule, given, schema)]));
    return given;
  };
  return { schema, read: read as never };
}

/** Makes an option kind (schema and reader) that also accepts null, for "off"; error messages then mention null. */
export function orNull<Rule, K extends AnyKind>(
  kind: (rule: Rule & { or: string }) => K,
  rule: Rule,
): Kind<ValueOf<K> | null, GivenOf<K> | null> {
  const other = kind({ ...rule, or: 'null' });
  const schema = { anyOf: [other.schema, { type: 'null' }] };
  const read: AnyKind['read'] = (given, faults) =>
    given === null ? null : other.read(given, faults);
  return { ...other, schema, read } as never;
}

export function trueOrFalse({ or }: Pick<TextRule, 'or'> = {}) {
  const rule = `true or false${alternative(or)}`;
  return ofType<boolean>({ type: 'boolean' }, rule, (given) => typeof given === 'boolean');
}

export function oneOf<const Words extends readonly (string | number)[]>(
  words: Words,
  rule = listed(words),
) {
  const schema = { enum: words, ...(words.every(isString) && { type: 'string' }) };
  return ofType<Words[number]>(schema, rule, (given) => words.includes(given as never));
}

/** Returns the option kind (schema and reader) of one of the words, or the boolean `true` or `false`. */
export function oneOfOr<const Words extends readonly string[]>(words: Words) {
  return anyOf([oneOf(words), trueOrFalse()], listed([...words, 'true', 'false']));
}

/** Returns the option kind (schema and reader) of one of several words, each of which stands for a value. JSON may have
 *  `true` for the word `on`, `false` for `off`, and the number 48 for the word `48`. */
export function wordOf<const Words extends Readonly<Record<string, unknown>>>(words: Words) {
  const known = Object.keys(words);
  const numbers = known.filter((word) => /^\d+$/.test(word)).map(Number);
  const names = oneOf([...known, ...numbers], listed(known));
  const given: Kind<string | number | boolean> = Object.hasOwn(words, 'on')
    ? anyOf([names, trueOrFalse()], listed(known))
    : names;
  return then(given, (word) => {
    const name = word === true ? 'on' : word === false ? 'off' : String(word);
    return words[name] as Words[keyof Words];
  });
}

/** Makes an option kind (schema and reader) that also accepts a word, which switches a rule off in flags and files,
 *  where `null` is hard to write; null is accepted, too. */
export function orInfinite<Rule, K extends AnyKind>(
  kind: (rule: Rule & { or: string }) => K,
  rule: Rule,
  word = 'inf',
) {
  const kinds = anyOf([exactly(null), exactly(word), kind({ ...rule, or: word })]);
  return then(kinds, (value): ValueOf<K> | null => (value === word ? null : value) as ValueOf<K>);
}

/** Returns the option kind (schema and reader) of a boolean as it is written in flags and files. */
export function onOff() {
  return wordOf({ on: true, off: false });
}

type Units = Readonly<Record<string, number>>;

export const byteUnits: Units = { k: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };
export const timeUnits: Units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns the option kind (schema and reader) of a number of bytes in a flag or a file: `8192`, `8k` or `4M`. */
export function bytes(range: Omit<Range, 'or'>) {
  const noun = 'a number of bytes';
  const examples = '8192, 8k or 4M';
  const multiple = amount(noun, examples, byteUnits, /^(\d+)([kMG])B?$/i, range);
  return anyOf([multiple, wholeNumber(range)], `${noun} such as ${examples}`);
}

/** Returns the option kind (schema and reader) of a duration, `90s` or `7d`, which is converted to ms. */
export function duration(range: Range = {}) {
  const examples = '500ms, 90s, 15m, 12h or 7d';
  return amount('a time', examples, timeUnits, /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/, range);
}

/** Returns the option kind (schema and reader) of a time in a flag: ms without a unit, or a duration such as `5s`. */
export function timeOrMs({ least }: { least: number }) {
  const written = duration({ least, most: longestDaysMs });
  return anyOf([written, milliseconds({ least })], 'a time such as 500ms, 5s or 2m');
}

/** Returns the option kind (schema and reader) of an amount with a unit, which is refused in the words of its units. */
function amount(noun: string, examples: string, units: Units, pattern: RegExp, range: Range) {
  const { least, most, or } = range;
  const bounds = rangeWords({ minimum: least, maximum: most }, (value) => inUnits(value, units));
  const rule = `${noun}${bounds}${bounds && ','} such as ${examples}`;
  return then(text({ rule, pattern, ...(or !== undefined && { or }) }), (given, faults) => {
    const [, digits, unit = ''] = pattern.exec(given) ?? [];
    const isIt = ([each]: [string, number]) => each.toLowerCase() === unit.toLowerCase();
    const value = Number(digits) * (Object.entries(units).find(isIt)?.[1] ?? 1);
    if (value < (least ?? value) || value > (most ?? value))
      faults.push({ ...mustBe(rule + alternative(or), given), path: [], isNear: true });
    return value;
  });
}

/** Writes an amount in the largest unit that leaves no fraction: `90s`, `4M`. */
export function inUnits(value: number, units: Units): string {
  const fits = ([, each]: [string, number]) => value !== 0 && value % each === 0;
  const [unit = '', factor = 1] = Object.entries(units).findLast(fits) ?? [];
  return `${value / factor}${unit}`;
}

export interface TextRule {
  /** The rule in words: `a path that begins with /`. */
  rule: string;
  pattern?: RegExp;
  or?: string;
  /** True: the value never appears in messages. */
  isSecret?: boolean;
}

export function text({ rule, pattern = /^/, or, isSecret = false }: TextRule): Kind<string> {
  const { source } = pattern;
  const schema = { type: 'string', ...(source !== '^' && { pattern: source }) };
  const full = `${rule}${alternative(or)}`;
  const kind = also(ofType<string>(schema, full, isString), (value) => pattern.test(value), full);
  if (!isSecret) return kind;
  const read: typeof kind.read = (given, faults) => {
    if (!isOf(kind, given)) faults.push(near(`must be ${full}`));
    return given as string;
  };
  return { schema, read };
}

const isString = (given: unknown) => typeof given === 'string';

/** Returns whether a value may be a certificate or key in PEM. */
export const isPem = (given: unknown) => typeof given === 'string' || given instanceof Uint8Array;

/** The path of a file, in flags and settings. */
export const filePath = text({ rule: 'the path of a file', pattern: /^(?!https?:\/\/)./s });

/** Returns the option kind (schema and reader) of a text whose length is limited, in characters. */
export function textOfLength({ least, most }: { least: number; most: number }) {
  const schema = { type: 'string', minLength: least, maxLength: most };
  return then(ofType<string>(schema, 'a string', isString), (value, faults) => {
    const { length } = value;
    const isWithin = length >= least && length <= most;
    if (!isWithin) faults.push(near(`must have ${least} to ${most} characters`, length));
    return value;
  });
}

/** Returns the option kind (schema and reader) of a list. @param rule What the list is, in words: `a list of paths` */
export function listOf<Value, Given>(
  item: Kind<Value, Given>,
  rule: string,
  most = Number.POSITIVE_INFINITY,
): Kind<readonly Value[], readonly Given[]> {
  const bound = Number.isFinite(most) && { maxItems: most };
  const schema = { type: 'array', items: item.schema, ...bound };
  return then(ofType<unknown[]>(schema, rule, Array.isArray), (given, faults) => {
    const values = given.map((each, index) => readPart(item, each, index, faults));
    const { length } = given;
    if (length > most) faults.push(near(`must have at most ${most} entries`, length));
    return values;
  }) as never;
}

/** Returns the option kind (schema and reader) of a function; `Type` describes its arguments and result. */
// biome-ignore lint/suspicious/noExplicitAny: arguments of any kind
export function aFunction<Type extends (...args: any[]) => any>(rule: Pick<TextRule, 'or'> = {}) {
  return any<Type>((value) => typeof value === 'function', `a function${alternative(rule.or)}`);
}

/** Returns the option kind (schema and reader) of a value that JSON cannot express, such as a certificate. */
export function any<Type>(isIt: (value: unknown) => boolean, rule: string) {
  return ofType<Type>({}, rule, isIt);
}

/** Makes an option kind (schema and reader) that adds a condition to another. @param rule The condition, in messages */
export function also<Value, Given>(
  kind: Kind<Value, Given>,
  holds: (value: Value) => boolean,
  rule: string,
): Kind<Value, Given> {
  const checked = then(kind, (value, faults) => {
    if (!holds(value)) faults.push({ ...mustBe(rule, value), path: [], isNear: true });
    return value;
  });
  return { ...kind, read: checked.read };
}

/** Makes an option kind (schema and reader) of another: `next` checks or converts the values that the other accepts. */
function then<From, To, Given>(
  { schema, read }: Kind<From, Given>,
  next: (value: From, faults: Fault[]) => To,
): Kind<To, Given> {
  return {
    schema,
    read: (given, faults) => {
      const before = faults.length;
      const value = read(given, faults);
      return faults.length === before ? next(value, faults) : (value as never);
    },
  };
}

/** Makes an option kind (schema and reader) that returns values as given. @param isIt Whether a value has the type */
function ofType<Value>(
  schema: JsonSchema,
  rule: string,
  isIt: (given: unknown) => boolean,
): Kind<Value> {
  const read = (given: unknown, faults: Fault[]): Value => {
    if (!isIt(given)) faults.push(refused(rule, given, schema));
    return given as Value;
  };
  return { schema, read };
}

/** Returns the fault of a value that is of the right type, but not within its bounds. */
const near = (rule: string, length?: number): Fault => ({
  rule,
  message: length === undefined ? rule : `${rule}, not ${length}`,
  path: [],
  isNear: true,
});

const refused = (rule: string, given: unknown, schema: JsonSchema): Fault => ({
  ...mustBe(rule, given, takesText(schema)),
  path: [],
  isNear: false,
});

/** Returns whether the schema may accept a text; a schema without a type may accept anything. */
function takesText({ type, enum: words, const: only, anyOf }: JsonSchema): boolean {
  if (anyOf !== undefined) return anyOf.some(takesText);
  const values = words ?? (only === undefined ? undefined : [only]);
  return values?.some(isString) ?? /string|object|undefined/.test(String(type));
}

function rangeWords(schema: JsonSchema, shown: (bound: number) => string = String): string {
  const { minimum, exclusiveMinimum: above, maximum } = schema;
  const most = maximum === undefined ? undefined : shown(maximum);
  if (above !== undefined) return ` above ${shown(above)}${most ? `, at most ${most}` : ''}`;
  if (minimum === undefined) return most ? ` of at most ${most}` : '';
  return most ? ` from ${shown(minimum)} to ${most}` : ` of at least ${shown(minimum)}`;
}

function alternative(or: string | undefined): string {
  return or === undefined ? '' : `, or ${or}`;
}

/** Joins words to a text such as `a, b or c`. */
function listed(words: readonly unknown[]): string {
  return [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' or ');
}
