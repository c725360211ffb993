// Makes dist/ what it has to be besides what tsc wrote: the dashboard's page, which is no TypeScript; and the
// `loadahead` command in a few files, since reading a hundred small ones takes longer than its first round trip.
// Packages stay packages; commands that run for longer than a page load stay as they are.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const here = fileURLToPath(new URL('.', import.meta.url));
/** Where tsc wrote to. */
const dist = process.argv[2] ?? join(here, 'dist');
const dashboard = 'prefetchd/dashboard/page';
cpSync(join(here, dashboard), join(dist, dashboard), { recursive: true });

const bundle = await rolldown({
  input: join(dist, 'cli/loadahead.js'),
  platform: 'node',
  external: (id) => !/^[./]/.test(id) || /\/(?:browse|demo|serve)\.js$/.test(id),
  logLevel: 'warn',
});
await bundle.write({
  dir: join(dist, 'cli'),
  entryFileNames: '[name].js',
  chunkFileNames: 'load/[name].js',
});
await bundle.close();
