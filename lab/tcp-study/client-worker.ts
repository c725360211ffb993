// The client of Heidemann 1996, 2.1: documents one after the other, on one connection or each on its own. It is a plain
// socket, so that nothing but TCP is measured. One line of JSON in, one line out.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Visit {
  host: string;
  port: number;
  paths: string[];
  /** Each document on a connection of its own, as HTTP/1.0 without Keep-Alive. */
  closes?: boolean;
  /** Idle time before the documents at the end. */
  pause?: { beforeLast: number; ms: number };
}

export interface VisitTimes {
  /** From the start of connecting to the last byte, without the pause. */
  ms: number;
  /** Of the documents after the pause. */
  afterPauseMs: number | null;
  bytes: number;
}

async function open({ host, port }: Visit): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true });
  await once(socket, 'connect');
  return socket;
}

/** @returns bytes of the response */
async function get(socket: Socket, { host, closes = false }: Visit, path: string): Promise<number> {
  const close = closes ? 'Connection: close\r\n' : '';
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${close}\r\n`);
  let head = '';
  let whole = Infinity;
  let bytes = 0;
  await new Promise<void>((resolve, reject) => {
    const failed = () => reject(new Error(`${path}: closed after ${bytes} bytes`));
    socket.once('close', failed);
    const receive = (chunk: Buffer) => {
      bytes += chunk.length;
      if (whole === Infinity) {
        head += chunk.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
        if (end >= 0) whole = end + 4 + Number(length);
      }
      if (bytes < whole) return;
      socket.removeListener('data', receive);
      socket.removeListener('close', failed);
      resolve();
    };
    socket.on('data', receive);
  });
  if (bytes !== whole) throw new Error(`${path}: ${bytes} bytes of ${whole}`);
  return bytes;
}

async function run(visit: Visit): Promise<VisitTimes> {
  const { paths, closes, pause } = visit;
  const startedAt = performance.now();
  let socket = await open(visit);
  let bytes = 0;
  let pausedUntil: number | null = null;
  for (const [index, path] of paths.entries()) {
    if (closes && index > 0) socket = await open(visit);
    if (pause && index === paths.length - pause.beforeLast) {
      await sleep(pause.ms);
      pausedUntil = performance.now();
    }
    bytes += await get(socket, visit, path);
    if (closes) socket.destroy();
  }
  const endedAt = performance.now();
  socket.destroy();
  return {
    ms: endedAt - startedAt - (pause?.ms ?? 0),
    afterPauseMs: pausedUntil === null ? null : endedAt - pausedUntil,
    bytes,
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await run(JSON.parse(line)))}\n`);
}
