// Parses flag values, or throws an InvalidArgumentError that says how the value must be written; and reads the TLS
// files that flags name.

import { readFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import {
  byteUnits,
  filePath,
  inUnits,
  number,
  portKind,
  timeOrMs,
  timeUnits,
  wholeNumber,
} from '../options/kinds.ts';
import {
  checked,
  isOf,
  type Kind,
  type OptionsOf,
  optionWithoutDefault,
  type ValueOf,
} from '../options/options.ts';
import { fileFailure } from '../process/file-failure.ts';
import { CommandError } from './command-error.ts';

export type Row = Kind<unknown>;

/** Returns the default of an option for the help, as its flag takes it: `on`, `inf`, or for a time `60d` or `1m`. */
export function usualText(name: string, value: unknown): string {
  if (value === null || value === Infinity) return 'inf';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value !== 'number' || !/(?:Ms|Bytes)$/.test(name)) return String(value);
  return inUnits(value, name.endsWith('Bytes') ? byteUnits : timeUnits);
}

/** Returns the default of each option of a table, as its flag takes it. */
export function usualOf<Defaults extends object>(defaults: Defaults) {
  const texts = Object.entries(defaults).map(([name, value]) => [name, usualText(name, value)]);
  return Object.fromEntries(texts) as Record<keyof Defaults, string>;
}

/** Throws the rule that a flag's or a variable's value breaks; commander adds the name and the value to the message. */
export function refuseArgument(rule: string): never {
  throw new InvalidArgumentError(`${rule}.`);
}

/** Reads the value of an option from a text. @throws what `fail` throws for the broken rule */
export function valueOfText(row: Row, given: string, fail: (rule: string) => never): unknown {
  const kind = row.written ?? row;
  const all = readings(kind, given, row.isRepeated);
  const value = all.find((reading) => isOf(kind, reading)) ?? all.at(-1);
  return checked(kind, value, (_, __, ___, rule) => fail(`It ${rule}`));
}

/** Returns the values that a text may stand for, the likeliest first: a text, a number or a list. */
function readings({ schema }: Row, given: string, isEntry = false): unknown[] {
  if (isEntry) return [[given]];
  const items = given.split(',').map((item) => item.trim());
  const isList = ({ type }: Row['schema']) => type === 'array';
  if (isList(schema)) return [items];
  const isNumber = /^(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(given);
  return [
    given,
    ...(isNumber ? [Number(given)] : []),
    ...(schema.anyOf?.some(isList) ? [items] : []),
  ];
}

/** Returns the parser of a flag that is in no table of options. */
export function parsed<K extends Row>(kind: K): (given: string) => ValueOf<K> {
  return (given) => valueOfText(kind, given, refuseArgument) as ValueOf<K>;
}

export const whole = parsed(wholeNumber({}));
export const decimal = parsed(number({ least: 0 }));
export const port = parsed(portKind);
/** Parses how many times a page is to be loaded. */
export const runs = parsed(wholeNumber({ least: 1, most: 1_000 }));
/** Parses a time, `500`, `500ms`, `5s` or `2m`, into ms. */
export const time = parsed(timeOrMs({ least: 0 }));
/** Splits `a,b` into names; the code that uses the names checks them. */
export function commaSeparated(value: string): string[] {
  return value.split(',').map((name) => name.trim());
}

/** Checks the names that a flag lists, and leaves out repetitions. @throws CommandError */
export function namesIn<Name extends string>(
  flag: string,
  given: readonly string[],
  known: readonly Name[],
): Name[] {
  const wrong = given.find((name) => !known.includes(name as Name));
  if (wrong === undefined) return [...new Set(given as Name[])];
  const names = known.join(', ');
  throw new CommandError(`${flag}: there is no ${JSON.stringify(wrong)}; there are ${names}`, 2);
}

/** Returns an object of the named properties that have a value. */
export function pick<T extends object, K extends keyof T>(from: T, ...names: K[]): Pick<T, K> {
  const picked = names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]]));
  return Object.fromEntries(picked);
}

