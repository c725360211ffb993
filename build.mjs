// Makes dist/ of what tsc wrote: the modules behind the doors and commands of package.json, joined into a few files, as
// reading hundreds of small ones takes longer than a page's first round trip; the declarations that the doors lead to;
// and what is no TypeScript: the dashboard's page, and web-vitals, which runs in browsers. No other package is joined
// into them: audits and overrides of those who install loadahead reach every dependency.

import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const here = import.meta.dirname;
// The real folder, as rolldown names it: node_modules may be a link.
const compiled = realpathSync(join(here, 'node_modules/.cache/compiled-dist'));
const dist = join(here, 'dist');

const { exports, bin } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const doors = Object.values(exports).flatMap(({ default: file }) => file ?? []);
const names = [
  ...[...doors, ...Object.values(bin)].map((file) => /dist\/(.*)\.js$/.exec(file)[1]),
  ...['browser-worker', 'capture-process', 'link-process', 'load-worker', 'serve-worker'].map(
    (name) => `cli/compare/${name}`,
  ),
  ...['needs-node', 'prefetchd/simulate/sweep-worker', 'prefetchd/store/sqlite/worker'],
];

/** A module finds what is beside it in dist/, whichever file it is joined to. */
const ownPlaces = {
  name: 'own-places',
  transform: (code, id) => {
    const place = `new URL('@place ${relative(compiled, id)}@', import.meta.url).href`;
    return code.includes('import.meta.url') ? code.replaceAll('import.meta.url', place) : null;
  },
  renderChunk: (code, { fileName }) =>
    code.replace(/@place (.+?)@/g, (_, file) => relative(dirname(fileName), file)),
};

rmSync(dist, { recursive: true, force: true });
const bundle = await rolldown({
  input: Object.fromEntries(names.map((name) => [name, join(compiled, `${name}.js`)])),
  external: (id) => !id.startsWith('.') && !isAbsolute(id),
  platform: 'node',
  plugins: [ownPlaces],
  logLevel: 'warn',
});
await bundle.write({
  dir: dist,
  entryFileNames: '[name].js',
  chunkFileNames: 'parts/[name].js',
});
await bundle.close();

const declarations = new Set();
for (const door of doors) follow(join(compiled, door.slice('./dist/'.length)));
for (const file of declarations) {
  const target = join(dist, relative(compiled, file));
  mkdirSync(dirname(target), { recursive: true });
  cpSync(file, target);
}
const page = 'prefetchd/dashboard/page';
cpSync(join(here, page), join(dist, page), { recursive: true });
const webVitals = join(here, 'node_modules/web-vitals');
mkdirSync(join(dist, 'process'), { recursive: true });
cpSync(join(webVitals, 'dist/web-vitals.iife.js'), join(dist, 'process/web-vitals.iife.js'));
cpSync(join(webVitals, 'LICENSE'), join(dist, 'process/web-vitals.LICENSE'));

/** Notes the declarations of a module, and those that they import. */
function follow(module) {
  const file = module.replace(/\.[jt]s$/, '.d.ts');
  if (declarations.has(file) || !existsSync(file)) return;
  declarations.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+)['"]/g);
  for (const [, path] of imports) follow(resolve(dirname(file), path));
}
