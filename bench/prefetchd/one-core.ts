// Where a claim is about one core, the process gets one: the last, by taskset, where there is taskset.

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
  if (!canPin) return run(command, args);
  return run('taskset', ['-c', String(cpus().length - 1), command, ...args]);
}
