// Option objects: each name with its kind and default, below a comment that describes it. One such table checks what
// programs, flags, files and requests supply, fills in defaults, is the type of its options, and generates the tables
// of docs/ and the JSON Schemas (test/repository). Only this folder depends on the schema library.
//
// Guarantee: a name that is not in the table is refused, so no option is silently ignored; undefined counts as
// absent.

import {
  type BaseIssue,
  custom,
  type GenericSchema,
  getDefault,
  type InferOutput,
  is,
  metadata,
  type ObjectIssue,
  object,
  optional,
  pipe,
  type StrictObjectIssue,
  safeParse,
  strictObject,
  transform,
} from 'valibot';
import { mustBe, placeOf, unknownName } from './refusal.ts';

/** A row of a table: what the value is when the option is checked, and what may be given for it. */
export interface Option<Value, Given = Value> extends GenericSchema<Given | undefined, Value> {}

export type Table = Readonly<Record<string, GenericSchema>>;

/** What a caller may give. */
export type OptionsOf<Rows extends Table> = TypeOf<Rows, 'input', undefined>;

/** Each option with its value. */
export type ValuesOf<Rows extends Table> = TypeOf<Rows, 'output', never>;

type Side = 'input' | 'output';
type At<Row extends GenericSchema, S extends Side> = NonNullable<Row['~types']>[S];

/** What may be undefined may be absent. Editors show the comments of the rows, because names are those of the table. */
type TypeOf<Rows extends Table, S extends Side, Absent> = {
  [Name in keyof Rows as undefined extends At<Rows[Name], S> ? never : Name]: At<Rows[Name], S>;
} & {
  [Name in keyof Rows as undefined extends At<Rows[Name], S> ? Name : never]?:
    | Exclude<At<Rows[Name], S>, undefined>
    | Absent;
};

/** A row without a default. */
export interface OptionWithoutDefault<Value, Given = Value>
  extends GenericSchema<Given | undefined, Value | undefined> {}

/** A kind of value: what it is when it is checked, and what may be given for it. */
export interface Kind<Value, Given = Value> extends GenericSchema<Given, Value> {}

export interface Shown {
  /** The default in words, if its value is not meaningful: `room`. */
  shownDefault?: string;
}

/** An option with a default. */
export function option<Value, Given>(
  kind: Kind<Value, Given>,
  byDefault: NoInfer<Value>,
  shown: Shown = {},
): Option<Value, Given> {
  // The default is passed as a function, because the library calls a default that is a function.
  return optional(pipe(kind, metadata({ ...shown })), () => byDefault as never) as never;
}

/** An option without a default. */
export function optionWithoutDefault<Value, Given>(
  kind: Kind<Value, Given>,
  shown: Shown = {},
): OptionWithoutDefault<Value, Given> {
  return optional(pipe(kind, metadata({ ...shown }))) as never;
}

/** A required option. */
export function required<Value, Given>(kind: Kind<Value, Given>): Kind<Value, Given> {
  return pipe(kind, metadata({ shownDefault: 'required' })) as never;
}

/** A table of options whose type stands elsewhere: such a table `satisfies` this type. */
export type TableOf<Options> = {
  readonly [Name in keyof Options]-?: GenericSchema<unknown, Options[Name] | undefined>;
};

const noObject = (input: unknown) =>
  mustBe('an object')({ kind: 'schema', expected: 'Object', input });

const isObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A plain object, as in JSON. */
const isPlain = (value: unknown) =>
  isObject(value) && Object.getPrototypeOf(value) === Object.prototype;

/** The object that a table describes. */
export function objectOf<Rows extends Table>(rows: Rows): Kind<ValuesOf<Rows>, OptionsOf<Rows>> {
  const told = strictObject(rows, wrongName(rows));
  return pipe(anObject(told, isObject), ownNames, told, transform(withoutUndefined)) as never;
}

/** Like `objectOf`, for JSON that others send: unknown names are ignored. */
export function looseObjectOf<Rows extends Table>(
  rows: Rows,
): Kind<ValuesOf<Rows>, OptionsOf<Rows>> {
  const told = object(rows, wrongName(rows));
  return pipe(anObject(told, isPlain), told) as never;
}

/** A kind of object. @param describes the kind that represents it in a JSON Schema */
function anObject(describes: GenericSchema, isIt: (value: unknown) => boolean) {
  const kind = custom<object>(isIt, ({ input }) => noObject(input));
  return Object.assign(kind, { describes });
}

/** Ignores inherited properties. */
const ownNames = transform((given: object): object => ({ __proto__: null, ...given }));

