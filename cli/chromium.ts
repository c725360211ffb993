// The Chromium of this machine, for the commands that can use a browser; the package playwright-core drives it.

import { existsSync } from 'node:fs';

/** Paths at which systems have Chromium. */
export const chromiums = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Returns the path of Chromium; null: there is none. */
export const findChromium = (): string | null => chromiums.find(existsSync) ?? null;

/** Starts Chromium without a window. Its sandbox does not start for root. @throws if playwright-core is missing */
export async function launchChromium(executablePath: string) {
  const { chromium } = await import('playwright-core');
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args, timeout: 60_000 });
}
