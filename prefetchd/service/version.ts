// The version in package.json, which is two or three folders up: from the sources or from dist/.

import { readFileSync } from 'node:fs';

export const version: string =
  versionAt('../../package.json') ?? versionAt('../../../package.json') ?? '';

function versionAt(path: string): string | null {
  try {
    const { name, version } = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
    return name === 'loadahead' ? version : null;
  } catch {
    return null;
  }
}
