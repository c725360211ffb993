// An upload may take any time; a client that pauses in it gets 408, and one that waits for a slow site does not.

import { createServer } from 'node:http';
import { connect } from 'node:http2';
import { expect, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { type RawConnection, response } from '../../support/raw-server.ts';
import { listening } from '../listening.ts';
import { answerOk, eventually, startSite, until, untilEnd } from './set-up.ts';

const post = (bytes: number) => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n`;

/** Answers when all of the content is there. */
const whole = (bytes: number) => ({
  onConnection: ({ socket }: RawConnection) => {
    let text = '';
    socket.on('data', (piece) => {
      text += String(piece);
      if (text.split('\r\n\r\n')[1]?.length === bytes) socket.write(response('ok'));
    });
  },
});

/** Writes each 20 ms. */
async function drip(write: (piece: string) => void, pieces: number): Promise<void> {
  await new Promise<void>((resolve) => {
    let left = pieces;
    const timer = setInterval(() => {
      write('x');
      if (--left === 0) resolve(clearInterval(timer));
    }, 20);
  });
}

const pieces = 40;
// Shorter than the upload, longer than its pauses.
const contentTimeoutMs = 500;

test('an upload longer than every limit goes on as long as it comes', async () => {
  await using site = await startSite(whole(pieces), withConstants({ contentTimeoutMs }));
  const client = site.send(post(pieces));
  await drip((piece) => client.send(piece), pieces);
  expect(await until(client, /\nok$/)).toMatch(/^HTTP\/1\.1 200 /);
});

test('so it does over HTTP/2', async () => {
  await using site = await startSite(whole(pieces), withConstants({ contentTimeoutMs }));
  const session = connect(`http://127.0.0.1:${site.port}`);
  const headers = { ':method': 'POST', ':authority': 'a', 'content-length': `${pieces}` };
  const stream = session.request(headers);
  const answer = new Promise((resolve) => stream.once('response', resolve));
  await drip((piece) => stream.write(piece), pieces);
  stream.end();
  expect(await answer).toMatchObject({ ':status': 200 });
  session.destroy();
});

test('a pause that is too long ends in 408, and the site does not take the request for whole', async () => {
  await using site = await startSite(whole(pieces), withConstants({ contentTimeoutMs: 100 }));
  const client = site.send(`${post(1000)}x`);
  expect(await untilEnd(client)).toMatch(/^HTTP\/1\.1 408 /);
  await eventually(() => site.upstream.connections[0]?.socket.destroyed === true);
  expect(site.errors).toEqual([]);
});

test('so it does over HTTP/2', async () => {
  await using site = await startSite(whole(pieces), withConstants({ contentTimeoutMs: 100 }));
  const session = connect(`http://127.0.0.1:${site.port}`);
  const stream = session.request({ ':method': 'POST', ':authority': 'a' });
  stream.on('error', () => {}).resume();
  stream.write('x');
  const answer = await new Promise((resolve) => stream.once('response', resolve));
  expect(answer).toMatchObject({ ':status': 408 });
  session.destroy();
});

test('while the site reads nothing, the time of its client does not run', async () => {
  const bytes = 32 * 1024 * 1024;
  const goOn = Promise.withResolvers<void>();
  const upstream = createServer((req, res) => {
    req.on('end', () => res.end('ok'));
    void goOn.promise.then(() => req.resume());
  });
  const port = await listening(upstream);
  const options = {
    upstream: `http://127.0.0.1:${port}`,
    ...withConstants({ contentTimeoutMs: 100 }),
  };
  await using site = await startSite(answerOk, options);
  const client = site.send(post(bytes));
  client.socket.write(Buffer.alloc(bytes));
  // The time of others, who send nothing, is over three times meanwhile.
  for (let others = 0; others < 3; others++) {
    expect(await untilEnd(site.send(post(1000)))).toMatch(/^HTTP\/1\.1 408 /);
  }
  expect(client.bytes.length).toBe(0);
  goOn.resolve();
  expect(await until(client, /ok\r\n0\r\n\r\n$|\nok$/)).toMatch(/^HTTP\/1\.1 200 /);
});
