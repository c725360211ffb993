// Serves a page and loads it, by the command of the package that is installed in a folder, as npx runs it.
// usage: load-page.mjs FOLDER

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: load-page.mjs FOLDER');
const program = join(folder, 'node_modules/loadahead/dist/cli/loadahead.js');
const page = join(import.meta.dirname, '../fixtures/microscape');
const site = spawn(process.execPath, [program, 'serve', page, '--port', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(site, 'exit').then(() => ['']);
try {
  const [said] = await Promise.race([once(site.stdout, 'data'), ended]);
  const url = /http:\S+/.exec(said)?.[0];
  const command = ['--prefix', folder, 'loadahead', 'load', url, '--json'];
  // On Windows npx is a script of its shell.
  const shell = process.platform === 'win32';
  const { totals } = JSON.parse(execFileSync('npx', command, { encoding: 'utf8', shell }));
  console.log(`npx loadahead load ${url}: ${totals.responses} responses, ${totals.errors} errors`);
  if (totals.responses !== 43 || totals.errors !== 0) process.exitCode = 1;
} finally {
  site.kill();
}
