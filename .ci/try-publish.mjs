// Fails if npm would correct something as it publishes the package, or would refuse it.

import { spawnSync } from 'node:child_process';

// The tag keeps npm from asking for published versions; no login is needed to try. `npm run -s` would silence it.
const args = ['publish', '--dry-run', '--ignore-scripts', '--tag', 'tried', '--loglevel', 'warn'];
const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8' });
const said = stderr.split('\n').filter((line) => /^npm (?:warn|error)/.test(line));
const faults = said.filter((line) => !line.includes('requires you to be logged in'));
if (status !== 0 || faults.length > 0) throw new Error(`npm publish: ${faults.join('\n')}`);
console.log('npm publish --dry-run: nothing to correct');
