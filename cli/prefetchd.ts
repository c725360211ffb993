#!/usr/bin/env node
// Starts the command `prefetchd`, which is built like `loadahead` (loadahead.ts).

import { startCommand } from './start-command.ts';

await startCommand(async () => {
  const { runPrefetchd } = await import('./prefetchd/prefetchd-program.ts');
  return await runPrefetchd(process.argv);
});
