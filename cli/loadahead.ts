#!/usr/bin/env node
// The `loadahead` command. What it says on the line is declared in program.ts; what it does stands in
// a file a command, loaded when that command runs.

import { startCommand } from './start-command.ts';

await startCommand(async () => {
  const { runProgram } = await import('./loadahead/program.ts');
  return await runProgram(process.argv);
});
