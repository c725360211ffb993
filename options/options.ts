// Objects of options: each name with its kind, default and meaning. One such table checks what programs, flags, files and
// requests give, fills in the defaults, and becomes the tables of docs/ and the JSON Schemas (test/repository). Only the
// files of this folder know the library that does it.
//
// Guarantee: a name that is not in the table is refused, so no option is silently lost; what is undefined is absent.

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
  /** The default in words, where its value says little: `room`. */
  shownDefault?: string;
}

/** One option. @param meaning for the tables of docs/, in Markdown */
export function option<Kind extends GenericSchema>(
  kind: Kind,
  byDefault: InferOutput<Kind>,
  meaning: string,
  shown: Shown = {},
): OptionalSchema<Kind, () => InferOutput<Kind>> {
  const told = pipe(kind, description(meaning), metadata({ ...shown }));
  // As a function, so that a default that is one is not called.
  return optional(told, () => byDefault) as never;
}

/** One that has no default. */
export function optionWithoutDefault<Kind extends GenericSchema>(
  kind: Kind,
  meaning: string,
  shown: Shown = {},
): ExactOptionalSchema<Kind, undefined> {
  return optional(pipe(kind, description(meaning), metadata({ ...shown }))) as never;
}

/** One that must be given. */
export function required<Kind extends GenericSchema>(kind: Kind, meaning: string): Kind {
  return pipe(kind, description(meaning), metadata({ shownDefault: 'required' })) as never;
}

export type OutputOf<Kind extends GenericSchema> = InferOutput<Kind>;

/** An option whose values are of one type. */
export type OptionOf<Value> = GenericSchema<unknown, Value>;

/** Each option of a type with its kind; a table `satisfies` this. */
export type TableOf<Options> = {
  readonly [Name in keyof Options]-?: GenericSchema<unknown, Options[Name] | undefined>;
};

export type Table = Readonly<Record<string, GenericSchema>>;

const noObject = (input: unknown) =>
  mustBe('an object')({ kind: 'schema', expected: 'Object', input });

const isObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** As JSON has them: with no names but their own. */
const isPlain = (value: unknown) =>
  isObject(value) && Object.getPrototypeOf(value) === Object.prototype;

/** The object that a table describes. */
export function objectOf<const Entries extends Table>(entries: Entries) {
  const told = strictObject(entries, wrongName(entries));
  const kind = pipe(anObject(told, isObject), ownNames, told, transform(withoutUndefined));
  return kind as unknown as StrictObjectSchema<Entries, undefined>;
}

/** The same of JSON that others send: names that are not in the table are left out. */
export function looseObjectOf<const Entries extends Table>(entries: Entries) {
  const told = object(entries, wrongName(entries));
  return pipe(anObject(told, isPlain), told) as unknown as ObjectSchema<Entries, undefined>;
}

/** @param describes what stands for it in a JSON Schema, where an object is one */
function anObject(describes: GenericSchema, isIt: (value: unknown) => boolean) {
  const kind = custom<object>(isIt, ({ input }) => noObject(input));
  return Object.assign(kind, { describes });
}

/** What a prototype has counts for nothing. */
const ownNames = transform((given: object): object => ({ __proto__: null, ...given }));

/** A name that is not in the table, or one of it that must be given. */
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

/** Options that are an object of options, each with its default. */
export function section<const Entries extends Table>(entries: Entries, meaning = '') {
  return option(objectOf(entries), {} as never, meaning);
}

/** Told of the first that is wrong: a sentence that begins with its place, and the same without. */
export type Fail = (sentence: string, withoutPlace: string) => never;

export interface Naming {
  /** What stands before each place: `prefetch`, of options inside an option. */
  inside?: string;
  /** What is checked, where it is no object at all. */
  name?: string;
  /** Said before a name that is unknown. */
  noun?: string;
}

/** What is given, with every default filled in. */
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

/** Of a value that may be of several kinds: what is wrong inside it, where something is. */
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

/** All that is wrong with what others sent, where `checked` tells the first. */
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
