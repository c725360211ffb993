// Captures the packets of this process's own connections on the interfaces of the machine.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../command-error.ts';
import { whyNoPackage } from './emulated-link.ts';
import { LineProcess, nodeCommand } from './line-process.ts';

/** Node publishes each socket of a client on this channel. */
const madeSockets = 'net.client.socket';
/** How long the capture goes on after the work, ms, because the last acknowledgments arrive later. */
const afterMs = 300;

/** Runs `work`, and writes the packets of its connections to `file` (pcap). @throws CommandError if none are seen here */
export async function capturingPackets<Result>(file: string, work: () => Promise<Result>) {
  const isLinux = process.platform === 'linux';
  const missing = isLinux ? whyNoPackage('koffi') : 'it needs Linux (packet sockets)';
  if (missing !== null) throw new CommandError(`--packets: ${missing}`, 2);
  /** Local and remote port of each connection; another program may use the same local port, but not the same pair. */
  const ports = new Set<string>();
  const note = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    socket.once('connect', () => ports.add(`${socket.localPort} ${socket.remotePort}`));
  };
  const capture = new LineProcess(nodeCommand('capture-process', file));
  try {
    const { error } = JSON.parse(await capture.nextLine(15_000, '--packets: no capture began'));
    if (error !== undefined) throw new CommandError(`--packets: ${error}`, 2);
    subscribe(madeSockets, note);
    const result = await work();
    await sleep(afterMs);
    await capture.ask([...ports], 60_000, `${file} is not whole`);
    return result;
  } finally {
    unsubscribe(madeSockets, note);
    await capture[Symbol.asyncDispose]();
  }
}
