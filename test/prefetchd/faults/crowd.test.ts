// Ten thousand clients at once, each with a connection of its own, and then all once more over these: everyone is
// answered by the service, by a site behind the proxy, and by a site with hints(), as by the site alone.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFilesLimit } from '../../../process/connection-capacity.ts';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import { servingPrefetchd } from '../../support/prefetchd-command.ts';
import { crowd, peakMemory, startCrowdSite, type Tally } from './crowd.ts';
import { serve, until } from './served.ts';

/** The proxy keeps three eighths of its files for the site, and 256 for itself. */
const filesFor = (clients: number) => Math.ceil((clients * 8) / 5) + 256;
const wanted = 10_000;
const files = openFilesLimit();
const clients = files >= filesFor(wanted) ? wanted : Math.floor(((files - 256) * 5) / 8);
const why = clients < wanted ? ` (ulimit -n is ${files}, ${wanted} need ${filesFor(wanted)})` : '';
const everybody: [Tally, Tally] = [{ 200: clients }, { 200: clients }];
const mostBytes = 1024 ** 3;
const settings = { timeout: 240_000 };

const folder = folderOfTests();

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const pageOf = (n: number) =>
  `GET /page-${n % 100} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: ${browser}\r\nAccept: text/html\r\n\r\n`;

function accessOf(n: number): string {
  const url = n % 2 === 0 ? '/a' : `/page-${n % 100}`;
  const body = JSON.stringify({ client: `visitor-${n} x`, url, kind: 'document' });
  return `POST /v1/hints HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

test(`prefetchd serve answers ${clients} clients at once${why}`, settings, async () => {
  await using served = await serve(folder, `sqlite:${join(folder, 'crowd.db')}`);
  expect(await crowd({ port: served.port, clients, requestOf: accessOf })).toEqual(everybody);
  const learned = await served.metric('prefetchd_accesses_total{kind="document"}');
  // Two of them share a counter of their repeats once in a hundred times (prefetchd/engine/fair-share.ts).
  const repeats = (await served.metric('prefetchd_accesses_dropped_total{reason="repeat"}')) || 0;
  expect(learned + repeats).toBe(2 * clients);
  expect(repeats).toBeLessThanOrEqual(8);
  expect(peakMemory(served.child.pid as number) ?? 0).toBeLessThan(mostBytes);
  // It is not busy any more.
  await served.post('/v1/accesses', [
    { client: 'last x', url: '/first', kind: 'document' },
    { client: 'last x', url: '/second', kind: 'document' },
  ]);
  await until(async () => (await served.hints('/first')).includes('/second'));
  expect(await served.kill('SIGTERM')).toBe(0);
});

test(`prefetchd proxy answers ${clients} clients at once${why}`, settings, async () => {
  // So slow that they all wait for it at the same time.
  const site = await startCrowdSite('plain', 1000);
  const args = ['proxy', '--port', '0', '--upstream', `http://127.0.0.1:${site.port}`];
  await using proxy = await servingPrefetchd(folder, args);
  const port = Number(new URL(proxy.url).port);
  expect(await crowd({ port, clients, requestOf: pageOf })).toEqual(everybody);
  expect(peakMemory(proxy.child.pid as number) ?? 0).toBeLessThan(mostBytes);
  proxy.child.kill('SIGTERM');
  expect((await proxy.ended).code).toBe(0);
});

test(`a site with hints() answers ${clients} clients at once${why}`, settings, async () => {
  const { port, pid } = await startCrowdSite('hints', 0);
  expect(await crowd({ port, clients, requestOf: pageOf })).toEqual(everybody);
  expect(peakMemory(pid) ?? 0).toBeLessThan(mostBytes);
});
