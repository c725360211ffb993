// Saved pages of real sites, loaded over the network: style sheets, fonts and modules as the scanner finds them, and
// the same whatever the protocol.

import { once } from 'node:events';
import { createServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { type PageFixture, pageFixtures, viewports } from '../../../fixtures/pages.ts';
import { answerFrom, servePage } from '../../../fixtures/serve-page.ts';
import { loadPage } from '../../../loader/loader.ts';
import type { Protocol } from '../../../loader/page-load.ts';
import { scannedPage } from '../scan/scanned-page.ts';

const protocols: Protocol[] = ['http1.0', 'persistent', 'pipelined', 'auto', 'h2'];

/** With prior knowledge. */
async function serveOverHttp2(fixture: PageFixture) {
  const answer = answerFrom(fixture);
  const server = createServer((req, res) => {
    answer(req.url).then((served) => {
      res.writeHead(served === undefined ? 404 : 200, { 'content-type': served?.type ?? '' });
      res.end(served?.body ?? '');
    });
  });
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => sessions.add(session));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: origin + fixture.page.document,
    short: (url: string) => url.replace(origin, ''),
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
}

async function fetched(fixture: PageFixture, protocol: Protocol): Promise<string[]> {
  await using server = await (protocol === 'h2' ? serveOverHttp2 : servePage)(fixture);
  const { width, height, devicePixelRatio: dpr, mobile } = viewports.phone;
  const page = await loadPage(server.url, {
    protocol,
    discovery: {
      viewport: `${width}x${height}@${dpr}${mobile ? ' mobile' : ''}`,
      exclude: ['cross-origin'],
      also: ['media', 'frames'],
    },
  });
  const own = page.resources.filter(({ initiator }) => initiator !== null);
  expect(own.filter(({ error }) => error !== null && error.code !== 'http-status')).toEqual([]);
  return own.map(({ url }) => server.short(url)).sort();
}

test.each(pageFixtures().map((fixture) => [fixture.name, fixture] as const))(
  '%s',
  async (_, fixture) => {
    const { found } = await scannedPage(fixture, 'phone');
    const expected = [...found.keys()].filter((url) => url.startsWith('/')).sort();
    for (const protocol of protocols) {
      expect(await fetched(fixture, protocol), protocol).toEqual(expected);
    }
  },
);
