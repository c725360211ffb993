// What scans HTML is needed when the first of it comes, a round trip after the request for it left: it is loaded in
// between, and a page that has bytes before it is there waits for it.

import type { createScanner, Scanner, ScannerOptions } from '../scan/index.ts';

let create: typeof createScanner | null = null;

export function scannerIsLoaded(): boolean {
  return create !== null;
}

export async function loadScanner(): Promise<void> {
  create ??= (await import('../scan/index.ts')).createScanner;
}

/** @throws Error when it was not waited for. */
export function openScanner(options: ScannerOptions): Scanner {
  if (create === null) throw new Error('the scanner is not loaded yet');
  return create(options);
}
