// Restricts a process to one core, the last, for claims about one core; with taskset, if available.

import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { type Finished, run } from '../processes.ts';

const canPin = spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0;

/** For the method's sentences. */
export const oneCore = canPin
  ? 'on one core of its own (taskset), with all its threads'
  : 'not bound to a core, since there is no taskset';

/** Run a command to its end on one core. @throws Error when it exits with anything but 0. */
export function runOnOneCore(command: string, args: string[]): Promise<Finished> {
  return run(...onCore('last', command, args));
}

/** The command that runs a command on one core: a server on the last, what asks it on the first. */
export function onCore(
  which: 'first' | 'last',
  command: string,
  args: readonly string[],
): [command: string, args: string[]] {
  if (!canPin) return [command, [...args]];
  const core = which === 'first' ? 0 : cpus().length - 1;
  return ['taskset', ['-c', String(core), command, ...args]];
}
