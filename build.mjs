// Makes dist/ what it has to be besides what tsc wrote: the dashboard's page, which is no TypeScript; and the
// `loadahead` command in a few files, since reading a hundred small ones takes longer than its first round trip.
// Packages stay packages; commands that run for longer than a page load stay as they are.

import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const dist = fileURLToPath(new URL('dist/', import.meta.url));
cpSync('prefetchd/dashboard/page', `${dist}prefetchd/dashboard/page`, { recursive: true });

const bundle = await rolldown({
  input: `${dist}cli/loadahead.js`,
  platform: 'node',
  external: (id) => !/^[./]/.test(id) || /\/(?:browse|demo|serve)\.js$/.test(id),
  logLevel: 'warn',
});
await bundle.write({
  dir: `${dist}cli`,
  entryFileNames: '[name].js',
  chunkFileNames: 'load/[name].js',
});
await bundle.close();
