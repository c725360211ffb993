// Makes out/: each site of sites/ with its example of examples/frameworks/ in place, built as its users build it, with
// loadahead as npm installs it, because frameworks bundle what is only linked. usage: build.mjs

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const here = import.meta.dirname;
const root = join(here, '../..');
const examples = join(root, 'examples/frameworks');

const sites = [
  ['sveltekit', { 'sveltekit.mjs': 'src/hooks.server.js' }, 'vite'],
  ['astro', { 'astro.mjs': 'src/middleware.js' }, 'astro'],
  ['nitro', { 'nitro.mjs': 'plugins/hints.js' }, 'nitro'],
  ['next', { 'next/hints.jsx': 'hints.jsx', 'next/route.js': 'app/next-pages/route.js' }, 'next'],
  ['nest', { 'nest.mjs': 'main.js' }],
  ['nest-fastify', { 'nest-fastify.mjs': 'main.js' }],
];

async function build([name, files, command]) {
  const own = join(here, 'out', name);
  cpSync(join(here, 'sites', name.replace('-fastify', '')), own, { recursive: true });
  for (const [example, file] of Object.entries(files))
    cpSync(join(examples, example), join(own, file));
  if (command === undefined) return;
  const env = { ...process.env, ASTRO_TELEMETRY_DISABLED: '1', NEXT_TELEMETRY_DISABLED: '1' };
  await promisify(execFile)(join(here, 'node_modules/.bin', command), ['build'], { cwd: own, env });
}

function installLoadahead() {
  const own = join(here, 'node_modules/loadahead');
  rmSync(own, { recursive: true, force: true });
  for (const name of ['dist', 'package.json']) {
    cpSync(join(root, name), join(own, name), { recursive: true });
  }
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    const link = join(own, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
}

rmSync(join(here, 'out'), { recursive: true, force: true });
installLoadahead();
await Promise.all(sites.map(build));
