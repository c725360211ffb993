#!/usr/bin/env node
// The `prefetchd` command, as loadahead.ts is the other.

import { startCommand } from './start-command.ts';

await startCommand(async () => {
  const { runPrefetchd } = await import('./prefetchd/prefetchd-program.ts');
  return await runPrefetchd(process.argv);
});
