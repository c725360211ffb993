// Combines the settings of a command that runs prefetchd: flags override variables, and variables override the file.
// The options of the store, the engine and the server are made from the settings, and each part checks its values.

import { text } from '../../options/kinds.ts';
import { checked } from '../../options/options.ts';
import { invalidOption } from '../../prefetchd/errors.ts';
import { tokenRule } from '../../prefetchd/service/service-kinds.ts';
import { readGiven } from '../flag-values.ts';
import { readConfigFile } from './read-settings.ts';
import { type Serving, type Settings, settingsFor } from './settings.ts';

export interface ConfigFlags extends Settings {
  config?: string;
}

/** Where settings come from, so that they can be read again. */
export interface SettingSource {
  config: string | undefined;
  /** Settings from flags and environment variables. */
  flags: Settings;
  command: Serving;
  /** True if SIGHUP came before the engine ran: the file is to be read again. */
  isChanged: boolean;
}

export function settingSource(
  command: SettingSource['command'],
  { config, ...flags }: ConfigFlags,
): SettingSource {
  // Commander takes null for a missing value, so `inf`, which stands for null, has come as Infinity.
  const entries = Object.entries(flags).map(([name, value]) => [
    name,
    value === Number.POSITIVE_INFINITY ? null : value,
  ]);
  const source = { config, flags: Object.fromEntries(entries), command, isChanged: false };
  // SIGHUP reads the file again (engine-flags.ts); as long as the store is being read, it must not end the process.
  if (config !== undefined)
    process.on('SIGHUP', () => {
      source.isChanged = true;
    });
  return source;
}

/** Returns the settings: those of flags, else those that the file of --config has now. @throws PrefetchdError
 *  `config-unreadable` */
export async function settingsOf({ config, command, flags }: SettingSource): Promise<Settings> {
  const file = config === undefined ? {} : await readConfigFile(config, settingsFor(command));
  return { ...file, ...flags };
}

/** Returns the token that the hint service requires; `@FILE` stands for what the file contains; null: none is set. */
export async function tokenOf({ token }: Settings): Promise<string | null> {
  if (token === undefined || token === null) return null;
  const isFile = token.startsWith('@');
  const own = isFile ? `${await readGiven(token.slice(1), '--token')}`.trim() : token;
  return checked(text(tokenRule), own, invalidOption, { name: 'token' });
}
