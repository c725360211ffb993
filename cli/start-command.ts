// Checks, before anything else, that this Node is new enough. Node's compile cache is on, because commands are started
// often and run briefly.
//
// An old Node must get as far as the check, so no static import here may name anything that it lacks.

import module from 'node:module';

/** Starts a command. @param run imports the modules that it needs, and resolves with the exit code */
export async function startCommand(run: () => Promise<number>): Promise<void> {
  try {
    await import('../needs-node.ts');
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 2;
    return;
  }
  // Deno has no compile cache.
  module.enableCompileCache?.();
  process.exitCode = await run();
}
