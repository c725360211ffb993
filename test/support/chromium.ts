// A real browser for tests: the system's Chromium, driven by playwright-core, which brings none of its own.
// Tests that need it are skipped by name where there is none: `describe.skipIf(!hasChromium)`.

import { existsSync } from 'node:fs';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';

/** null: there is none. */
export const chromiumPath =
  ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync) ??
  null;

export const hasChromium = chromiumPath !== null;

/** Headless; its sandbox does not start for root. Close it yourself. */
export async function launchChromium(options: LaunchOptions = {}): Promise<Browser> {
  if (chromiumPath === null) throw new Error('there is no Chromium');
  const isRoot = process.getuid?.() === 0;
  const args = [...(isRoot ? ['--no-sandbox'] : []), ...(options.args ?? [])];
  return chromium.launch({ ...options, executablePath: chromiumPath, args });
}
