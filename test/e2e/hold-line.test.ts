// How long real servers keep an idle connection, and how many requests it takes: nginx and Apache httpd, watched through
// a relay that sees which side ends a connection first.

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hauckDir } from '../../fixtures/index.ts';
import { createLoader, type LoaderOptions, loadPage } from '../../loader/index.ts';
import type { PageLoad } from '../../loader/page-load.ts';
import { startApache, whyNoApache } from '../support/apache.ts';
import { eventually } from '../support/eventually.ts';
import { folderOfTests } from '../support/folder-of-tests.ts';
import { startNginx, whyNoNginx } from '../support/nginx.ts';

const site = join(hauckDir, 'document1');
const resources = 7;
const folder = folderOfTests();

function expectWhole(load: PageLoad): void {
  expect(load.resources.filter(({ error }) => error !== null)).toEqual([]);
  expect(load.totals).toMatchObject({ responses: resources, errors: 0 });
  expect(load.resources.every(({ attempts }) => attempts === 1)).toBe(true);
}

const startNginxWith = (keepAlive: string) =>
  startNginx(
    ({ port }) => `access_log off; types { text/html html; image/gif gif; }
      server { listen 127.0.0.1:${port}; root ${site}; keepalive_timeout ${keepAlive}; }`,
  );

const startApacheWith = (directives: string) =>
  startApache(folder, { directives: `DocumentRoot ${site}\n${directives}` });

interface Relay extends AsyncDisposable {
  url: string;
  /** Of each connection, in order: which side ended first; null: open. */
  ends: Array<'client' | 'server' | null>;
}

async function relayTo(port: number): Promise<Relay> {
  const ends: Relay['ends'] = [];
  const sockets: Socket[] = [];
  const relay = createServer({ allowHalfOpen: true }, (client) => {
    const at = ends.push(null) - 1;
    const server = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    sockets.push(client, server);
    const first = (side: 'client' | 'server') => () => {
      ends[at] ??= side;
    };
    client.on('end', first('client')).on('error', first('client')).pipe(server);
    server.on('end', first('server')).on('error', first('server')).pipe(client);
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}/`,
    ends,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => relay.close(resolve));
    },
  };
}

/** Two visits, the second when the connections of the first have ended. */
async function visitTwice({ url, ends }: Relay, options: LoaderOptions = {}) {
  await using loader = createLoader({ ...options, connections: 1 });
  expectWhole(await loader.load(url));
  await eventually(() => ends.every((end) => end !== null), 'the end of the idle connection');
  const first = [...ends];
  expectWhole(await loader.load(url));
  expect(ends.length).toBeGreaterThan(first.length);
  return first;
}

describe.skipIf(whyNoNginx !== '')('nginx', () => {
  it('keepalive_timeout 2s says nothing: its end comes first, and the next visit connects', async () => {
    await using nginx = await startNginxWith('2s');
    await using relay = await relayTo(nginx.port);
    expect(await visitTwice(relay)).toEqual(['server']);
  });

  it('keepalive_timeout 5s 5s says so: the client closes first', async () => {
    await using nginx = await startNginxWith('5s 5s');
    await using relay = await relayTo(nginx.port);
    expect(await visitTwice(relay)).toEqual(['client']);
  });

  it('keepalive_timeout 75 60: the connection carries the next visit', async () => {
    await using nginx = await startNginxWith('75 60');
    await using relay = await relayTo(nginx.port);
    await using loader = createLoader({ connections: 1 });
    for (const _visit of [1, 2]) expectWhole(await loader.load(relay.url));
    expect(relay.ends).toEqual([null]);
  });

  it('does not know Hold-Line, so http1.0 stays one request a connection', async () => {
    await using nginx = await startNginxWith('75 60');
    const load = await loadPage(`http://127.0.0.1:${nginx.port}/`, {
      ...{ protocol: 'http1.0', holdLine: 5 },
    });
    expectWhole(load);
    expect(load.totals.connections).toBe(resources);
  });
});

describe.skipIf(whyNoApache !== '')('Apache', () => {
  it('KeepAliveTimeout 5 says so: the client closes first', async () => {
    await using apache = await startApacheWith('KeepAliveTimeout 5');
    await using relay = await relayTo(apache.port);
    expect(await visitTwice(relay)).toEqual(['client']);
  });

  it.each(['persistent', 'pipelined'] as const)(
    '%s: MaxKeepAliveRequests 3 is met without a request sent twice',
    async (protocol) => {
      await using apache = await startApacheWith('MaxKeepAliveRequests 3');
      await using relay = await relayTo(apache.port);
      const load = await loadPage(relay.url, { protocol, connections: 1 });
      expectWhole(load);
      expect(load.totals.requests).toBe(resources);
      expect(Math.max(...load.connections.map(({ requests }) => requests))).toBeGreaterThan(1);
    },
  );
});
