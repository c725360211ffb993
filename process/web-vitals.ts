// The text of the web-vitals library as a script for pages. The build copies it into the package, so that no site
// installs the library; in the clone it is read from where npm installed it.

import { existsSync, readFileSync } from 'node:fs';

const name = 'web-vitals.iife.js';
let text: string | undefined;

export function webVitals(): string {
  text ??= readFileSync(place(), 'utf8').trim();
  return text;
}

function place(): URL {
  const copied = new URL(name, import.meta.url);
  return existsSync(copied) ? copied : new URL(name, import.meta.resolve('web-vitals'));
}
