// The first thing a command does: see that this Node is new enough. Node's compile cache is on: a command
// line is started often and lives for a moment.
//
// An old Node must get as far as the check: no static import here names what it lacks.

import module from 'node:module';

/** @param run resolves with the exit code; it imports what it needs. */
export async function startCommand(run: () => Promise<number>): Promise<void> {
  try {
    await import('../needs-node.ts');
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 2;
    return;
  }
  // Deno has none.
  module.enableCompileCache?.();
  process.exitCode = await run();
}
