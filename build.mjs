// Makes dist/ what it has to be besides what tsc wrote: the dashboard's page, which is no TypeScript; and the modules of
// the `loadahead` command joined into a few files, since reading a hundred small ones takes longer than its first round
// trip. No package is joined into them: audits and overrides of those who install loadahead reach every dependency.
// Commands that run for longer than a page load stay as they are.

import { cpSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const here = fileURLToPath(new URL('.', import.meta.url));
/** Where tsc wrote to. */
const dist = process.argv[2] ?? join(here, 'dist');
const dashboard = 'prefetchd/dashboard/page';
cpSync(join(here, dashboard), join(dist, dashboard), { recursive: true });

const bundle = await rolldown({
  input: join(dist, 'cli/loadahead.js'),
  external: (id) => isPackage(id) || /\/(?:audit|browse|demo|serve)\.js$/.test(id),
  platform: 'node',
  logLevel: 'warn',
});
// Beside the entry, as what stays outside is imported relative to that.
await bundle.write({
  dir: join(dist, 'cli'),
  entryFileNames: '[name].js',
  chunkFileNames: 'load/[name].js',
});
await bundle.close();

function isPackage(id) {
  return !id.startsWith('.') && !isAbsolute(id);
}
