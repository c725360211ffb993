// A connection begun before the loader is there: the first request to its origin goes on it.

import { once } from 'node:events';
import { expect, it } from 'vitest';
import { microscapeDir } from '../../../../fixtures/index.ts';
import { loadPage } from '../../../../loader/index.ts';
import {
  connectEarly,
  earlyRoundTrip,
  takeEarly,
} from '../../../../loader/transport/connect/early-connection.ts';
import { createOrigin } from '../../../../server/index.ts';
import { eventually } from '../../../support/eventually.ts';
import { closedPort, response, startRawServer } from '../../../support/raw-server.ts';
import { makeTestCertificate } from '../../../support/tls.ts';

const html = (text: string) => response(text, { 'Content-Type': 'text/html' });
const answering = {
  onRequest: (_request: unknown, connection: { write(bytes: Buffer): void }) =>
    connection.write(html('here')),
};

it('carries the first request, and the load counts from when it was begun', async () => {
  await using server = await startRawServer(answering);
  await connectEarly(new URL(server.origin));
  expect(await earlyRoundTrip()).toBeGreaterThan(0);
  await eventually(() => server.connections.length === 1, 'the connection');
  // (On a busy machine the handshake takes as long as one to a server far away, to which more are opened.)
  const load = await loadPage(server.origin, { connections: 1 });
  expect([load.resources[0]?.error, server.connections.length]).toEqual([null, 1]);
  expect(load.connections[0]?.startMs).toBe(0);
  expect(load.connections[0]?.connectEndMs).toBeGreaterThan(0);
});

it('that waited for the program does not count as the page waiting', async () => {
  await using server = await startRawServer(answering);
  await connectEarly(new URL(server.origin));
  await earlyRoundTrip();
  const connectedAt = performance.now();
  // The program is still being read.
  while (performance.now() - connectedAt < 300);
  const load = await loadPage(server.origin);
  expect(load.connections[0]?.connectEndMs).toBeLessThan(250);
  expect(load.timing.firstByteMs).toBeLessThan(250);
});

it('is there once: the next load has one of its own', async () => {
  await using server = await startRawServer(answering);
  await connectEarly(new URL(server.origin));
  await loadPage(server.origin);
  await loadPage(server.origin);
  expect(server.connections.length).toBe(2);
  expect(takeEarly(server.origin)).toBe(null);
});

it('TLS goes on it', async () => {
  const { key, cert } = await makeTestCertificate();
  await using server = await startRawServer(answering, { key, cert });
  await connectEarly(new URL(server.origin));
  const load = await loadPage(server.origin, { tls: { ca: cert }, protocol: 'persistent' });
  expect([load.resources[0]?.error, server.connections.length]).toEqual([null, 1]);
});

it('that was refused says what any other says', async () => {
  const origin = `http://127.0.0.1:${await closedPort()}`;
  await connectEarly(new URL(origin));
  const load = await loadPage(origin);
  expect(load.resources[0]?.error?.code).toBe('connection-refused');
});

it('that the server has ended meanwhile is replaced', async () => {
  await using server = await startRawServer({
    ...answering,
    onConnection: (connection) => {
      if (connection.id === 1) connection.reset();
    },
  });
  await connectEarly(new URL(server.origin));
  await server.connections[0]?.closed;
  const load = await loadPage(server.origin);
  expect(load.resources[0]?.error).toBe(null);
});

it('is for its own origin alone, and for no load that looks at addresses', async () => {
  await using server = await startRawServer(answering);
  await using other = await startRawServer(answering);
  await connectEarly(new URL(server.origin));
  await loadPage(other.origin);
  expect(other.connections.length).toBe(1);
  const refused = await loadPage(server.origin, { refusePrivateAddresses: true });
  expect(refused.resources[0]?.error?.code).toBe('address-refused');
  const early = takeEarly(server.origin);
  expect(early).not.toBe(null);
  early?.socket?.destroy();
  if (early?.socket) await once(early.socket, 'close');
});

it('speaks HTTP/2 by prior knowledge where that was asked for', async () => {
  await using origin = createOrigin(microscapeDir);
  const { url } = await origin.listen();
  await connectEarly(new URL(url));
  const { totals, connections } = await loadPage(url, { protocol: 'h2' });
  expect([totals.requests, totals.errors]).toEqual([43, 0]);
  expect(connections.map(({ httpVersion }) => httpVersion)).toEqual(['h2']);
});
