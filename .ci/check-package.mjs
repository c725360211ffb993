// publint and attw on a packed tarball: what npm would publish resolves, in types and at run time.
// usage: check-package.mjs TARBALL

import { execFileSync } from 'node:child_process';

const [tarball] = process.argv.slice(2);
if (tarball === undefined) throw new Error('usage: check-package.mjs TARBALL');
const run = (command, ...args) => execFileSync(command, args, { stdio: 'inherit' });
run('publint', 'run', tarball, '--strict');
run('attw', tarball, '--profile', 'esm-only');
