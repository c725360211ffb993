// Runs a child process that answers each line on its standard input by a line on its standard output.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Returns the path of a program of this folder; its extension is that of this file: .ts, or .js in the package. */
export const fileBeside = (name: string): string =>
  fileURLToPath(new URL(`${name}${import.meta.url.slice(-3)}`, import.meta.url));

export class LineProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #ended: Promise<unknown>;

  constructor(program: string, args: readonly string[]) {
    // A detached child gets no Ctrl-C; this process gets it, and ends its children in order.
    this.#child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
    this.#ended = once(this.#child, 'close').catch(() => {});
    this.#child.stdin?.on('error', () => {}); // the process has ended, which `nextLine` reports
    const lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  send(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** Waits for the next line that the process prints; kills it after `timeoutMs`. @throws Error if it ends first */
  async nextLine(timeoutMs: number): Promise<string> {
    const timer = setTimeout(() => this.kill(), timeoutMs);
    const { value, done } = await this.#lines.next();
    clearTimeout(timer);
    if (done) throw new Error(`it ended, or said nothing for ${timeoutMs} ms`);
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
