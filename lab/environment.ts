// The environment of a measurement, without which its numbers mean nothing.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { repository } from './paths.ts';

export interface Environment {
  /** Commit, with `+` when files differed from it. */
  commit: string;
  node: string;
  undici: string;
  kernel: string;
  cpu: string;
  cores: number;
  memoryGiB: number;
}

export function environment(): Environment {
  const processors = cpus();
  return {
    commit: commit(),
    node: process.version,
    undici: dependencyVersion('undici'),
    kernel: `${type()} ${release()}`,
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
  };
}

function dependencyVersion(name: string): string {
  const file = join(repository, 'node_modules', name, 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

function commit(): string {
  try {
    const git = (...args: string[]) =>
      execFileSync('git', args, {
        cwd: repository,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();
    const changed = git('status', '--porcelain', '--', '.', ':!lab/results', ':!docs');
    return git('rev-parse', '--short=12', 'HEAD') + (changed === '' ? '' : '+');
  } catch {
    return 'unknown';
  }
}
