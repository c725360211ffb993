// Revalidates the files of a server, `depth` requests in one write on each connection, the next ones when all of these
// are answered with 304. A line of JSON in, the number of answers out.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export interface Revalidations {
  port: number;
  paths: string[];
  /** Requests in one write. */
  depth: number;
  connections: number;
  seconds: number;
}

for await (const line of createInterface({ input: process.stdin })) {
  const wanted = JSON.parse(line) as Revalidations;
  const requests = await Promise.all(wanted.paths.map((path) => conditional(wanted.port, path)));
  const batch = Array.from({ length: wanted.depth }, (_, at) => requests[at % requests.length]);
  const endAt = performance.now() + 1000 * wanted.seconds;
  const counts = await Promise.all(
    Array.from({ length: wanted.connections }, () =>
      revalidate(wanted.port, batch.join(''), wanted.depth, endAt),
    ),
  );
  process.stdout.write(`${counts.reduce((sum, count) => sum + count, 0)}\n`);
}

/** A request for the path with the tag that the server gave it. */
async function conditional(port: number, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  await response.arrayBuffer();
  const etag = response.headers.get('etag');
  if (etag === null) throw new Error(`${path} has no ETag`);
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nIf-None-Match: ${etag}\r\n\r\n`;
}

/** @returns Answers until the end, those of the last batch included. */
async function revalidate(
  port: number,
  batch: string,
  depth: number,
  endAt: number,
): Promise<number> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  socket.write(batch);
  const answerBytes = (await firstAnswers(socket, depth)).length;
  let answered = depth;
  while (performance.now() < endAt) {
    socket.write(batch);
    // The same requests have answers of the same lengths; reading them would cost more than sending them.
    await readBytes(socket, answerBytes);
    answered += depth;
  }
  socket.destroy();
  return answered;
}

/** @throws Error unless they are 304s */
async function firstAnswers(socket: Socket, count: number): Promise<string> {
  let text = '';
  for (;;) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    text += chunk.toString('latin1');
    const heads = text.split('\r\n\r\n');
    const foreign = heads.find(
      (head) => head !== '' && !head.startsWith('HTTP/1.1 304'.slice(0, head.length)),
    );
    if (foreign !== undefined) throw new Error(`not a 304: ${foreign.slice(0, 40)}`);
    if (heads.length === count + 1 && heads.at(-1) === '') return text;
  }
}

function readBytes(socket: Socket, bytes: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = bytes;
    const settle = (error: Error | null): void => {
      socket.off('data', read).off('close', closed);
      if (error === null) resolve();
      else reject(error);
    };
    const closed = (): void => settle(new Error('the server closed'));
    const read = (chunk: Buffer): void => {
      left -= chunk.length;
      if (left < 0) settle(new Error(`${-left} bytes too many`));
      else if (left === 0) settle(null);
    };
    socket.on('data', read).on('close', closed);
  });
}
