// Tables of options: each row has a name, which ends with its unit, a kind, a default, and the flag that sets it, below
// a comment that describes it. One table checks what programs, flags, files and requests supply, fills in defaults, is
// the type of its options, makes the flags and their help (cli/option-flags.ts), and generates the tables of docs/ and
// the JSON Schemas (test/repository).
//
// Guarantee: a name that is not in the table is refused, so no option is silently ignored; undefined counts as
// absent.

import { mustBe, placeOf, type Refusal, unknownName } from './refusal.ts';

export interface Fault extends Refusal {
  /** The names and indexes that lead to the part of the value that is wrong. */
  path: readonly (string | number)[];
  /** True: the value is of the right type, but not within its bounds. */
  isNear: boolean;
  /** True: no option has the name that was given. */
  isUnknown?: boolean;
}

/** A JSON Schema; for what JSON cannot express, such as a function, the schema accepts any value. */
export interface JsonSchema {
  type?: string;
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  minimum?: number | undefined;
  maximum?: number | undefined;
  exclusiveMinimum?: number;
  [other: string]: unknown;
}

/** What a row says besides its kind and its default. */
export interface RowNotes {
  /** A word for the default in the docs, where its value would say little: `room`. */
  shownDefault?: string;
  /** The flag that sets the option, with its value as the help names it: `--timeout <time>`. */
  flag?: string;
  /** Meaning of the flag in its help, a few words; the default is added, or is put in place of `{default}`. */
  help?: string;
  /** Meaning of a second flag, `--no-get-all`, if a value besides true and false is the default. */
  never?: string;
  /** How the value is written in a flag, a variable or a file, if not as in a program: `inf` for null, `7d` for ms. */
  written?: Kind<unknown>;
  /** True: each use of the flag adds one entry to a list; absent: the flag's value is a list with commas. */
  isRepeated?: boolean;
}

/** How one kind of value is checked and converted, from the type `Given` that callers pass to `Value`. */
export interface Kind<Value, Given = Value> extends RowNotes {
  /** Checks and converts a given value, and adds what is wrong with it to `faults`; then the result is meaningless. */
  readonly read: (given: unknown, faults: Fault[]) => Value;
  readonly schema: JsonSchema;
  /** If the value is an object of options: the table of these options. */
  readonly rows?: Table;
  /** The default value, if this is an entry of a table of options and has one. */
  readonly byDefault?: unknown;
  /** Never set: it only carries the types `Given` and `Value` for the compiler (`GivenOf`, `ValueOf`). */
  readonly '~types'?: { input: Given; output: Value };
}

type Side = 'input' | 'output';
type At<K extends Kind<unknown>, S extends Side> = NonNullable<K['~types']>[S];
export type GivenOf<K extends Kind<unknown>> = At<K, 'input'>;
export type ValueOf<K extends Kind<unknown>> = At<K, 'output'>;

/** An entry in a table of options: `Value` is the option's type once checked, `Given` the type that callers give. */
export interface Option<Value, Given = Value> extends Kind<Value, Given | undefined> {}

export type Table = Readonly<Record<string, Kind<unknown>>>;

/** The options that a caller may give, by their table. */
export type OptionsOf<Rows extends Table> = TypeOf<Rows, 'input', undefined>;

/** The options once they are checked: each has its value or default. */
export type ValuesOf<Rows extends Table> = TypeOf<Rows, 'output', never>;

/** The type of an object of options: properties whose type includes undefined become optional. It is a mapped type over
 *  the table, so editors show the comments of the table's rows. */
type TypeOf<Rows extends Table, S extends Side, Absent> = {
  [Name in keyof Rows as undefined extends At<Rows[Name], S> ? never : Name]: At<Rows[Name], S>;
} & {
  [Name in keyof Rows as undefined extends At<Rows[Name], S> ? Name : never]?:
    | Exclude<At<Rows[Name], S>, undefined>
    | Absent;
};

