// A folder for all tests of a file, which goes after them.

import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

export function folderOfTests(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loadahead-'));
  afterAll(() => rm(folder, { recursive: true }));
  return folder;
}
