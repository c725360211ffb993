// Option objects: each name with its kind, default and description. One such table checks what programs, flags, files
// and requests supply, fills in defaults, and generates the tables of docs/ and the JSON Schemas (test/repository).
// Only this folder depends on the schema library.
//
// Guarantee: a name that is not in the table is refused, so no option is silently ignored; undefined counts as
// absent.

import {
  type BaseIssue,
  custom,
  description,
  type ExactOptionalSchema,
  type GenericSchema,
  getDefault,
  type InferOutput,
  is,
  metadata,
  type ObjectIssue,
  type ObjectSchema,
  type OptionalSchema,
  object,
  optional,
  pipe,
  type StrictObjectIssue,
  type StrictObjectSchema,
  safeParse,
  strictObject,
  transform,
} from 'valibot';
import { mustBe, placeOf, unknownName } from './refusal.ts';

export interface Shown {
  /** The default in words, if its value is not meaningful: `room`. */
  shownDefault?: string;
}

/** An option with a default. @param meaning in Markdown, for the tables of docs/ */
export function option<Kind extends GenericSchema>(
  kind: Kind,
  byDefault: InferOutput<Kind>,
  meaning: string,
  shown: Shown = {},
): OptionalSchema<Kind, () => InferOutput<Kind>> {
  const told = pipe(kind, description(meaning), metadata({ ...shown }));
  // The default is passed as a function, because the library calls a default that is a function.
  return optional(told, () => byDefault) as never;
}

/** An option without a default. */
export function optionWithoutDefault<Kind extends GenericSchema>(
  kind: Kind,
  meaning: string,
  shown: Shown = {},
): ExactOptionalSchema<Kind, undefined> {
  return optional(pipe(kind, description(meaning), metadata({ ...shown }))) as never;
}

/** A required option. */
export function required<Kind extends GenericSchema>(kind: Kind, meaning: string): Kind {
  return pipe(kind, description(meaning), metadata({ shownDefault: 'required' })) as never;
}

export type OutputOf<Kind extends GenericSchema> = InferOutput<Kind>;

/** An option whose values have one type. */
export type OptionOf<Value> = GenericSchema<unknown, Value>;

/** Each option of a type with its kind; tables `satisfies` this. */
export type TableOf<Options> = {
  readonly [Name in keyof Options]-?: GenericSchema<unknown, Options[Name] | undefined>;
};

export type Table = Readonly<Record<string, GenericSchema>>;

const noObject = (input: unknown) =>
  mustBe('an object')({ kind: 'schema', expected: 'Object', input });

const isObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A plain object, as in JSON. */
const isPlain = (value: unknown) =>
  isObject(value) && Object.getPrototypeOf(value) === Object.prototype;

/** The object that a table describes. */
export function objectOf<const Entries extends Table>(entries: Entries) {
  const told = strictObject(entries, wrongName(entries));
  const kind = pipe(anObject(told, isObject), ownNames, told, transform(withoutUndefined));
  return kind as unknown as StrictObjectSchema<Entries, undefined>;
}

/** Like `objectOf`, for JSON that others send: unknown names are ignored. */
export function looseObjectOf<const Entries extends Table>(entries: Entries) {
  const told = object(entries, wrongName(entries));
  return pipe(anObject(told, isPlain), told) as unknown as ObjectSchema<Entries, undefined>;
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

/** A nested object of options, each with its default. */
export function section<const Entries extends Table>(entries: Entries, meaning = '') {
  return option(objectOf(entries), {} as never, meaning);
}

/** Receives the first error: a sentence that begins with its place, and the same without the place. */
export type Fail = (sentence: string, withoutPlace: string) => never;

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
  return fail(`${isUnknown ? noun : ''}${place === '' ? name : place} ${message}`, message);
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
export function defaultsOf<const Entries extends Table>(
  entries: Entries,
): { [Name in keyof Entries]: InferOutput<Entries[Name]> } {
  const named = Object.entries(entries).map(([name, kind]) => [name, getDefault(kind)]);
  return Object.fromEntries(named);
}
