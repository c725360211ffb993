// Loads the HTML scanner on demand. It is needed a round trip after the first request, so it is loaded in between; a
// page that receives bytes earlier waits for it.

import type { createScanner, Scanner, ScannerOptions } from '../scan/index.ts';

let create: typeof createScanner | null = null;

export function scannerIsLoaded(): boolean {
  return create !== null;
}

export async function loadScanner(): Promise<void> {
  create ??= (await import('../scan/index.ts')).createScanner;
}

/** @throws Error if the scanner is not loaded yet. */
export function openScanner(options: ScannerOptions): Scanner {
  if (create === null) throw new Error('the scanner is not loaded yet');
  return create(options);
}
