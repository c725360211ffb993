// A client as of 1994, which does one thing at a time: it opens a connection, asks, reads, and works for a while on each
// image (Mosaic on a DECstation 3100, Padmanabhan 1995, 6). A line of JSON in, the time of that load out, ms: from the
// start of connecting to the end of the work on the last image.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

export interface SingleLoad {
  host: string;
  port: number;
  /** Path of the folder with the document and its images. */
  path: string;
  way: 'standard' | 'long-lived' | 'pipelined';
  /** Time that the client works on each image, ms, while the kernel goes on to receive. */
  workMs: number;
}

class Line {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
    });
  }

  static async open({ host, port }: SingleLoad): Promise<Line> {
    const socket = connect({ host, port, noDelay: true });
    await once(socket, 'connect');
    return new Line(socket);
  }

  ask(paths: readonly string[], version: '1.0' | '1.1'): void {
    const request = (path: string) => `GET ${path} HTTP/${version}\r\nHost: a\r\n\r\n`;
    this.#socket.write(paths.map(request).join(''));
  }

  /** Returns the body of the next response, which has a Content-Length. */
  async body(): Promise<string> {
    for (;;) {
      const text = this.#received.toString('latin1');
      const start = text.indexOf('\r\n\r\n') + 4;
      const length = Number(/^content-length: (\d+)/im.exec(text.slice(0, start))?.[1]);
      if (start > 4 && text.length >= start + length) {
        this.#received = this.#received.subarray(start + length);
        return text.slice(start, start + length);
      }
      await once(this.#socket, 'data');
    }
  }

  end(): void {
    this.#socket.end();
  }
}

async function load(asked: SingleLoad): Promise<number> {
  const { path, way, workMs } = asked;
  const startedAt = performance.now();
  const version = way === 'standard' ? '1.0' : '1.1';
  let line = await Line.open(asked);
  line.ask([path], version);
  const html = await line.body();
  const images = [...html.matchAll(/src="([^"]+)"/g)].map(([, name]) => path + name);
  if (way === 'pipelined') line.ask(images, version);
  for (const image of images) {
    if (way === 'standard') {
      line.end();
      line = await Line.open(asked);
    }
    if (way !== 'pipelined') line.ask([image], version);
    await line.body();
    if (workMs > 0) await sleep(workMs);
  }
  line.end();
  return performance.now() - startedAt;
}

for await (const text of createInterface({ input: process.stdin })) {
  process.stdout.write(`${await load(JSON.parse(text) as SingleLoad)}\n`);
}
