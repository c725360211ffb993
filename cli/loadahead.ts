#!/usr/bin/env node
// Starts the command `loadahead`. Its commands and flags are declared in program.ts; each is implemented in a file of
// its own, which is loaded when the command runs.

import { startCommand } from './start-command.ts';

await startCommand(async () => {
  const { runProgram } = await import('./loadahead/program.ts');
  return await runProgram(process.argv);
});
