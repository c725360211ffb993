// Makes dist/ what it has to be besides what tsc wrote: the dashboard's page, which is no TypeScript; the library of
// schemas, cut down to what options/ uses of it, because reading all of it takes 5 ms; and the `loadahead` command in a
// few files, since reading a hundred small ones takes longer than its first round trip. The
// packages it needs are in them, in the versions package.json names, and their licences beside them; undici, which
// reads files of its own, stays a package. Commands that run for longer than a page load stay as they are.

import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const here = fileURLToPath(new URL('.', import.meta.url));
/** Where tsc wrote to. */
const dist = process.argv[2] ?? join(here, 'dist');
const packageFolder = /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/;
const dashboard = 'prefetchd/dashboard/page';
cpSync(join(here, dashboard), join(dist, dashboard), { recursive: true });

// Written to the folder that all of them are under: what stays outside is imported relative to that.
await joined('', {
  input: {
    'cli/loadahead': join(dist, 'cli/loadahead.js'),
    // What `requireBeside` loads has to be a file beside the one that asks for it.
    ...Object.fromEntries(loadedLate().map((file) => [`cli/load/${basename(file, '.js')}`, file])),
  },
  external: [/^undici/, /\/(?:audit|browse|demo|serve)\.js$/],
  chunks: 'cli/load/[name].js',
  licences: 'cli/load/LICENSES.txt',
});
// What the flags of `prefetchd` are read with.
await joined('prefetchd/service', {
  input: [join(dist, 'prefetchd/service/settings.js')],
  chunks: 'settings-[name].js',
  licences: 'LICENSES.txt',
});
// Last, so that the licence of what is in it stands beside the others, too.
await joined('options', {
  input: globSync('options/*.js', { cwd: dist }).map((file) => join(dist, file)),
  chunks: 'schemas.js',
  licences: 'LICENSES.txt',
});

/** Modules that others load by `requireBeside`. */
function loadedLate() {
  return globSync('loader/scan/**/*.js', { cwd: dist }).flatMap((file) => {
    const asked = readFileSync(join(dist, file), 'utf8').matchAll(
      /requireBeside\(import\.meta\.url, '([^']+)'\)/g,
    );
    return [...asked].map(([, name]) => join(dist, dirname(file), `${name}.js`));
  });
}

/** Modules of a folder of dist/ with what they import, in as few files as that goes. */
async function joined(folder, { input, external = [], chunks, licences: licenceFile }) {
  const bundle = await rolldown({ input, external, platform: 'node', logLevel: 'warn' });
  const { output } = await bundle.write({
    dir: join(dist, folder),
    entryFileNames: '[name].js',
    chunkFileNames: chunks,
  });
  await bundle.close();
  const modules = output.flatMap(({ moduleIds }) => moduleIds ?? []);
  writeFileSync(join(dist, folder, licenceFile), licences(modules));
}

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