/** An entry without a default in a table of options. */
export interface OptionWithoutDefault<Value, Given = Value>
  extends Option<Value | undefined, Given> {}

/** Makes the entry of an option with a default, for a table of options. */
export function option<Value, Given>(
  kind: Kind<Value, Given>,
  byDefault: NoInfer<Value>,
  notes: RowNotes = {},
): Option<Value, Given> {
  const schema = { ...kind.schema, default: byDefault };
  const read: typeof kind.read = (given, faults) =>
    kind.read(given === undefined ? byDefault : given, faults);
  return { ...(kind as object), ...notes, schema, read, byDefault };
}

export function optionWithoutDefault<Value, Given>(
  kind: Kind<Value, Given>,
  notes: RowNotes = {},
): OptionWithoutDefault<Value, Given> {
  const read = (given: unknown, faults: Fault[]) =>
    given === undefined ? given : kind.read(given, faults);
  return { ...(kind as object), ...notes, schema: kind.schema, read };
}

/** Makes the entry of a required option, for a table of options. */
export function required<K extends Kind<unknown>>(kind: K, notes: RowNotes = {}): K {
  return { ...kind, ...notes, shownDefault: 'required' };
}

const isObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether the value is a plain object, as in JSON. */
const isPlain = (value: unknown) =>
  isObject(value) && Object.getPrototypeOf(value) === Object.prototype;

/** Returns the kind (schema and reader) of an object of other programs: unlike `objectOf`, it ignores unknown names. */
export function looseObjectOf<Rows extends Table>(rows: Rows) {
  return objectOf(rows, true);
}

/** Returns the kind (schema and reader) of an option whose value is an object of the options in a table. */
export function objectOf<Rows extends Table>(
  rows: Rows,
  isLoose = false,
): Kind<ValuesOf<Rows>, OptionsOf<Rows>> {
  const known = Object.keys(rows);
  const read = (given: unknown, faults: Fault[]) => {
    const values: Record<string, unknown> = {};
    if (!(isLoose ? isPlain(given) : isObject(given))) {
      faults.push({ ...mustBe('an object', given, false), path: [], isNear: false });
      return values;
    }
    // Inherited properties of the given object are ignored.
    const own: Record<string, unknown> = { __proto__: null, ...(given as object) };
    for (const [name, row] of Object.entries(rows)) {
      const value = readPart(row, own[name], name, faults);
      if (value !== undefined) values[name] = value;
    }
    const name = isLoose ? undefined : Object.keys(own).find((each) => !known.includes(each));
    if (name !== undefined) {
      const message = unknownName(name, known);
      faults.push({ rule: message, message, path: [name], isNear: false, isUnknown: true });
    }
    return values;
  };
  const properties = Object.fromEntries(known.map((name) => [name, rows[name]?.schema]));
  const required = known.filter((name) => !isOf(rows[name] as Kind<unknown>, undefined));
  const schema: JsonSchema = {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    ...(!isLoose && { additionalProperties: false }),
  };
  return { rows, schema, read: read as never };
}

/** Makes from the entry of an option an entry without its default. */
export function withoutDefault<Value, Given>({
  read,
  schema: { default: _, ...schema },
}: Kind<Value, Given>): OptionWithoutDefault<Value, Given> {
  return optionWithoutDefault({ read, schema });
}

/** Returns the kind (schema and reader) of a change of options: an object with any of the options in a table. */
export function changeOf<Rows extends Table>(
  rows: Rows,
  isLoose = false,
): Kind<Partial<ValuesOf<Rows>>, OptionsOf<Rows>> {
  const changes = Object.entries(rows).map(([name, row]) => [name, withoutDefault(row)]);
  return objectOf(Object.fromEntries(changes), isLoose) as never;
}

/** Checks one property or element of a value, and adds what is wrong with it to `faults`, with its name or index. */
export function readPart<Value>(
  kind: Kind<Value, unknown>,
  given: unknown,
  place: string | number,
  faults: Fault[],
): Value {
  const own: Fault[] = [];
  const value = kind.read(given, own);
  faults.push(...own.map((fault) => ({ ...fault, path: [place, ...fault.path] })));
  return value;
}

