// The times of a page that moved: its first byte is that of the document shown, and the redirects before it are a phase
// of their own, from navigation start to the end of the last one (Resource Timing 2, redirectStart and redirectEnd).

import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { loadPage } from '../../../loader/index.ts';
import { renderSummary } from '../../../loader/report/summary.ts';
import { listening } from '../../server/listening.ts';
import { answering, closedPort, response } from '../../support/raw-server.ts';

const html = response('<img src=/a.gif>', { 'Content-Type': 'text/html' });
const to = (location: string) => response('', { Location: location }, '302 Found');
const columns = { columns: 80, color: false };

it('the first byte is that of the document shown, and the redirects end before it', async () => {
  await using server = await answering(({ path }, connection) =>
    connection.write(path === '/' ? to('/b') : path === '/b' ? to('/c') : html),
  );
  const load = await loadPage(server.origin);
  const [, second, page] = load.resources;
  expect(load.timing.firstByteMs).toBe(page?.responseStartMs);
  expect(load.timing.redirectMs).toBe(second?.responseEndMs);
  expect(load.timing.redirectMs).toBeLessThan(load.timing.firstByteMs as number);
  expect(load.timing.firstByteMs).toBeLessThanOrEqual(load.timing.firstViewMs as number);
  expect(renderSummary(load, columns)).toMatch(/^redirects .* ms {2}/m);
});

it('without a redirect there is no such phase', async () => {
  await using server = await answering((_request, connection) => connection.write(html));
  const load = await loadPage(server.origin);
  expect(load.timing).toMatchObject({
    redirectMs: null,
    firstByteMs: load.resources[0]?.responseStartMs,
  });
  expect(renderSummary(load, columns)).not.toMatch(/^redirects/m);
});

it('a redirect to a dead server is no page: it has redirects, and no other time', async () => {
  const target = `http://127.0.0.1:${await closedPort()}/`;
  const server = createServer((_req, res) => res.writeHead(302, { Location: target }).end());
  const load = await loadPage(`http://127.0.0.1:${await listening(server)}/`);
  expect(load.resources[1]?.error?.code).toBe('connection-refused');
  expect(load.timing).toEqual({
    redirectMs: load.resources[0]?.responseEndMs,
    ...{ firstByteMs: null, htmlEndMs: null, sizesKnownMs: null },
    ...{ firstViewMs: null, completeMs: null },
  });
});
