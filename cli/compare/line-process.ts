// A process that is asked by a line and answers by a line.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export class LineProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #ended: Promise<unknown>;
  #onLine: () => void = () => {};
  #isOver = false;

  constructor(program: string, args: readonly string[]) {
    // Ctrl-C reaches this process alone, which ends the others in order.
    this.#child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
    this.#ended = once(this.#child, 'close').catch(() => {});
    void this.#ended.then(() => {
      this.#isOver = true;
      this.#onLine();
    });
    this.#child.stdin?.on('error', () => {}); // the process has ended, which `nextLine` reports
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      this.#lines.push(line);
      this.#onLine();
    });
  }

  send(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** Waits for the next line of the process. @throws Error if the process ends first, or after `timeoutMs` */
  async nextLine(timeoutMs: number): Promise<string> {
    const line = () => this.#lines.shift();
    const found = line();
    if (found !== undefined) return found;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#onLine = resolve;
      if (this.#isOver) resolve();
      timer = setTimeout(resolve, timeoutMs);
    });
    clearTimeout(timer);
    const late = line();
    if (late !== undefined) return late;
    throw new Error(this.#isOver ? 'it ended' : `it said nothing for ${timeoutMs} ms`);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Closes the process's standard input, at which the process ends; kills it after two seconds. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin?.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 2_000);
    await this.#ended;
    clearTimeout(timer);
  }
}
