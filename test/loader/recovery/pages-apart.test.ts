// Pages of one loader do not harm each other, and what we end ourselves teaches nothing of the server.

import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { createLoader, loadPage } from '../../../loader/index.ts';
import { withConstants } from '../../../options/options.ts';
import { listening } from '../../server/listening.ts';
import { expectOwnBytes, imagePage, serverOf } from '../../support/image-page.ts';
import { loadFrom, quick } from '../../support/quick-load.ts';
import { answering, response } from '../../support/raw-server.ts';

const page = imagePage(12);

it('two pages at a time share no HTTP/1.1 connection', async () => {
  await using server = await serverOf(page);
  const patient = { ...quick, ...withConstants({ pipeline: { stallMs: 10_000, settleMs: 60 } }) };
  await using loader = createLoader({ ...patient, protocol: 'pipelined' });
  const [one, two] = await Promise.all([loader.load(server.origin), loader.load(server.origin)]);
  expectOwnBytes(one, page);
  expectOwnBytes(two, page);
  expect(one.connections.map(({ id }) => id)).not.toEqual(two.connections.map(({ id }) => id));
  // Both are kept for the next ones.
  await Promise.all([loader.load(server.origin), loader.load(server.origin)]);
  expect(server.connections.length).toBe(2);
});

it('a page that its caller aborts does not slow down the next', async () => {
  const controller = new AbortController();
  let sound = false;
  await using server = await answering(({ path }, connection) => {
    if (sound || path !== '/image-5.gif') connection.write(page.answer(path));
    else controller.abort(new Error('changed my mind'));
  });
  await using loader = createLoader({ ...quick, protocol: 'pipelined' });
  const aborted = loader.load(server.origin, { signal: controller.signal });
  await expect(aborted).rejects.toThrow('changed my mind');
  sound = true;
  const next = await loader.load(server.origin);
  expectOwnBytes(next, page);
  expect(next.totals).toMatchObject({ requests: 13, connections: 1 });
});

it('a server that stops listening is not asked in a loop', async () => {
  const server = createServer();
  const port = await listening(server);
  server.on('connection', (socket) => {
    server.close();
    socket.on('error', () => {});
    let asked = 0;
    socket.on('data', () => {
      const html = '<img src=/a><img src=/b>';
      if (asked++ === 0) socket.write(response(html, { 'Content-Type': 'text/html' }));
      else socket.resetAndDestroy();
    });
  });
  const load = await loadPage(`http://127.0.0.1:${port}/`, { ...quick, protocol: 'pipelined' });
  const codes = load.resources.map(({ error }) => error?.code);
  expect(codes).toEqual([undefined, 'connection-refused', 'connection-refused']);
  // The first, and at the most one for what goes alone and one for the rest.
  expect(load.connections.length).toBe(1);
});

it('a document that is cut and comes again is scanned anew, not on from where it was cut', async () => {
  const html = '<base href="/x/"><img src="a.gif"><p>and so on</p><img src="b.gif">';
  const { load } = await loadFrom({ protocol: 'pipelined' }, ({ path }, connection) => {
    const answer = Buffer.from(response(html, { 'Content-Type': 'text/html' }));
    if (path === '/') connection.write(connection.id === 1 ? answer.subarray(0, -9) : answer);
    // The first image is on its way when the document's connection ends.
    else if (connection.id === 1) connection.end();
    else connection.write(response(path));
  });
  expect(load.resources.map(({ url, error }) => [new URL(url).pathname, error])).toEqual([
    ['/', null],
    ['/x/a.gif', null],
    ['/x/b.gif', null],
  ]);
});
