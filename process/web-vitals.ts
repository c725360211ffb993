// The text of the web-vitals library as a script for pages, read from the installed package once.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

let text: string | undefined;

export function webVitals(): string {
  const folder = dirname(fileURLToPath(import.meta.resolve('web-vitals')));
  text ??= readFileSync(join(folder, 'web-vitals.iife.js'), 'utf8').trim();
  return text;
}
