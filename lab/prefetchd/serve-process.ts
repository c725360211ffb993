// The service as an operator runs it: `prefetchd serve` in a separate process, as published, so that no TypeScript
// compiler is in its memory.

import { readFileSync } from 'node:fs';
import { builtService } from '../paths.ts';
import { LineProcess } from '../processes.ts';
import { onCore } from './one-core.ts';

export interface PostedAccess {
  client: string;
  url: string;
}

/** Accesses in one request; a body has at most 1 MiB. */
export const mostAccesses = 5000;

export class ServeProcess implements AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  readonly #process: LineProcess;
  readonly #url: string;

  private constructor(process: LineProcess, url: string) {
    this.#process = process;
    this.#url = url;
    this.pid = process.child.pid as number;
    this.port = Number(new URL(url).port);
  }

  /** @param store as on the command line */
  static async start(store: string): Promise<ServeProcess> {
    const flags = ['serve', '--port', '0', '--log-level', 'warn', '--store', store];
    const process_ = new LineProcess(...onCore('last', process.execPath, [builtService, ...flags]));
    const line = await process_.nextLine();
    return new ServeProcess(process_, line.replace('listening on ', ''));
  }

  /** @throws Error when it is not answered with 200 */
  async learn(accesses: readonly PostedAccess[]): Promise<void> {
    const response = await fetch(`${this.#url}/v1/accesses`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(accesses),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`POST /v1/accesses: ${response.status} ${text}`);
  }

  /** URLs hinted to nobody in particular, best first. */
  async hintsOf(page: string): Promise<string[]> {
    const response = await fetch(`${this.#url}/v1/hints?url=${encodeURIComponent(page)}`);
    const { hints } = (await response.json()) as { hints: Array<{ url: string }> };
    return hints.map(({ url }) => url);
  }

  /** A number of GET /metrics; all of its labels added up. */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.#url}/metrics`)).text();
    const lines = text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'));
    return [...lines].reduce((sum, [, value]) => sum + Number(value), 0);
  }

  /** Resident memory, MiB: at present, and the most there ever was. */
  memoryMiB(): { now: number; peak: number } {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    const of = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
    return { now: of('VmRSS'), peak: of('VmHWM') };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }
}
