// A measurement in a separate process: a script beside this file that prints one line of JSON.

import { fileURLToPath } from 'node:url';
import { run } from '../processes.ts';
import { runOnOneCore } from './one-core.ts';

export interface WorkerRun {
  script: string;
  args: ReadonlyArray<string | number>;
  /** All of the process on one core. */
  pinned?: boolean;
}

/** @returns what it printed, and how long the process took from start to end. */
export async function measureIn<Answer>(
  worker: WorkerRun,
): Promise<{ answer: Answer; wallMs: number }> {
  const { script, args, pinned = false } = worker;
  const file = fileURLToPath(new URL(script, import.meta.url));
  const runIt = pinned ? runOnOneCore : run;
  const { stdout, wallMs } = await runIt(process.execPath, [
    '--expose-gc',
    file,
    ...args.map(String),
  ]);
  return { answer: JSON.parse(stdout) as Answer, wallMs };
}
