// A client that reads slowly slows the site down: nothing piles up between them, whatever is decoded or coded on the way.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { having, pageOf, serving, takesDcz } from './pages.ts';

const pieceBytes = 64 * 1024;
/** Nothing makes random bytes smaller: what went in and has not come out is held. */
const page = randomBytes(20 * 1024 * 1024);

const inPieces = (body: Buffer): Buffer[] =>
  Array.from({ length: Math.ceil(body.length / pieceBytes) }, (_, i) =>
    body.subarray(i * pieceBytes, (i + 1) * pieceBytes),
  );

/** What Node's streams between site and socket hold when each holds as much as it wants. */
const mostHeldBytes = 1024 * 1024;

it.each([
  ['coded by the site', 'gzip', takesDcz],
  ['coded with a dictionary', 'plain', having(pageOf('/a/1'))],
  ['coded by the site and with a dictionary', 'gzip', having(pageOf('/a/1'))],
])('a long response, %s', async (_, coding, headers) => {
  let accepted = 0;
  let held = 0;
  const site: RequestListener = (req, res) => {
    res.setHeader('Content-Type', 'text/html').setHeader('Cache-Control', 'max-age=60');
    if (req.url === '/a/1') {
      res.end(pageOf('/a/1'));
      return;
    }
    if (coding === 'gzip') res.setHeader('Content-Encoding', coding);
    const sent = Readable.from(inPieces(coding === 'gzip' ? gzipSync(page, { level: 0 }) : page));
    sent.on('data', (piece: Buffer) => {
      accepted += piece.length;
      const { bytesWritten = 0, writableLength = 0 } = res.socket ?? {};
      held = Math.max(held, accepted - (bytesWritten - writableLength));
    });
    sent.pipe(res);
  };
  const { port } = await serving(site);
  const asked = (path: string) =>
    once(request({ port, host: '127.0.0.1', path, headers, agent: false }).end(), 'response');
  const [first] = await asked('/a/1');
  await once(first.resume(), 'end');
  const [answer] = await asked('/a/2');
  expect(answer.headers['content-encoding']).toBe(headers === takesDcz ? 'gzip' : 'dcz');
  let received = 0;
  for await (const chunk of answer) {
    received += chunk.length;
    await wait(5);
  }
  expect(received).toBeGreaterThan(page.length);
  expect(held).toBeLessThan(mostHeldBytes);
});
