// A service that runs for months beside a site should be small rather than use what memory there is; so should a
// command that reads a log of any length. V8 by itself lets its young generation grow to 64 MiB and more as long as
// batches survive in it, and the old one to several times what is alive.
//
// These flags are read by V8 whenever it decides how far to grow, so they hold though it runs already (the flags
// that name a size are read once, when it starts). They hold for the threads of the process as well.

import { setFlagsFromString } from 'node:v8';

/** The old generation may grow by so much of what is alive before it is collected. */
const growthPercent = 40;

export function tuneGarbageCollection(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  // Helpers that have to wait for the core of the thread they help, hold it up.
  setFlagsFromString('--no-parallel-scavenge');
  // The young generation stays as large as it became while the program was loaded, about 8 MiB.
  setFlagsFromString('--semi-space-growth-factor=1');
}