/** Reads the file that a flag names. @throws CommandError that names the flag */
export async function readGiven(file: string, flag: string, exitCode: 1 | 2 = 2): Promise<Buffer> {
  return await readFile(file).catch((cause) => {
    throw new CommandError(`${flag}: ${fileFailure(file, 'read', cause)}`, exitCode, { cause });
  });
}

/** The flags of a server's key and certificate. */
export const tlsTable = {
  tlsKey: optionWithoutDefault(filePath, {
    flag: '--tls-key <file>',
    help: 'private key, PEM: serve over TLS, HTTP/2 and 1.1; with --tls-cert',
  }),
  tlsCert: optionWithoutDefault(filePath, {
    flag: '--tls-cert <file>',
    help: 'certificate chain, PEM; with --tls-key',
  }),
};
type TlsFlags = OptionsOf<typeof tlsTable>;

/** Reads key and certificate of a server; undefined if no flag names them. @throws CommandError */
export async function tlsOf({ tlsKey, tlsCert }: TlsFlags) {
  if ((tlsKey === undefined) !== (tlsCert === undefined)) {
    throw new CommandError('--tls-key and --tls-cert go together', 2);
  }
  if (tlsKey === undefined || tlsCert === undefined) return undefined;
  const key = await readGiven(tlsKey, '--tls-key');
  return { key, cert: await readGiven(tlsCert, '--tls-cert') };
}

const digits = String.raw`(\d+(?:\.\d+)?|\.\d+)`;
const single = new RegExp(`^${digits}$`);
const range = new RegExp(String.raw`^${digits}\.\.${digits}(?::${digits})?$`);
const mostValues = 10_000;

interface RangeRules {
  least: number;
  most: number;
  /** True: only whole numbers are accepted. */
  whole?: boolean;
}

/**
 * Reads the list of `--window`. Lists of such flags have numbers and ranges, joined by commas, in the order written:
 * `4`, `1,2,inf`, `2..10`, `0.0..1.1:0.1`. Steps are counted, not added up, so that 0.0..1.1:0.1 contains 0.3 and not
 * 0.30000000000000004.
 */
export function windows(text: string): number[] {
  return commaSeparated(text).flatMap((part) =>
    numbersIn(part, { least: 2, most: 100, whole: true }),
  );
}

export function thresholds(text: string): number[] {
  return commaSeparated(text).flatMap((part) => numbersIn(part, { least: 0, most: 2 }));
}

/** Reads the list of `--limit`; `inf` and `none` become null, which means no limit. */
export function limits(text: string): Array<number | null> {
  const isNone = (part: string) => /^(inf|infinite|none)$/i.test(part);
  const rules = { least: 1, most: 10_000, whole: true };
  return commaSeparated(text).flatMap((part) => (isNone(part) ? [null] : numbersIn(part, rules)));
}

function numbersIn(part: string, { least, most, whole = false }: RangeRules): number[] {
  const [, first, last = first, step = '1'] = range.exec(part) ?? single.exec(part) ?? [];
  if (first === undefined || last === undefined)
    refuseArgument('It must be a number or a range FIRST..LAST[:STEP]');
  const [from, to, by] = [Number(first), Number(last), Number(step)];
  if (by === 0) refuseArgument('A range must have a step above 0');
  if (to < from) refuseArgument('A range must rise');
  if (from < least || to > most) refuseArgument(`It must be from ${least} to ${most}`);
  // A tiny amount is added to the number of steps, because 1.1 / 0.1 is just below 11.
  const count = Math.floor((to - from) / by + 1e-9) + 1;
  if (count > mostValues) refuseArgument(`It must be at most ${mostValues} values`);
  const digits = Math.max(decimals(first), decimals(step));
  const values = Array.from({ length: count }, (_, at) => Number((from + at * by).toFixed(digits)));
  if (whole && !values.every(Number.isInteger)) refuseArgument('It must be whole numbers');
  return values;
}

function decimals(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}
