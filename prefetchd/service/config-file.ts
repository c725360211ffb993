// The configuration file: a JSON object with the names of settings.ts. A wrong name or value is refused with
// its place, so that no setting is silently lost.

import { readFile } from 'node:fs/promises';
import { fileFailure } from '../../process/file-failure.ts';
import { PrefetchdError } from '../errors.ts';
import {
  type SettingKind,
  type SettingName,
  type Settings,
  settingKinds,
  settingNames,
} from './settings.ts';

/** @param known what may stand in it. @throws PrefetchdError `config-unreadable` */
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

/** @param name of the file, for messages. @throws PrefetchdError `config-unreadable` */
export function parseConfig(
  content: string,
  name: string,
  known: readonly SettingName[] = settingNames.serve,
): Settings {
  let value: unknown;
  try {
    value = JSON.parse(content.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw unreadable(`${name} is no JSON: ${(cause as Error).message}`, cause);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw unreadable(`${name} must be a JSON object`);
  }
  const settings: Record<string, unknown> = {};
  for (const [key, given] of Object.entries(value)) {
    if (!(known as readonly string[]).includes(key)) {
      throw unreadable(`${name}: ${key.slice(0, 40)} is unknown; there are ${known.join(', ')}`);
    }
    const kind: SettingKind<unknown> = settingKinds[key as keyof typeof settingKinds];
    const read = kind.ofJson(given);
    if (read === undefined) {
      // A token of a wrong type is no reason to print it.
      const shown = key === 'token' ? '' : `, not ${JSON.stringify(given).slice(0, 60)}`;
      throw unreadable(`${name}: ${key} must be ${kind.rule}${shown}`);
    }
    settings[key] = read;
  }
  return settings;
}

function unreadable(message: string, cause?: unknown): PrefetchdError {
  return new PrefetchdError('config-unreadable', message, { cause });
}
