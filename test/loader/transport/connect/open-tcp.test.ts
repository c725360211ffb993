// Happy Eyeballs (RFC 8305): a name of several addresses is open as soon as one of them is, and none is given up because
// another was tried. A server whose backlog is full loses the SYNs of others, as a bad line does: the kernel sends them
// again after a second, and they get through once the server accepts.

import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, createServer, type LookupFunction, type Server, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { newTimes, openTcp } from '../../../../loader/transport/connect/connector.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** @returns Its port, and what lets it accept: until then its backlog is full. */
async function deafServer(): Promise<{ port: number; accept: () => void }> {
  const script = `const server = require('node:net').createServer((socket) => socket.on('error', () => {}));
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      require('node:fs').writeSync(1, String(server.address().port));
      require('node:fs').readSync(0, Buffer.alloc(1));
    });`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  closing.push(() => child.kill());
  const [chunk] = await once(child.stdout, 'data');
  const port = Number(String(chunk));
  for (const _filler of [1, 2]) {
    const filler = connect(port, '127.0.0.1').on('error', () => {});
    closing.push(() => filler.destroy());
    await once(filler, 'connect');
  }
  return { port, accept: () => child.stdin.write('x') };
}

async function listen(host: string, port = 0): Promise<number> {
  const server: Server = createServer((socket) => socket.on('error', () => {}));
  closing.push(() => server.close());
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as { port: number }).port;
}

/** A resolver that knows these addresses of every name. */
const known =
  (...addresses: string[]): LookupFunction =>
  (_host, _options, callback) =>
    queueMicrotask(() =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
    );

const open = (port: number, ...addresses: string[]) => {
  const opening = openTcp('two.example', port, newTimes(), known(...addresses));
  closing.push(() => opening.abort());
  return opening;
};

/** Resolves when the client socket that is the nth from now on has been closed. */
function nthAttemptEnd(nth: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let count = 0;
  const onSocket = (message: unknown) => {
    count++;
    if (count === nth) (message as { socket: Socket }).socket.once('close', () => resolve());
  };
  subscribe('net.client.socket', onSocket);
  closing.push(() => unsubscribe('net.client.socket', onSocket));
  return promise;
}

it('a lost SYN does not lose the host, though its other address fails', async () => {
  const { port, accept } = await deafServer();
  const secondAttemptEnded = nthAttemptEnd(2);
  const opening = open(port, '127.0.0.1', '::1');
  await secondAttemptEnded;
  accept();
  const socket = await opening.opened;
  expect(socket.remoteAddress).toBe('127.0.0.1');
});

it('an address that stays silent is passed by the next, and its attempt ends', async () => {
  const { port, accept } = await deafServer();
  await listen('127.0.0.2', port);
  const opening = open(port, '127.0.0.1', '127.0.0.2');
  expect((await opening.opened).remoteAddress).toBe('127.0.0.2');
  accept();
});

it('an address that fails is passed at once', async () => {
  const port = await listen('127.0.0.1');
  const opening = open(port, '::1', '127.0.0.2', '127.0.0.1');
  expect((await opening.opened).remoteAddress).toBe('127.0.0.1');
});

it('families take turns (RFC 8305 4)', async () => {
  const { port } = await deafServer();
  await listen('127.0.0.2', port);
  await listen('::1', port);
  const opening = open(port, '127.0.0.1', '127.0.0.2', '::1');
  expect((await opening.opened).remoteAddress).toBe('::1');
});

it('fails when the last has, with its error', async () => {
  const port = await listen('127.0.0.1');
  const opening = open(port, '::1', '127.0.0.2');
  await expect(opening.opened).rejects.toMatchObject({
    code: 'ECONNREFUSED',
    address: '127.0.0.2',
  });
});

it('an abort ends all attempts: nothing of them reaches the server', async () => {
  const { port, accept } = await deafServer();
  const opening = open(port, '127.0.0.1', '::1');
  opening.abort();
  accept();
  const other = openTcp('127.0.0.1', port, newTimes());
  await other.opened;
  expect(opening.socket).toBeNull();
  other.abort();
});
