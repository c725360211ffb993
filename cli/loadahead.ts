#!/usr/bin/env node
// The `loadahead` command. What it says on the line is declared in program.ts; what it does stands in
// a file a command, loaded when that command runs.

import { earlyTarget } from './loadahead/early-target.ts';
import { startCommand } from './start-command.ts';

await startCommand(async () => {
  const target = earlyTarget(process.argv.slice(2));
  if (target !== null) {
    const { connectEarly } = await import('../loader/transport/connect/early-connection.ts');
    // Modules are read without a pause: until the event loop has its turn, nothing is sent, nor is it seen how soon
    // a server nearby answers.
    await connectEarly(target);
  }
  const { runProgram } = await import('./loadahead/program.ts');
  return await runProgram(process.argv);
});
