// The configuration file: a JSON object with the names of settings.ts. A wrong name or value is refused and its
// location reported, so that no setting is silently ignored.

import { readFile } from 'node:fs/promises';
import { checked } from '../../options/options.ts';
import { fileFailure } from '../../process/file-failure.ts';
import { PrefetchdError } from '../errors.ts';
import { fileKind, type SettingName, type Settings, settingNames } from './settings.ts';

/** @param known the permitted settings. @throws PrefetchdError `config-unreadable` */
export async function readConfigFile(
  path: string,
  known: readonly SettingName[] = settingNames.serve,
): Promise<Settings> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (cause) {
    throw unreadable(fileFailure(path, 'read', cause), cause);
  }
  return parseConfig(content, path, known);
}

/** @param name file name for messages. @throws PrefetchdError `config-unreadable` */
export function parseConfig(
  content: string,
  name: string,
  known: readonly SettingName[] = settingNames.serve,
): Settings {
  let value: unknown;
  try {
    value = JSON.parse(content.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw unreadable(`${name} is not JSON: ${(cause as Error).message}`, cause);
  }
  const { $schema: _, ...settings } = checked(
    fileKind(known),
    value,
    (sentence) => {
      throw unreadable(`${name}: ${sentence}`);
    },
    { name: 'it', noun: '' },
  );
  return settings;
}

function unreadable(message: string, cause?: unknown): PrefetchdError {
  return new PrefetchdError('config-unreadable', message, { cause });
}
