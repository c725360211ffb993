// What npm would publish resolves, in types and at run time (publint and attw), and an install of it is not too heavy.
// usage: check-package.mjs TARBALL

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [tarball] = process.argv.slice(2);
if (tarball === undefined) throw new Error('usage: check-package.mjs TARBALL');
const run = (command, ...args) => execFileSync(command, args, { stdio: 'inherit' });
run('publint', 'run', tarball, '--strict');
run('attw', tarball, '--profile', 'esm-only');

const packed = execFileSync('tar', ['tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
const folder = mkdtempSync(join(tmpdir(), 'loadahead-install-'));
try {
  const quiet = ['--silent', '--no-fund', '--no-audit', '--ignore-scripts'];
  run('npm', 'install', ...quiet, '--prefix', folder, resolve(tarball));
  const modules = join(folder, 'node_modules');
  const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'));
  const paths = readdirSync(modules, { recursive: true }).map((path) => join(modules, path));
  const sizes = paths.map((path) => statSync(path)).filter((each) => each.isFile());
  const weights = [
    ['files in the tarball', packed.length, 600],
    // Those that it brings: all but itself.
    ['packages of an install', Object.keys(packages).length - 1, 90],
    ['MB of an install', Math.ceil(sizes.reduce((sum, { size }) => sum + size, 0) / 1e6), 20],
  ];
  for (const [what, count, most] of weights) {
    console.log(`${what}: ${count}, at most ${most}`);
    if (count > most) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
