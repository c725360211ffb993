// The emulated link of `loadahead compare`, as benches use it: TCP is cubic at both ends, a queue of the bench's own size,
// and programs at the ends die with the bench.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type EmulatedLink, openLink, whyNoLink } from '../../cli/compare/emulated-link.ts';
import type { LinkCounts } from '../../cli/compare/link-process.ts';
import { parseLinks, type LinkSettings as Settings } from '../../cli/compare/links.ts';
import { run } from '../processes.ts';

export { floorMs } from '../../cli/compare/figures.ts';
export { type LinkCounts, parseLinks };

type Wire = 'name' | 'delayMs' | 'downBitsPerSecond' | 'upBitsPerSecond' | 'queuePackets';

/** The wire, and what else differs from a usual network. */
export type LinkSettings = Pick<Settings, Wire> &
  Partial<Omit<Settings, Wire>> & {
    /** Each packet is recorded here; trace.ts reads it. */
    traceFile?: string;
    /** The module of a modem that compresses, as a URL (`LinkRequest.lineCoder`). */
    lineCoder?: string;
  };

export class Link implements AsyncDisposable {
  readonly settings: LinkSettings;
  readonly #link: EmulatedLink;

  private constructor(settings: LinkSettings, link: EmulatedLink) {
    this.settings = settings;
    this.#link = link;
  }

  static async open(settings: LinkSettings): Promise<Link> {
    await allowCubic();
    const [usual] = parseLinks('lan');
    const link = await openLink({ ...(usual as Settings), ...settings }, settings.traceFile);
    return new Link(settings, link);
  }

  get serverAddress(): string {
    return this.#link.serverAddress;
  }

  /**
   * A command line that runs `command` at one end, and ends with this process however that ends.
   * It does not go through a shell.
   */
  at(end: 'client' | 'server', command: string[]): [command: string, args: string[]] {
    const [program, args] = this.atForInput(end, command);
    return ['setpriv', ['--pdeathsig', 'KILL', program, ...args]];
  }

  /** The same for a command that ends with its standard input, and has something to end itself. */
  atForInput(end: 'client' | 'server', command: string[]): [command: string, args: string[]] {
    const [program = '', ...args] = this.#link.at(end, command);
    return [program, args];
  }

  /** A setting of the kernel's at one end: `net.ipv4.tcp_wmem`. */
  async setKernel(end: 'client' | 'server', name: string, value: string): Promise<void> {
    const [command, args] = this.at(end, ['sysctl', '-qw', `${name}=${value}`]);
    await run(command, args);
  }

  /** What passed since the last call, after the link has become quiet. */
  counts(): Promise<LinkCounts> {
    return this.#link.counts();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#link[Symbol.asyncDispose]();
  }
}

/** The system's monotonic clock, which the link reads too. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Namespaces may use what the machine allows; the list stays. */
async function allowCubic(): Promise<void> {
  const allowed = readFileSync('/proc/sys/net/ipv4/tcp_allowed_congestion_control', 'utf8').trim();
  if (/\bcubic\b/.test(allowed)) return;
  await run('sysctl', ['-qw', `net.ipv4.tcp_allowed_congestion_control=${allowed} cubic`]);
}

/** The file of a program of `loadahead compare`, which serves a folder or loads a page with a browser. */
export const compareWorker = (name: 'browser' | 'serve'): string =>
  fileURLToPath(new URL(`../../cli/compare/${name}-worker.ts`, import.meta.url));

/** What is missing for a link on this machine; null: nothing. */
export function linkUnavailable(commands: readonly string[] = []): string | null {
  const folders = (process.env.PATH ?? '').split(':');
  const missing = ['sysctl', 'setpriv', ...commands].filter(
    (command) => !folders.some((folder) => existsSync(join(folder, command))),
  );
  return (
    whyNoLink() ?? (missing.length === 0 ? null : `it needs ${missing.join(', ')} on the PATH`)
  );
}
