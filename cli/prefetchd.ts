#!/usr/bin/env node
// The `prefetchd` command, as loadahead.ts is the other.
//
// An old Node must get as far as the check: no import here names what it lacks.

import module from 'node:module';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 19)) {
  module.enableCompileCache();
  const { runPrefetchd } = await import('./prefetchd-program.ts');
  process.exitCode = await runPrefetchd(process.argv);
} else {
  process.stderr.write(`prefetchd needs Node 22.19 or newer; this is ${process.version}\n`);
  process.exitCode = 2;
}
