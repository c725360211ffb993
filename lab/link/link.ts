// The emulated link as an object: link.c is compiled on first use, and the link is removed at the end of its block.
// link.c explains how it works.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LineProcess, run } from '../processes.ts';

export interface LinkSettings {
  name: string;
  /** One way. */
  delayMs: number;
  /** Towards the client. */
  downBitsPerSecond: number;
  upBitsPerSecond: number;
  queuePackets: number;
  /** Each packet is recorded here; trace.ts reads it. */
  traceFile?: string;
}

interface WireCounts {
  packets: number;
  /** IP packets with their headers. */
  bytes: number;
  dropped: number;
}

/** What passed since the counts before. */
export interface LinkCounts {
  up: WireCounts;
  down: WireCounts;
  /** The client's first packet, on the clock of `monotonicMs`. */
  firstPacketAtMs: number;
  /** From the client's first packet to the arrival of the first answer, ms: TCP's handshake. */
  firstReplyMs: number;
  /** From the client's first packet to the arrival of the last one with data from the server, ms. */
  lastDataMs: number;
}

export class Link implements AsyncDisposable {
  readonly settings: LinkSettings;
  readonly serverAddress: string;
  readonly #process: LineProcess;
  readonly #namespaces: { client: string; server: string };

  private constructor(
    settings: LinkSettings,
    process: LineProcess,
    names: { client: string; server: string; serverAddress: string },
  ) {
    this.settings = settings;
    this.serverAddress = names.serverAddress;
    this.#process = process;
    this.#namespaces = names;
  }

  /** @param folder for the binary. */
  static async open(settings: LinkSettings, folder: string): Promise<Link> {
    const binary = join(folder, 'link');
    const source = fileURLToPath(new URL('link.c', import.meta.url));
    if (!existsSync(binary)) await run('gcc', ['-std=gnu17', '-O2', '-Wall', '-o', binary, source]);
    await removeOrphans();
    const { delayMs, downBitsPerSecond, upBitsPerSecond, queuePackets, traceFile } = settings;
    const numbers = [delayMs, downBitsPerSecond, upBitsPerSecond, queuePackets].map(String);
    const link = new LineProcess(binary, [...numbers, ...(traceFile ? [traceFile] : [])]);
    return new Link(settings, link, JSON.parse(await link.nextLine()));
  }

  /**
   * A command line that runs `command` at one end, and ends with this process however that ends.
   * It does not go through a shell.
   */
  at(end: 'client' | 'server', command: string[]): [command: string, args: string[]] {
    const place = ['ip', 'netns', 'exec', this.#namespaces[end]];
    return ['setpriv', ['--pdeathsig', 'KILL', ...place, ...command]];
  }

  /** First congestion window of new connections, in segments (RFC 6928: 10), at both ends. */
  async setInitialWindow(segments: number): Promise<void> {
    for (const end of ['client', 'server'] as const) {
      const name = this.#namespaces[end];
      const [route = ''] = (
        await run('ip', ['-n', name, 'route', 'show', 'dev', name])
      ).stdout.split('\n');
      const subnet = route.split(' ')[0] as string;
      const source = /src (\S+)/.exec(route)?.[1] as string;
      const where = [subnet, 'dev', name, 'proto', 'kernel', 'scope', 'link', 'src', source];
      await run('ip', ['-n', name, 'route', 'replace', ...where, 'initcwnd', String(segments)]);
    }
  }

  /** A setting of the kernel's at one end: `net.ipv4.tcp_wmem`. */
  async setKernel(end: 'client' | 'server', name: string, value: string): Promise<void> {
    const [command, args] = this.at(end, ['sysctl', '-qw', `${name}=${value}`]);
    await run(command, args);
  }

  /** What passed since the last call, after the link has become quiet. */
  async counts(): Promise<LinkCounts> {
    await sleep(4 * this.settings.delayMs + 60);
    this.#process.child.kill('SIGUSR1');
    return JSON.parse(await this.#process.nextLine());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#process[Symbol.asyncDispose]();
  }
}

/** The system's monotonic clock, which link.c reads too. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Namespaces of links that were killed the hard way: they bear the pid of their link. */
async function removeOrphans(): Promise<void> {
  const folder = '/run/netns';
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const pid = /^la(\d+)[cs]$/.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) await run('ip', ['netns', 'del', name]);
  }
}

/** What is missing for a link on this machine; null: nothing. */
export function linkUnavailable(commands: readonly string[] = []): string | null {
  if (process.platform !== 'linux') return 'it needs Linux (TUN devices and network namespaces)';
  if (process.getuid?.() !== 0) return 'it needs root (to make network namespaces)';
  if (!existsSync('/dev/net/tun')) return 'it needs /dev/net/tun';
  const folders = (process.env.PATH ?? '').split(':');
  const missing = ['ip', 'sysctl', 'setpriv', 'gcc', ...commands].filter(
    (command) => !folders.some((folder) => existsSync(join(folder, command))),
  );
  return missing.length === 0 ? null : `it needs ${missing.join(', ')} on the PATH`;
}
