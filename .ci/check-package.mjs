// publint and attw on a packed tarball: what npm would publish resolves, in types and at run time. And npm would publish
// it as it is, without a correction.
// usage: check-package.mjs TARBALL

import { execFileSync, spawnSync } from 'node:child_process';

const [tarball] = process.argv.slice(2);
if (tarball === undefined) throw new Error('usage: check-package.mjs TARBALL');
const run = (command, ...args) => execFileSync(command, args, { stdio: 'inherit' });
run('publint', 'run', tarball, '--strict');
run('attw', tarball, '--profile', 'esm-only');

// The tag keeps npm from asking for published versions; no login is needed to try. `npm run -s` would silence it.
const args = ['publish', '--dry-run', '--ignore-scripts', '--tag', 'tried', '--loglevel', 'warn'];
const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8' });
const said = stderr.split('\n').filter((line) => /^npm (?:warn|error)/.test(line));
const faults = said.filter((line) => !line.includes('requires you to be logged in'));
if (status !== 0 || faults.length > 0) throw new Error(`npm publish: ${faults.join('\n')}`);
console.log('npm publish --dry-run: nothing to correct');
