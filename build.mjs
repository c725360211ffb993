// Makes dist/ what it has to be besides what tsc wrote: the dashboard's page, which is no TypeScript; and the
// `loadahead` command in a few files, since reading a hundred small ones takes longer than its first round trip. The
// packages it needs are in them, in the versions package.json names, and their licences beside them; undici, which
// reads files of its own, stays a package. Commands that run for longer than a page load stay as they are.

import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const here = fileURLToPath(new URL('.', import.meta.url));
/** Where tsc wrote to. */
const dist = process.argv[2] ?? join(here, 'dist');
const packageFolder = /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/;
const dashboard = 'prefetchd/dashboard/page';
cpSync(join(here, dashboard), join(dist, dashboard), { recursive: true });

const bundle = await rolldown({
  input: join(dist, 'cli/loadahead.js'),
  platform: 'node',
  external: [/^undici/, /\/(?:browse|demo|serve)\.js$/],
  logLevel: 'warn',
});
const { output } = await bundle.write({
  dir: join(dist, 'cli'),
  entryFileNames: '[name].js',
  chunkFileNames: 'load/[name].js',
});
await bundle.close();
const modules = output.flatMap(({ moduleIds }) => moduleIds ?? []);
writeFileSync(join(dist, 'cli/load/LICENSES.txt'), licences(modules));

/** The licence of each package that one of these files belongs to. */
function licences(files) {
  const folders = new Set(files.flatMap((file) => packageFolder.exec(file)?.[0] ?? []));
  return [...folders].sort().map(licence).join('\n\n');
}

function licence(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: folder });
  if (file === undefined) throw new Error(`${name} has no licence to go with it`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8')}`;
}