/** Makes the entry of an option that has options of its own, each with its default, for a table of options. */
export function section<Values, Given>(kind: Kind<Values, Given>): Option<Values, Given> {
  return option(kind, {} as never) as never;
}

/** A function that throws for the first error. It receives a sentence, the option in it (`timeouts.pageMs`), what is
 *  wrong with it, the sentence without that option: `must be ..., not 7`, and the rule, `must be ...`. */
export type Fail = (sentence: string, option: string, reason: string, rule: string) => never;

export interface OptionNaming {
  /** Name of the option whose value is checked, such as `prefetch`; messages call its parts `prefetch.name`. */
  inside?: string;
  /** Name of the value itself, for errors that concern no option inside it. */
  name?: string;
  /** Word that error messages put before the name of an unknown option: `service option `. */
  noun?: string;
}

/** Checks the given values of options, and returns them with all defaults filled in. */
export function checked<K extends Kind<unknown>>(
  kind: K,
  given: unknown,
  fail: Fail,
  { inside = '', name = 'options', noun = 'option ' }: OptionNaming = {},
): ValueOf<K> {
  const faults: Fault[] = [];
  const value = kind.read(given, faults);
  const [fault] = faults;
  if (fault === undefined) return value;
  const { message, rule, path, isUnknown = false } = fault;
  const place = placeOf(inside === '' ? path : [inside, ...path]);
  const told = place === '' ? name : place;
  return fail(`${isUnknown ? noun : ''}${told} ${message}`, told, message, rule);
}

export interface OptionProblem {
  /** Place of the part that is wrong: `url`, `alsoSent[1]`; '' for the value itself. */
  place: string;
  /** What is wrong at this place, in words: `must be a string, not 7`. */
  message: string;
}

/** Checks input from outside this program and returns all errors, while `checked` reports the first. */
export function read<K extends Kind<unknown>>(
  kind: K,
  given: unknown,
): { value: ValueOf<K> } | { problems: OptionProblem[] } {
  const faults: Fault[] = [];
  const value = kind.read(given, faults);
  if (faults.length === 0) return { value };
  return { problems: faults.map(({ path, message }) => ({ place: placeOf(path), message })) };
}

export function isOf(kind: Kind<unknown>, value: unknown): boolean {
  return 'value' in read(kind, value);
}

/** Returns the default of each option of a table. */
export function defaultsOf<Rows extends Table>(rows: Rows): ValuesOf<Rows> {
  const named = Object.entries(rows).map(([name, { byDefault }]) => [name, byDefault]);
  return Object.fromEntries(named);
}

/** Returns the words that an option accepts, if it accepts only certain words. */
export function wordsOf({ schema }: Kind<unknown>): readonly string[] {
  return (schema.enum ?? []) as readonly string[];
}

const keyOf = (name: string) => Symbol.for(`loadahead ${name}`);

/** Returns options with which tests, measurements and our commands change a module's constants, such as
 *  `prefetchdConstants`; their names are symbols that are not public. */
export function withConstants(constants: object): object {
  return Object.fromEntries(Object.entries(constants).map(([name, value]) => [keyOf(name), value]));
}

/** Returns the values of a module's options and its constants together; `options` may change some (`withConstants`). */
export function joined<Values extends object, Constants extends object>(
  values: Values,
  constants: Constants,
  options: object,
): Values & Constants {
  const given = options as Record<symbol, unknown>;
  const joint = Object.entries(constants).map(([name, constant]) => {
    const key = keyOf(name);
    const value = key in given ? given[key] : constant;
    if (!isPlain(constant)) return [name, value];
    return [name, { ...(values as Table)[name], ...constant, ...Object(value) }];
  });
  return { ...values, ...Object.fromEntries(joint) };
}
