// Runs a child process that answers each line on its standard input by a line on its standard output, and lets this
// process be such a child.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CommandError } from '../command-error.ts';

/** Returns the command of a program of this folder; its extension is that of this file: .ts, or .js in the package. */
export function nodeCommand(name: string, ...args: string[]): string[] {
  const file = new URL(`${name}${import.meta.url.slice(-3)}`, import.meta.url);
  return [process.execPath, fileURLToPath(file), ...args];
}

export class LineProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #ended: Promise<unknown>;

  constructor([program = '', ...args]: readonly string[]) {
    // A detached child gets no Ctrl-C; this process gets it, and ends its children in order.
    this.#child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
    this.#ended = once(this.#child, 'close').catch(() => {});
    this.#child.stdin?.on('error', () => {}); // the process has ended, which `nextLine` reports
    const lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  /** Sends a request, and waits for its answer as `nextLine` does. */
  async ask<Answer>(request: object, timeoutMs: number, failure: string): Promise<Answer> {
    this.#child.stdin?.write(`${JSON.stringify(request)}\n`);
    return JSON.parse(await this.nextLine(timeoutMs, failure));
  }

  /** Returns the next line of the process, killed after `timeoutMs` without one. @throws CommandError: it has ended */
  async nextLine(timeoutMs: number, failure = 'a process ended'): Promise<string> {
    let silence = '';
    const timer = setTimeout(() => {
      silence = ` (no answer for ${timeoutMs / 1000} s)`;
      this.kill();
    }, timeoutMs);
    const { value, done } = await this.#lines.next();
    clearTimeout(timer);
    if (done) throw new CommandError(`${failure}${silence}`, 1);
    return value;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Closes the process's standard input, at which the process ends; kills it after two seconds. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin?.end();
    const timer = setTimeout(() => this.kill(), 2_000);
    await this.#ended;
    clearTimeout(timer);
  }
}

/** Answers the lines of standard input. When it ends, even during an answer, calls `close` and ends this process. */
export async function answerLines<Request>(
  answer: (request: Request) => Promise<object>,
  close = async () => {},
): Promise<void> {
  process.stdin.on('end', () => void close().finally(() => process.exit(0)));
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
  }
}
