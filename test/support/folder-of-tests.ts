// Folders of tests, which go after them.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** For all tests of a file. */
export function folderOfTests(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loadahead-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** For the test that is running. */
export function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loadahead-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
