// The package as npm would publish it, in a folder as npm would install it: packed, unpacked, its commands
// linked, and of everything else only what it declares, taken from this checkout. So no network is needed,
// and a dependency that is not declared is missing here as it would be for a user. The true
// `npm install` is made by .ci/use-package.

import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/** @param others packages that guides install beside it */
export async function installPackage(folder: string, others: readonly string[]): Promise<void> {
  const modules = join(folder, 'node_modules');
  const own = join(modules, 'loadahead');
  await mkdir(own, { recursive: true });
  const packed = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
  const { stdout } = await run('npm', packed, { cwd: root });
  await run('tar', ['-xzf', join(folder, stdout.trim()), '-C', own, '--strip-components', '1']);
  const { dependencies, bin } = JSON.parse(await readFile(join(own, 'package.json'), 'utf8'));
  for (const name of new Set([...Object.keys(dependencies), ...others])) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  await mkdir(join(modules, '.bin'));
  for (const [name, path] of Object.entries(bin as Record<string, string>)) {
    await chmod(join(own, path), 0o755);
    await symlink(join(own, path), join(modules, '.bin', name));
  }
}
