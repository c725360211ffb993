// Reads settings from texts (flags and environment variables) and from the JSON file of --config. One table checks
// them, so that all three sources have the same error messages. A wrong name or value in the file is refused and its
// location reported: no setting is silently ignored.

import { readFile } from 'node:fs/promises';
import { text } from '../../options/kinds.ts';
import { checked, type Kind, objectOf, optionWithoutDefault } from '../../options/options.ts';
import { PrefetchdError } from '../../prefetchd/errors.ts';
import { fileFailure } from '../../process/file-failure.ts';
import { flagValue } from '../option-flags.ts';
import { type SettingName, type Settings, settings, settingsFor } from './settings.ts';

/** Returns the type and checks of a configuration file with these settings; editors find its schema by `$schema`. */
export function fileKind(known: readonly SettingName[]) {
  const schema = text({ rule: 'the place of a JSON Schema' });
  const named = known.map((name) => [
    name,
    optionWithoutDefault(settings[name].kind as Kind<unknown>),
  ]);
  return objectOf({ $schema: optionWithoutDefault(schema), ...Object.fromEntries(named) });
}

/** Settings whose values are never shown in messages, and are checked by the code that uses them. */
const secrets: readonly SettingName[] = ['token', 'store'];

/** Reads a setting from the text of a flag or a variable. @param before The value of an earlier use of the flag */
export function settingOfText(name: SettingName, given: string, before: unknown): unknown {
  return secrets.includes(name) ? given : flagValue(settings[name].kind, given, before);
}

/** Reads a configuration file (JSON). @param known permitted settings. @throws PrefetchdError `config-unreadable` */
export async function readConfigFile(
  path: string,
  known: readonly SettingName[] = settingsFor('serve'),
): Promise<Settings> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (cause) {
    throw unreadable(fileFailure(path, 'read', cause), cause);
  }
  return parseConfig(content, path, known);
}

/** Parses a configuration file. @param name its name for messages. @throws PrefetchdError `config-unreadable` */
export function parseConfig(
  content: string,
  name: string,
  known: readonly SettingName[] = settingsFor('serve'),
): Settings {
  let value: unknown;
  try {
    value = JSON.parse(content.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw unreadable(`${name} is not JSON: ${(cause as Error).message}`, cause);
  }
  const { $schema: _, ...given } = checked(
    fileKind(known),
    value,
    (sentence) => {
      throw unreadable(`${name}: ${sentence}`);
    },
    { name: 'it', noun: '' },
  );
  return given;
}

function unreadable(message: string, cause?: unknown): PrefetchdError {
  return new PrefetchdError('config-unreadable', message, { cause });
}
