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
  /** HTTP/1.0, with `Connection: Keep-Alive` where the connection stays; absent: HTTP/1.1. */
  isHttp10?: boolean;
  /** Each document on a connection of its own, while those before it stay open. */
  keeps?: boolean;
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

/** What follows the path in a request. */
function fieldsOf({ host, closes = false, isHttp10 = false }: Visit): string {
  if (isHttp10) return `HTTP/1.0\r\n${closes ? '' : 'Connection: Keep-Alive\r\n'}`;
  return `HTTP/1.1\r\nHost: ${host}\r\n${closes ? 'Connection: close\r\n' : ''}`;
}

/** @returns bytes of the response */
async function get(socket: Socket, visit: Visit, path: string): Promise<number> {
  socket.write(`GET ${path} ${fieldsOf(visit)}\r\n`);
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
  const { paths, closes, keeps, pause } = visit;
  const startedAt = performance.now();
  const sockets = [await open(visit)];
  let bytes = 0;
  let pausedUntil: number | null = null;
  for (const [index, path] of paths.entries()) {
    if (pause && index === paths.length - pause.beforeLast) {
      await sleep(pause.ms);
      pausedUntil = performance.now();
    }
    if ((closes || keeps) && index > 0) sockets.push(await open(visit));
    const socket = sockets.at(-1) as Socket;
    bytes += await get(socket, visit, path);
    if (closes) socket.destroy();
  }
  const endedAt = performance.now();
  for (const socket of sockets) socket.destroy();
  return {
    ms: endedAt - startedAt - (pause?.ms ?? 0),
    afterPauseMs: pausedUntil === null ? null : endedAt - pausedUntil,
    bytes,
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await run(JSON.parse(line)))}\n`);
}
