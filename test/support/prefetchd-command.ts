// `prefetchd` as an operator runs it: a real process in a folder of its own, ready when it says so. Its store
// is memory unless a test says otherwise (undefined: nothing is said), so that no file is left.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Ended, runToEnd } from './command.ts';

const program = fileURLToPath(new URL('../../cli/prefetchd.ts', import.meta.url));

export interface Serving extends AsyncDisposable {
  child: ChildProcess;
  url: string;
  /** Lines of the log so far. */
  log: string[];
  /** Resolves with the first line that matches. */
  logged: (pattern: RegExp) => Promise<string>;
  ended: Promise<Ended>;
}

export function startPrefetchd(
  folder: string,
  args: string[],
  env: Record<string, string | undefined> = {},
): ChildProcess {
  return spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { ...process.env, PREFETCHD_STORE: 'memory', ...env },
  });
}

/** Until it listens; disposing ends it with SIGTERM. */
export const servingPrefetchd = (
  folder: string,
  args: string[],
  env: Record<string, string | undefined> = {},
): Promise<Serving> => untilListening(startPrefetchd(folder, args, env));

/** A command that serves, until it says where. */
export async function untilListening(child: ChildProcess): Promise<Serving> {
  const ended = runToEnd(child);
  const log: string[] = [];
  const waiting: Array<() => void> = [];
  let rest = '';
  child.stderr?.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    log.push(...lines);
    for (const look of waiting) look();
  });
  const logged = (pattern: RegExp) =>
    new Promise<string>((resolve) => {
      const look = () => {
        const line = log.find((candidate) => pattern.test(candidate));
        if (line !== undefined) resolve(line);
      };
      waiting.push(look);
      look();
    });
  const line = await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), ended]);
  const url = /^listening on (\S+)\n$/.exec(String(Array.isArray(line) ? line[0] : ''))?.[1];
  if (url === undefined) throw new Error(`it did not listen: ${JSON.stringify(line)}`);
  return {
    child,
    url,
    log,
    logged,
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
