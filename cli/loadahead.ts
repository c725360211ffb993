#!/usr/bin/env node
// The `loadahead` command. What it says on the line is declared in program.ts; what it does stands in
// a file a command, loaded when that command runs. Node's compile cache is on: a command line is
// started often and lives for a moment.
//
// An old Node must get as far as the check: no import here names what it lacks.

import module from 'node:module';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 19)) {
  module.enableCompileCache();
  const { runProgram } = await import('./program.ts');
  process.exitCode = await runProgram(process.argv);
} else {
  process.stderr.write(`loadahead needs Node 22.19 or newer; this is ${process.version}\n`);
  process.exitCode = 2;
}
