// Some resources of a page end every connection that asks for them. Those that stood behind them in a pipeline are
// innocent: they are asked for again at no cost of their own, with fewer at a time, and the one that was due when the
// connection broke alone (RFC 9112 9.3.2). None of them is lost, no page sends more than 1.25 requests for a resource
// beside the two of each dead one, and no more than six connections are open at a time. On a busy machine a handshake
// may take as long as to a distant server; then more is in flight, as docs/decisions.md says, and lost. A part of the
// cases; all, and a table of what was seen:
//
//   DEAD=all npx vitest run test/loader/recovery/dead-beside-healthy.test.ts

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LoaderOptions, loadPage, type PageLoad } from '../../../loader/index.ts';
import { withConstants } from '../../../options/options.ts';
import { serving, startHttp2Site } from '../../support/http2-site.ts';
import { expectOwnBytes, imagePage, openAtOnce, rowsByPath } from '../../support/image-page.ts';
import { startNginx, whyNoNginx } from '../../support/nginx.ts';
import { randomFrom } from '../../support/random.ts';
import { answering, type RawConnection } from '../../support/raw-server.ts';
import { makeTestCertificate, type TestCertificate } from '../../support/tls.ts';

const isWhole = process.env.DEAD === 'all';
const page = imagePage(100);
const resources = 101;
/** Requests for a resource, beside those for dead ones: of a near server, and of one that seemed distant. */
const [mostRequests, mostRequestsFar] = [1.25, 2];
const mostConnections = 6;

const table: Array<Record<string, string | number>> = [];
afterAll(() => {
  if (isWhole) console.table(table);
});

/** Numbers of the dead images. */
const places: Record<string, (count: number) => number[]> = {
  scattered: (count) =>
    Array.from({ length: count }, (_, index) => Math.floor(((index + 0.5) * 100) / count)),
  neighbours: (count) => Array.from({ length: count }, (_, index) => 45 - (count >> 1) + index),
  'the first': (count) => Array.from({ length: count }, (_, index) => index),
};
const counts = isWhole ? [1, 2, 3, 5, 10, 50] : [2, 10, 50];
const layouts = Object.entries(places).flatMap(([layout, of]) =>
  counts.map((count) => ({ layout, count, dead: of(count) })),
);

/** How a server fails one request, its connection with it. */
const endings: Record<string, (connection: RawConnection, whole: Buffer) => void> = {
  RST: (connection) => connection.reset(),
  'FIN without a byte': (connection) => connection.end(),
  'FIN in the middle of the body': (connection, whole) => connection.end(whole.subarray(0, -9)),
  silence: () => {},
};

let tls: TestCertificate;
beforeAll(async () => {
  tls = await makeTestCertificate();
});

/** A TCP handshake took 2 ms or more (server-observer.ts). */
function seemedFar({ connections }: PageLoad): boolean {
  return connections.some(
    ({ lookupEndMs, connectEndMs }) => Number(connectEndMs) - Number(lookupEndMs) >= 2,
  );
}

function expectHealthy(load: PageLoad, dead: readonly number[], about: string): void {
  const names = new Set(dead.map((index) => `/image-${index}.gif`));
  const failed = [...rowsByPath(load, page)].filter(([, { error }]) => error !== null);
  const attempts = failed.map(([, row]) => row.attempts);
  table.push({
    ...{ case: about, dead: dead.length, requests: load.totals.requests },
    'a resource': Number(((load.totals.requests - 2 * dead.length) / resources).toFixed(2)),
    'of the dead': attempts.reduce((sum, each) => sum + each, 0),
    connections: load.totals.connections,
    'at once': openAtOnce(load),
    completeMs: Math.round(load.timing.completeMs ?? Number.NaN),
  });
  expect(failed.map(([path]) => path).filter((path) => !names.has(path))).toEqual([]);
  expect(failed.length).toBe(dead.length);
  const codes = new Set(failed.map(([, { error }]) => error?.code ?? ''));
  for (const code of codes) {
    expect(['connection-lost', 'length-mismatch', 'response-timeout']).toContain(code);
  }
  const healthy = { ...load, resources: load.resources.filter(({ error }) => error === null) };
  const images = page.images.filter(({ path }) => !names.has(path));
  expectOwnBytes(healthy, { ...page, images });
  const most = seemedFar(load) ? mostRequestsFar : mostRequests;
  expect(load.totals.requests).toBeLessThanOrEqual(most * resources + 2 * dead.length);
  expect(openAtOnce(load)).toBeLessThanOrEqual(mostConnections);
}

