// A package that a test takes from npm, where npm can get it; where NEEDS_PACKAGES is set, as in .ci/run, it must.

import { execFileSync } from 'node:child_process';

/** Installs it in a folder of the test. @returns why not; empty: it is there, and its program runs */
export function installFromNpm(folder: string, name: string, program: string): string {
  const quick = ['--prefer-offline', '--fetch-retries', '0', '--no-fund', '--no-audit'];
  const args = ['install', '--prefix', folder, ...quick, name];
  try {
    execFileSync('npm', args, { stdio: 'pipe', timeout: 120_000 });
    execFileSync(program, ['--version'], { stdio: 'pipe' });
    return '';
  } catch (cause) {
    if (process.env.NEEDS_PACKAGES !== undefined) throw cause;
    return `npm cannot get ${name}`;
  }
}
