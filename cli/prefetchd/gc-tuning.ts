// A service that runs for months beside a site should be small rather than use all available memory; so should a
// command that reads a log of any length. By default, V8 lets its young generation grow to 64 MiB and more as long as
// batches survive in it, and the old generation to several times the size of its live objects.
//
// V8 reads these flags whenever it decides how far to grow, so they take effect although it is already running (flags
// that set a size are read only once, at the start). They apply to the threads of the process as well.

import { setFlagsFromString } from 'node:v8';

/** The old generation may grow by this share of its live objects before it is collected. */
const growthPercent = 40;

export function tuneGarbageCollection(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  // Helper threads that have to wait for the core of the thread that they help would delay it.
  setFlagsFromString('--no-parallel-scavenge');
  // The young generation keeps the size that it had after the program was loaded, about 8 MiB.
  setFlagsFromString('--semi-space-growth-factor=1');
}