/** Message for an unknown name, or for a required name that is missing. */
function wrongName(entries: Table) {
  return ({ expected, path, input }: StrictObjectIssue | ObjectIssue) => {
    if (path === undefined) return noObject(input);
    const name = String(path?.[0].key);
    if (expected === 'never') return unknownName(name, Object.keys(entries));
    const { issues = [] } = safeParse(entries[name] as GenericSchema, undefined);
    return String(issues[0]?.message);
  };
}

function withoutUndefined<Given extends object>(given: Given): Given {
  for (const name of Object.keys(given) as (keyof Given)[]) {
    if (given[name] === undefined) delete given[name];
  }
  return given;
}

/** Options inside an option, each with its default. */
export function section<Values, Given>(kind: Kind<Values, Given>): Option<Values, Given> {
  return option(kind, {} as never) as never;
}

/** Receives the first error: a sentence, the option in it (`timeouts.pageMs`), and the sentence without it. */
export type Fail = (sentence: string, option: string, withoutOption: string) => never;

export interface Naming {
  /** Prefix of each place: `prefetch`, for nested options. */
  inside?: string;
  /** Name of the value itself, for errors that concern no option inside it. */
  name?: string;
  /** Word before an unknown name. */
  noun?: string;
}

/** The given values with all defaults filled in. */
export function checked<Kind extends GenericSchema>(
  kind: Kind,
  given: unknown,
  fail: Fail,
  { inside = '', name = 'options', noun = 'option ' }: Naming = {},
): InferOutput<Kind> {
  const result = safeParse(kind, given, { abortEarly: true });
  if (result.success) return result.output;
  const { message, path, expected } = deepest(result.issues[0]);
  const place = placeOf([...(inside === '' ? [] : [{ key: inside }]), ...path]);
  const isUnknown = expected === 'never';
  const told = place === '' ? name : place;
  return fail(`${isUnknown ? noun : ''}${told} ${message}`, told, message);
}

/** The innermost error of a value that may be of several kinds. */
function deepest({ message, expected, path: outer, issues }: BaseIssue<unknown>): {
  message: string;
  expected: string | null;
  path: readonly { key: unknown }[];
} {
  const path = outer ?? [];
  const inside = issues?.at(-1);
  if (inside?.path === undefined) return { message, expected, path };
  const found = deepest(inside);
  return { ...found, path: [...path, ...found.path] };
}

export interface Problem {
  /** `url`, `alsoSent[1]`; '' for the value itself. */
  place: string;
  /** `must be a string, not 7` */
  message: string;
}

/** Checks foreign input and returns all errors, while `checked` reports the first. */
export function read<Kind extends GenericSchema>(
  kind: Kind,
  given: unknown,
): { value: InferOutput<Kind> } | { problems: Problem[] } {
  const result = safeParse(kind, given);
  if (result.success) return { value: result.output };
  return {
    problems: result.issues.map(({ path, message }) => ({ place: placeOf(path), message })),
  };
}

export function isOf<Kind extends GenericSchema>(kind: Kind, value: unknown): boolean {
  return is(kind, value);
}

/** The defaults of a table. */
export function defaultsOf<Rows extends Table>(rows: Rows): ValuesOf<Rows> {
  const named = Object.entries(rows).map(([name, kind]) => [name, getDefault(kind)]);
  return Object.fromEntries(named);
}

/** The words that a row of one of several words takes. */
export function wordsOf(row: GenericSchema): readonly string[] {
  const { wrapped, pipe, options } = row as {
    wrapped?: GenericSchema;
    pipe?: readonly GenericSchema[];
    options?: readonly string[];
  };
  const inside = wrapped ?? pipe?.[0];
  return options ?? (inside === undefined ? [] : wordsOf(inside));
}

const keyOf = (name: string) => Symbol.for(`loadahead ${name}`);

/** Options that give constants of an entry point other values: for tests, measurements, our commands; not public. */
export function withConstants(constants: object): object {
  return Object.fromEntries(Object.entries(constants).map(([name, value]) => [keyOf(name), value]));
}

/** The values of options with the constants of their entry point, section by section. */
export function joined<Values extends object, Constants extends object>(
  values: Values,
  constants: Constants,
  options: object,
): Values & Constants {
  const given = options as Record<symbol, unknown>;
  const joint = Object.entries(constants).map(([name, constant]) => {
    const key = keyOf(name);
    const value = key in given ? given[key] : constant;
    const isSection = isPlain(constant);
    return [
      name,
      isSection ? { ...(values as Table)[name], ...constant, ...Object(value) } : value,
    ];
  });
  return { ...values, ...Object.fromEntries(joint) };
}
