// Ports and sockets: where the service listens, whom it refuses, how it ends.

import { once } from 'node:events';
import { stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import express from 'express';
import { afterAll, expect, it } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { createPrefetchd } from '../../../prefetchd/engine/prefetchd.ts';
import { createService } from '../../../prefetchd/service/service.ts';
import { listening } from '../../server/listening.ts';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import { tellingLog } from '../../support/telling-log.ts';
import { access, ask, begun, running } from './ask.ts';

const folder = folderOfTests();

/** Resolves when nothing listens there any more. */
async function refused(port: number): Promise<void> {
  for (let isOpen = true; isOpen; ) {
    const probe = connect(port, '127.0.0.1');
    isOpen = await Promise.race([
      once(probe, 'connect').then(() => true),
      once(probe, 'close').then(() => false),
    ]).catch(() => false);
    probe.destroy();
  }
}

const prefetchd = createPrefetchd();
afterAll(() => prefetchd.close());

it('an address that others reach demands a token', async () => {
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.org', '127.0.0.1.example.org']) {
    const service = createService(prefetchd);
    await expect(service.listen({ port: 0, host })).rejects.toMatchObject({
      code: 'invalid-option',
      message: `token must be set to listen on ${host}, which other machines can reach`,
    });
    await service.close();
  }
  await using service = await running({
    where: { port: 0, host: '0.0.0.0' },
    service: { token: 'a-token-of-the-tests' },
  });
  expect((await service.get('/healthz')).status).toBe(200);
});

it('a unix socket is for its user and group, serves, and is gone after close', async () => {
  const socket = join(folder, 'a.sock');
  const service = await running({ where: { host: `unix:${socket}` } });
  expect(service.url).toBe(`unix:${socket}`);
  expect((await stat(socket)).mode & 0o777).toBe(0o660);
  const headers = { Host: 'whatever.example' }; // no browser speaks over it
  expect((await service.post('/v1/accesses', access('a x', '/a'), headers)).status).toBe(200);
  await service[Symbol.asyncDispose]();
  await expect(stat(socket)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('the socket of a living one is refused, and goes on', async () => {
  const socket = join(folder, 'living.sock');
  await using service = await running({ where: { host: `unix:${socket}` } });
  const second = createService(prefetchd);
  await expect(second.listen({ host: `unix:${socket}` })).rejects.toMatchObject({
    code: 'address-in-use',
  });
  await second.close();
  expect((await service.get('/healthz')).status).toBe(200);
});

it('a file, link or folder that is no socket is left alone, and a folder that is not there is told', async () => {
  const [file, link] = [join(folder, 'file'), join(folder, 'link')];
  await writeFile(file, 'mine');
  await symlink(file, link);
  for (const [socket, code] of [
    ...[file, link, folder].map((path) => [path, 'invalid-option'] as const),
    [join(folder, 'nowhere', 'a.sock'), 'listen-failed'],
  ] as const) {
    const service = createService(prefetchd);
    await expect(service.listen({ host: `unix:${socket}` })).rejects.toMatchObject({ code });
    await service.close();
  }
  expect((await stat(file)).size).toBe(4);
});

it('close lets a begun request end, takes no new one, and closes kept connections', async () => {
  const service = await running();
  const port = Number(new URL(service.url).port);
  const idle = connect(port, '127.0.0.1');
  await once(idle, 'connect');
  const body = JSON.stringify(access('a x', '/a'));
  const busy = await begun(service.url, '/v1/hints', body.length);
  const closed = service.service.close();
  await once(idle.resume(), 'close');
  await refused(port);
  busy.write(body);
  const [answer] = await once(busy, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1.1 200 OK.*\{"hints":\[\]\}$/s);
  await closed;
  await service.prefetchd.close();
});

it('what comes on an idle connection while it closes is answered, as the last (RFC 9112 9.6)', async () => {
  const times = withConstants({ closeTimeoutMs: 60_000, drainTimeoutMs: 30_000 });
  const service = await running({ service: times });
  const port = Number(new URL(service.url).port);
  const get = 'GET /v1/hints?url=/a HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const [idle, silent] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  await Promise.all([once(idle, 'connect'), once(silent, 'connect')]);
  idle.write(get);
  expect(String((await once(idle, 'data'))[0])).toMatch(/\r\nConnection: keep-alive\r\n/);
  const closed = service.service.close();
  await refused(port); // it has begun
  for (const socket of [idle, silent]) {
    socket.write(get);
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 200 OK\r\n(?:.*\r\n)*Connection: close\r\n/);
    await once(socket, 'close');
  }
  await closed;
  await service.prefetchd.close();
});

it('more connections than there may be are closed, and the log says so once', async () => {
  const warned: unknown[] = [];
  const log = tellingLog((message, fields, level) => warned.push({ level, ...fields, message }));
  await using service = await running({ service: { maxConnections: 1, log } });
  const port = Number(new URL(service.url).port);
  const first = connect(port, '127.0.0.1');
  await once(first, 'connect');
  for (let n = 0; n < 3; n++) {
    const more = connect(port, '127.0.0.1');
    more.on('error', () => {});
    await once(more, 'close');
  }
  expect(warned).toEqual([
    { level: 'warn', maxConnections: 1, message: expect.stringMatching(/^maxConnections reached/) },
  ]);
  first.destroy();
});

it('close ends what never ends, in its time', async () => {
  const service = await running({ service: withConstants({ closeTimeoutMs: 20 }) });
  const socket = await begun(service.url, '/v1/hints', 9);
  await Promise.all([service.service.close(), once(socket, 'close')]);
  await service.prefetchd.close();
});

it('the app can be mounted in a server that is there already', async () => {
  const service = createService(prefetchd);
  const port = await listening(createServer(express().use('/prefetchd', service.app)));
  const said = await ask(`http://127.0.0.1:${port}`, '/prefetchd/v1/hints?url=/a');
  expect([said.status, said.json]).toEqual([200, { hints: [] }]);
});

it('destroy() cuts what close() waits for', async () => {
  await using service = await running({
    service: withConstants({ closeTimeoutMs: 600_000, drainTimeoutMs: 300_000 }),
  });
  const socket = await begun(service.url, '/v1/hints', 9);
  const closed = service.service.close();
  await Promise.all([service.service.destroy(), closed, once(socket, 'close')]);
});
