// Combines the settings of a command that runs prefetchd: flags override variables, and variables override the file.
// The options of the parts are made from them. The parts check the values.

import { readFile } from 'node:fs/promises';
import { fileFailure } from '../../process/file-failure.ts';
import { CommandError } from '../command-error.ts';
import { readConfigFile } from './read-settings.ts';
import { type Serving, type Settings, settingsFor } from './settings.ts';

export interface ConfigFlags extends Settings {
  config?: string;
}

/** Where settings come from, so that they can be read again. */
export interface SettingSource {
  config: string | undefined;
  /** Settings from flags and variables. */
  flags: Settings;
  command: Serving;
}

export function settingSource(
  command: SettingSource['command'],
  { config, ...flags }: ConfigFlags,
): SettingSource {
  // Commander has no null, so `inf` is passed as a number.
  const entries = Object.entries(flags).map(([name, value]) => [
    name,
    value === Number.POSITIVE_INFINITY ? null : value,
  ]);
  return { config, flags: Object.fromEntries(entries), command };
}

/** The present settings in the file of --config; none without it. @throws PrefetchdError `config-unreadable` */
export async function fileSettings({ config, command }: SettingSource): Promise<Settings> {
  return config === undefined ? {} : readConfigFile(config, settingsFor(command));
}

export async function settingsOf(source: SettingSource): Promise<Settings> {
  return { ...(await fileSettings(source)), ...source.flags };
}

/** The token; `@FILE` names the file that contains it. */
export async function tokenOf({ token }: Settings): Promise<string | null> {
  if (!token?.startsWith('@')) return token ?? null;
  const path = token.slice(1);
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (cause) {
    throw new CommandError(`--token: ${fileFailure(path, 'read', cause)}`, 2, { cause });
  }
}

export function denyOf({ deny = [], allow = [] }: Settings) {
  return { extra: deny, allow };
}

/** The named properties that have a value. */
export function pick<T extends object, K extends keyof T>(from: T, ...names: K[]): Pick<T, K> {
  const picked = names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]]));
  return Object.fromEntries(picked);
}