function optionsFor(ending: string): LoaderOptions {
  const timeouts = {
    timeouts: { responseMs: 1_000 },
    ...withConstants({ pipeline: { stallMs: 250 } }),
  };
  return { tls: { ca: tls.cert }, ...(ending === 'silence' && timeouts) };
}

describe.each(['http', 'https'])('over %s', (scheme) => {
  describe.each(Object.entries(endings))('%s', (ending, fail) => {
    const isShort = scheme === 'https' || ending === 'silence';
    const some = layouts.filter(({ count }) => isWhole || !isShort || count === 10);
    it.each(some)('for $count of 100, $layout: no other is lost', async ({ layout, dead }) => {
      const names = new Set(dead.map((index) => `/image-${index}.gif`));
      const dying = new WeakSet<RawConnection>();
      await using server = await answering(
        ({ path }, connection) => {
          if (dying.has(connection)) return;
          if (!names.has(path)) return connection.write(page.answer(path));
          dying.add(connection);
          fail(connection, page.answer(path));
        },
        scheme === 'https' ? { ...tls, ALPNProtocols: ['http/1.1'] } : undefined,
      );
      const load = await loadPage(server.origin, optionsFor(ending));
      expectHealthy(load, dead, `${scheme}, ${ending}, ${layout}`);
    });
  });

  it.skipIf(whyNoNginx !== '').each(layouts.filter(({ count }) => isWhole || count === 10))(
    'nginx, return 444 for $count of 100, $layout: no other is lost',
    async ({ layout, dead }) => {
      await using nginx = await startNginx(({ port, folder }) => {
        writeFileSync(join(folder, 'index.html'), page.html);
        for (const { path, body } of page.images) writeFileSync(join(folder, path), body);
        writeFileSync(join(folder, 'key.pem'), tls.key);
        writeFileSync(join(folder, 'cert.pem'), tls.cert);
        const keys = `ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;`;
        return `types { text/html html; image/gif gif; } access_log off;
          server {
            listen 127.0.0.1:${port}${scheme === 'https' ? ' ssl' : ''}; ${keys}
            root ${folder}; add_header X-For $request_uri;
            location ~ ^/image-(${dead.join('|')})\\.gif$ { return 444; }
          }`;
      });
      const load = await loadPage(`${scheme}://127.0.0.1:${nginx.port}/`, optionsFor('444'));
      expectHealthy(load, dead, `${scheme}, nginx 444, ${layout}`);
    },
  );
});

it('HTTP/2: a request that ends the session takes no other with it for good', async () => {
  const dead = [10, 11, 60];
  const names = new Set(dead.map((index) => `/image-${index}.gif`));
  const serve = serving(page);
  await using server = await startHttp2Site((path, stream) => {
    if (names.has(path)) stream.session?.destroy();
    else serve(path, stream);
  });
  const load = await loadPage(server.origin, { protocol: 'h2' });
  const failed = load.resources.filter(({ error }) => error !== null);
  expect(failed.map(({ url }) => new URL(url).pathname).sort()).toEqual([...names].sort());
});

it('a reset now and then loses nothing', async () => {
  const loads = isWhole ? 400 : 20;
  const lost: string[] = [];
  let [requests, most] = [0, 0];
  const random = randomFrom(4);
  await using server = await answering(({ path }, connection) => {
    // The first of a connection is answered: a request that is reset twice cannot be told from a dead one.
    if (random() < 0.01 && connection.requests.length > 1) connection.reset();
    else connection.write(page.answer(path));
  });
  for (let count = 0; count < loads; count++) {
    const load = await loadPage(server.origin);
    const failed = load.resources.filter(({ error }) => error !== null);
    lost.push(...failed.map(({ url, attempts, error }) => `${url} ${attempts} ${error?.message}`));
    requests += load.totals.requests;
    most += (seemedFar(load) ? mostRequestsFar : mostRequests) * resources;
  }
  table.push({ case: `resets, ${loads} loads`, 'a resource': requests / loads / resources });
  expect(lost).toEqual([]);
  expect(requests).toBeLessThanOrEqual(most);
});
