// `loadahead` as a user runs it: a real process in a folder of the test, without colour unless a test asks for it.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Ended, runToEnd } from './command.ts';
import { type Serving, untilListening } from './prefetchd-command.ts';

export const loadaheadProgram = fileURLToPath(new URL('../../cli/loadahead.ts', import.meta.url));

export type Environment = Readonly<Record<string, string>>;

export function startLoadahead(
  folder: string,
  args: readonly string[],
  env: Environment = {},
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [loadaheadProgram, ...args], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '', FORCE_COLOR: '', ...env },
  });
}

/** Runs it to its end, in this folder. */
export const loadaheadIn =
  (folder: string) =>
  (args: readonly string[], env?: Environment): Promise<Ended> =>
    runToEnd(startLoadahead(folder, args, env));

/** `loadahead serve`, until it listens; disposing ends it with SIGTERM. */
export const servingLoadahead = (
  folder: string,
  args: readonly string[],
  env?: Environment,
): Promise<Serving> =>
  untilListening(startLoadahead(folder, ['serve', ...args, '--port', '0'], env));
