#!/usr/bin/env node
// The `loadahead` command. What it says on the line is declared here; what it does stands in a file
// a command, loaded when that command runs. Node's compile cache is on: a command line is started
// often and lives for a moment.

import { enableCompileCache } from 'node:module';

enableCompileCache();
const { runProgram } = await import('./program.ts');
process.exitCode = await runProgram(process.argv);
