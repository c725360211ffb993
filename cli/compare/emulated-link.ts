// Starts and asks the process that emulates a link (link-process.ts). It needs Linux, root, `ip`, and the package
// koffi, by which a TUN device is opened without a compiler.

import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LineProcess, nodeCommand } from './line-process.ts';
import type { LinkCounts, LinkRequest } from './link-process.ts';
import type { LinkSettings } from './links.ts';

/** Returns a text that says what this machine lacks for an emulated link; null: it lacks nothing. */
export function whyNoLink(): string | null {
  if (process.platform !== 'linux') return 'emulated links need Linux (network namespaces)';
  if (process.getuid?.() !== 0) return 'emulated links need root (to make network namespaces)';
  if (!existsSync('/dev/net/tun')) return 'emulated links need /dev/net/tun';
  if (!isOnPath('ip')) return 'emulated links need the command ip (package iproute2)';
  return whyNoPackage('koffi');
}

export const isOnPath = (program: string): boolean =>
  (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, program)));

/** Returns a text that says that an optional package is missing; null: it is installed. */
export function whyNoPackage(name: 'koffi' | 'playwright-core'): string | null {
  try {
    createRequire(import.meta.url).resolve(name);
    return null;
  } catch {
    return `the package ${name} is missing: npm install ${name}`;
  }
}

/** Number of links that this process has opened: each has namespaces of its own, so that several may be open. */
let opened = 0;

export type EmulatedLink = Awaited<ReturnType<typeof openLink>>;

/** Starts a process that emulates a link. @param captureFile File that gets all packets (pcap) @throws CommandError */
export async function openLink(
  settings: LinkSettings & Pick<LinkRequest, 'lineCoder'>,
  captureFile?: string,
) {
  removeOrphans();
  // 198.18.0.0/15 is for tests of networks (RFC 2544); each process takes a subnet of it.
  const subnet = `198.18.${process.pid % 256}`;
  const name = `la${process.pid}-${++opened}`;
  const names = { client: `${name}c`, server: `${name}s` };
  const request: LinkRequest = { ...settings, ...names, subnet, captureFile };
  const link = new LineProcess(nodeCommand('link-process', JSON.stringify(request)));
  await link.nextLine(15_000, `the link ${settings.name} cannot be made`);
  return {
    serverAddress: `${subnet}.2`,
    /** Returns the command that runs `command` at one end of the link. */
    at: (end: 'client' | 'server', command: readonly string[]) =>
      ['ip', 'netns', 'exec', names[end]].concat(command),
    /** Waits until the link should be quiet, and returns counts of the packets since the last call. */
    async counts(): Promise<LinkCounts> {
      await sleep(4 * Math.max(settings.delayMs, settings.up.delayMs ?? 0) + 60);
      return link.ask({}, 10_000, 'the link ended');
    },
    [Symbol.asyncDispose]: () => link[Symbol.asyncDispose](),
  };
}

/** Removes the network namespaces that killed processes left; their names contain the process's id. */
function removeOrphans(): void {
  const namespaces = '/run/netns';
  for (const name of existsSync(namespaces) ? readdirSync(namespaces) : []) {
    const id = /^la(\d+)-\d+[cs]$/.exec(name)?.[1];
    if (id === undefined || existsSync(`/proc/${id}`)) continue;
    spawn('ip', ['netns', 'del', name], { stdio: 'ignore' });
  }
}
