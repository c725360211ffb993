#!/usr/bin/env node
// The `loadahead` command. Its commands and flags are declared in program.ts; each command is implemented in a file of
// its own, which is loaded when the command runs.

import { startCommand } from './start-command.ts';

await startCommand(async () => {
  const { runProgram } = await import('./loadahead/program.ts');
  return await runProgram(process.argv);
});
