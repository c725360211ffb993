// Parses flag values, or throws an InvalidArgumentError that says how the value must be written; and reads the TLS
// files that flags name.

import { readFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import { timeOrMs } from '../options/kinds.ts';
import { checked, isOf } from '../options/options.ts';
import { fileFailure } from '../process/file-failure.ts';
import { CommandError } from './command-error.ts';

const dayMs = 86_400_000;

/** Returns the default of an option for the help, as its flag takes it: `on`, `inf`, or for a time `60d` or `1s`. */
export function usualText(name: string, value: unknown): string {
  if (value === null || value === Infinity) return 'inf';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value !== 'number' || !/(?:Ms|Bytes)$/.test(name)) return String(value);
  if (name.endsWith('Bytes')) return inMultiples(value);
  return value % dayMs === 0 ? `${value / dayMs}d` : `${value / 1000}s`;
}

const multiples = Object.entries({ G: 2 ** 30, M: 2 ** 20, k: 2 ** 10 });

function inMultiples(bytes: number): string {
  const [unit = '', factor = 1] = multiples.find(([, each]) => bytes % each === 0) ?? [];
  return `${bytes / factor}${unit}`;
}

/** Returns the texts of all defaults of a table. */
export function usualOf<Defaults extends object>(defaults: Defaults) {
  const texts = Object.entries(defaults).map(([name, value]) => [name, usualText(name, value)]);
  return Object.fromEntries(texts) as Record<keyof Defaults, string>;
}

/** Throws the rule that a flag's or a variable's value breaks; commander adds the name and the value to the message. */
export function refuseArgument(rule: string): never {
  throw new InvalidArgumentError(`${rule}.`);
}

export function whole(value: string): number {
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(Number(value)))
    refuseArgument('It must be a whole number');
  return Number(value);
}

/** Parses a time, `500`, `500ms`, `5s` or `2m`, into ms. */
export function time(value: string): number {
  const kind = timeOrMs({ least: 0 });
  const given = /^\d+$/.test(value) ? Number(value) : value;
  if (!isOf(kind, given)) refuseArgument('It must be a time such as 500ms, 5s or 2m');
  return Math.round(checked(kind, given, () => Number.NaN as never));
}

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

export function port(value: string): number {
  const number = whole(value);
  if (number > 65_535) refuseArgument('A port is a number from 0 to 65535');
  return number;
}

/** Parses a number of at least 0. */
export function decimal(value: string): number {
  if (!/^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value))
    refuseArgument('It must be a number of at least 0');
  return Number(value);
}

/** Parses device pixels per CSS pixel. */
export function density(value: string): number {
  const number = Number(value);
  if (/^\d{0,2}(?:\.\d+)?$/.test(value) && number > 0) return number;
  refuseArgument('It must be a number above 0 and below 100');
}

/** Parses how much of a log to take: a whole number of accesses, or a share of them below 1. */
export function amount(value: string): number {
  const number = decimal(value);
  if (number >= 1 && !Number.isSafeInteger(number))
    refuseArgument('It must be a whole number, or a share below 1');
  return number;
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

type TlsFlags = Partial<Record<'tlsKey' | 'tlsCert', string | undefined>>;

/** Reads key and certificate of a server; undefined if no flag names them. @throws CommandError */
export async function tlsOf({ tlsKey, tlsCert }: TlsFlags) {
  if ((tlsKey === undefined) !== (tlsCert === undefined)) {
    throw new CommandError('--tls-key and --tls-cert go together', 2);
  }
  if (tlsKey === undefined || tlsCert === undefined) return undefined;
  const key = await readGiven(tlsKey, '--tls-key');
  return { key, cert: await readGiven(tlsCert, '--tls-cert') };
}

const number = String.raw`(\d+(?:\.\d+)?|\.\d+)`;
const single = new RegExp(`^${number}$`);
const range = new RegExp(String.raw`^${number}\.\.${number}(?::${number})?$`);
const mostValues = 10_000;

interface RangeRules {
  least: number;
  most: number;
  /** True: only whole numbers are accepted. */
  whole?: boolean;
}

/**
 * Reads the list of `--window`. Here and below, a list has numbers and ranges, joined by commas, in the order written:
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
