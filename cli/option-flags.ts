// Makes flags from the rows of option tables (options/options.ts), options from the flags that were given, and messages
// in the words of the command line: the name, the meaning, the default and the rule of a flag are in its row alone.

import { type Command, Option } from 'commander';
import { type OptionsOf, type Table, wordsOf } from '../options/options.ts';
import { type Row, refuseArgument, usualText, valueOfText } from './flag-values.ts';

/** Adds the flags of options to a command. @param places Where the options are in the table, as `timeouts.pageMs` */
export function addOptionFlags(command: Command, table: Table, ...places: string[]): Command {
  for (const place of places) {
    const option = optionFlag(table, place);
    command.addOption(option);
    const { never } = rowAt(table, place).row ?? {};
    if (never !== undefined) command.option(`--no-${option.name()}`, never);
  }
  return command;
}

/** Makes the flag of an option. The help names the words of an option that is one of several. */
export function optionFlag(table: Table, place: string): Option {
  const { row = {} as Row, name } = rowAt(table, place);
  const { flag = '', help = '' } = row;
  const option = new Option(flag, helpOf(name, row));
  const words = wordsOf(row);
  if (words.length > 0) {
    option.choices(words);
    return help.includes('{default}') ? option : option.default(row.byDefault);
  }
  // A flag without a value stands for what is not the default: `--no-cookies`, `--insecure`.
  const { byDefault } = row;
  if (!hasValue(flag)) return typeof byDefault === 'boolean' ? option.preset(!byDefault) : option;
  return option.argParser((given, before) => flagValue(row, given, before));
}

/** Returns the options that flags give, named by their rows; absent ones and sections without any are left out.
 *  @param flags By attributes as commander names them: `halfLife` for `--half-life <time>`; Infinity stands for null */
export function optionsOfFlags<Rows extends Table>(rows: Rows, flags: object): OptionsOf<Rows> {
  const given: Readonly<Record<string, unknown>> = { ...flags };
  const options = Object.entries(rows).map(([name, { flag, rows: inside }]) => {
    if (flag !== undefined) {
      const value = given[new Option(flag).attributeName()];
      return [name, value === Number.POSITIVE_INFINITY ? null : value];
    }
    const section = inside === undefined ? {} : optionsOfFlags(inside, flags);
    return [name, Object.keys(section).length === 0 ? undefined : section];
  });
  return Object.fromEntries(options.filter(([, value]) => value !== undefined));
}

/** Returns the message of an error about an option with the option's flag: `--timeout must be ...`. */
export function inFlags(
  error: Error & { option?: string | null; reason?: string | null },
  table: Table,
): string {
  const { message, option, reason } = error;
  const { row, rest } = rowAt(table, option ?? '');
  const flag = row?.flag?.replace(/ [<[][^\]>]*[\]>]/g, '');
  return flag === undefined || !reason ? message : [flag, ...rest, reason].join(' ');
}

/** Finds the row at a place of a table of options. @returns The row, its name, and the rest of the place */
function rowAt(
  table: Table,
  place: string,
): { row: Row | undefined; name: string; rest: readonly string[] } {
  const [first = '', ...behind] = place.replace(/\[\d+\]$/, '').split('.');
  const isWhole = table[place] !== undefined; // `deny.allow` has a flag of its own
  const [name, rest] = isWhole ? [place, []] : [first, behind];
  const row = table[name];
  const { rows } = row ?? {};
  return rows === undefined || row?.flag !== undefined || rest.length === 0
    ? { row, name, rest }
    : rowAt(rows, rest.join('.'));
}

const hasValue = (flag: string) => /[<[]/.test(flag);

/** Returns the meaning of an option's flag with the default. @param name The option's name, which tells its unit */
export function helpOf(name: string, { help = '', flag = '', byDefault, ...row }: Row): string {
  const { shownDefault } = row;
  const usual = shownDefault ?? usualText(name, byDefault);
  if (help.includes('{default}')) return help.replace('{default}', usual);
  const isSaid = shownDefault !== undefined || wordsOf(row as Row).length > 0;
  if (isSaid || !hasValue(flag) || typeof (byDefault ?? {}) === 'object') return help;
  return `${help} (${usual})`;
}

/** Reads the value of a flag or a variable. A list is added to that of an earlier flag; Infinity stands for null, which
 *  commander takes for a missing value. */
export function flagValue(row: Row, given: string, before: unknown): unknown {
  const value = valueOfText(row, given, refuseArgument);
  if (value === null) return Number.POSITIVE_INFINITY;
  return Array.isArray(value) && Array.isArray(before) ? [...before, ...value] : value;
}
