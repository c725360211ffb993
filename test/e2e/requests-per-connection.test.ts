// Servers end a connection after a number of requests (nginx keepalive_requests, Apache MaxKeepAliveRequests): what
// was sent behind the last is sent again. A kept loader learns the limit when it first meets it, which costs that one
// page at most twice the requests; every other load sends at most 1.1 a resource. No body is lost or swapped, ever.
// (Apache sets HTTP/2 no such limit: there it has to be left alone.) Each combination loads the page 3 times; more:
//
//   LOADS=200 npx vitest run test/e2e/requests-per-connection.test.ts

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLoader, loadPage } from '../../loader/index.ts';
import type { PageLoad } from '../../loader/page-load.ts';
import { whyNoApache } from '../support/apache.ts';
import { eventually } from '../support/eventually.ts';
import { folderOfTests } from '../support/folder-of-tests.ts';
import { expectOwnBytes, imagePage } from '../support/image-page.ts';
import { whyNoNginx } from '../support/nginx.ts';
import {
  type LimitedServer,
  type StartLimited,
  startLimitedApache,
  startLimitedNginx,
  startLimitedOrigin,
} from './limited-servers.ts';

const loadCount = Number(process.env.LOADS ?? 3);
const timeoutMs = 30_000 + loadCount * 1_000;
const limits = [1, 5, 99, 100, 101, 1000];
const combinations = limits.flatMap((limit) =>
  (['auto', 'h2'] as const).map((protocol) => ({ limit, protocol })),
);
const page = imagePage(150);
const resources = page.images.length + 1;
/** Requests a resource in all loads but one, and times the server processed a resource, over the loads. */
const mostRequests = 1.1;

async function writePage(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'index.html'), page.html);
  for (const { path, body } of page.images) await writeFile(join(folder, path), body);
}

const sum = (loads: readonly PageLoad[], of: (load: PageLoad) => number): number =>
  loads.reduce((all, load) => all + of(load), 0);
const requestsPerResource = (loads: readonly PageLoad[]): number =>
  sum(loads, ({ totals }) => totals.requests) / (loads.length * resources);
/** Without the load that met the limit first: the first, or the second where the limit is not below the page. */
const allButWorst = (loads: readonly PageLoad[]): PageLoad[] =>
  loads.toSorted((a, b) => a.totals.requests - b.totals.requests).slice(0, -1);

const servers: Array<[name: string, whyNot: string, start: StartLimited]> = [
  ['nginx', whyNoNginx, startLimitedNginx],
  ['Apache httpd', whyNoApache, startLimitedApache],
  ['our own origin', '', startLimitedOrigin],
];

describe.each(servers)('%s that ends connections %s', (_name, whyNot, start) => {
  const folder = folderOfTests();
  let server: LimitedServer;

  beforeAll(async () => {
    if (whyNot !== '') return;
    await writePage(folder);
    server = await start(folder, limits);
  });
  afterAll(async () => {
    if (whyNot !== '') return;
    await server[Symbol.asyncDispose]();
  });

  /** Loads that are right, whatever was learned; and how often the server processed the resource it processed most. */
  async function loadsOf(
    { protocol, limit }: (typeof combinations)[number],
    load: (url: string) => Promise<PageLoad>,
    close: () => Promise<void> = async () => {},
  ): Promise<{ loads: PageLoad[]; mostProcessed: number }> {
    const before = (await server.processed(protocol, limit)).length;
    const processed = async () => (await server.processed(protocol, limit)).slice(before);
    const loads: PageLoad[] = [];
    for (let count = 0; count < loadCount; count++) {
      loads.push(await load(server.url(protocol, limit)));
    }
    for (const each of loads) expectOwnBytes(each, page);
    // Of a connection that stays open Apache may log the last stream only when it is idle for 5 s.
    await close();
    await eventually(async () => (await processed()).length >= loadCount * resources, 'the log');
    const byTarget = Map.groupBy(await processed(), (target) => target);
    const mostProcessed = Math.max(...[...byTarget.values()].map((times) => times.length));
    return { loads, mostProcessed };
  }

  it.skipIf(whyNot !== '').each(combinations)(
    'after $limit requests, $protocol: a kept loader meets the limit once, then sends nothing twice',
    async (combination) => {
      await using loader = createLoader({ protocol: combination.protocol });
      const { loads, mostProcessed } = await loadsOf(
        combination,
        (url) => loader.load(url),
        () => loader.close(),
      );
      expect(requestsPerResource(allButWorst(loads))).toBeLessThanOrEqual(mostRequests);
      for (const load of loads) expect(requestsPerResource([load])).toBeLessThanOrEqual(2);
      // Once more where the answer was lost with the connection that met the limit.
      expect(mostProcessed).toBeLessThanOrEqual(mostRequests * loadCount + 1);
    },
    timeoutMs,
  );

  it.skipIf(whyNot !== '').each(combinations.filter(({ limit }) => limit >= 100 && limit !== 101))(
    'after $limit requests, $protocol: a fresh loader does not run into a limit that servers usually have',
    async (combination) => {
      const { protocol } = combination;
      const { loads } = await loadsOf(combination, (url) => loadPage(url, { protocol }));
      for (const load of loads)
        expect(requestsPerResource([load])).toBeLessThanOrEqual(mostRequests);
    },
    timeoutMs,
  );
});
