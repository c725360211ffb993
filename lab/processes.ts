// Other processes: servers, links and workers that live until the end of a block (`await using`), and commands that
// run to completion.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface Finished {
  stdout: string;
  wallMs: number;
}

/** Run a command to its end. @throws Error with its stderr when it exits with anything but 0. */
export async function run(command: string, args: string[]): Promise<Finished> {
  const startedAt = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  const wallMs = performance.now() - startedAt;
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: exit ${code}\n${stderr}${stdout}`);
  return { stdout, wallMs };
}

/** A process spoken to in lines, ended with its block. */
export class LineProcess implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #what: string;

  constructor(command: string, args: string[], env: NodeJS.ProcessEnv = process.env) {
    this.#what = `${command} ${args.join(' ')}`;
    this.child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], env });
    this.child.on('error', () => {}); // the missing line tells
    this.#lines = createInterface({ input: this.child.stdout as NodeJS.ReadableStream })[
      Symbol.asyncIterator
    ]();
  }

  /** @throws Error when the process ended instead, or says nothing for `timeoutMs`. */
  async nextLine(timeoutMs = 30_000): Promise<string> {
    // It may be busy for ever, deaf to SIGTERM.
    const patience = setTimeout(() => this.child.kill('SIGKILL'), timeoutMs);
    const { value, done } = await this.#lines.next();
    clearTimeout(patience);
    if (done) throw new Error(`ended, or silent for ${timeoutMs} ms: ${this.#what}`);
    return value;
  }

  send(line: string): void {
    this.child.stdin?.write(`${line}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { child } = this;
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    const patience = setTimeout(() => child.kill('SIGKILL'), 2_000);
    await closed;
    clearTimeout(patience);
  }
}

async function text(stream: NodeJS.ReadableStream): Promise<string> {
  let all = '';
  for await (const chunk of stream.setEncoding('utf8')) all += chunk;
  return all;
}
