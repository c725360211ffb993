// GoAccess as a reference for speed: Debian's package, with options that make it do as little as possible. Address
// validation is off in both programs, because the EPA log contains names, which GoAccess would otherwise reject.

import { execFileSync } from 'node:child_process';
import type { LongLog } from './long-log.ts';
import { runOnOneCore } from './one-core.ts';

const flags = ['--no-global-config', '--no-ip-validation', '--no-strict-status', '--no-progress'];

/** `1.7`; null: it is not installed. */
export function goAccessVersion(): string | null {
  try {
    const text = execFileSync('goaccess', ['--version'], { encoding: 'utf8' });
    return /GoAccess - ([\d.]*\d)/.exec(text)?.[1] ?? 'of unknown version';
  } catch {
    return null;
  }
}

export const goAccessWays = {
  'GoAccess, parse and exit': () => ['--process-and-exit'],
  'GoAccess, JSON report': (path: string) => ['-o', `${path}.json`],
} as const satisfies Record<string, (path: string) => string[]>;

export type GoAccessWay = keyof typeof goAccessWays;

/** As written on the page. */
export const goAccessCommand = `goaccess LOG --log-format=COMMON|COMBINED ${flags.join(' ')}`;

/** @returns duration of the whole process */
export async function runGoAccess(
  way: GoAccessWay,
  path: string,
  format: LongLog['format'],
): Promise<number> {
  const own = goAccessWays[way](path);
  const args = [path, `--log-format=${format.toUpperCase()}`, ...flags, ...own];
  return (await runOnOneCore('goaccess', args)).wallMs;
}
