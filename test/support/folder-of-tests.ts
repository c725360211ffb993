// Folders for all tests of a file, or for one test, which go after them.

import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

export function folderOfTests(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loadahead-'));
  afterAll(() => rm(folder, { recursive: true }));
  return folder;
}

/** A folder for the running test, which goes after it. */
export function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loadahead-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}
