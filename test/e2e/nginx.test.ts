// examples/nginx/mirror.conf as it stands, with Debian's nginx (package nginx-light, or nginx): pages learned through it,
// hints on them, and nothing that happens to prefetchd keeps a visitor from a page. Skipped by name
// where it is absent.

import { describe, expect, it } from 'vitest';
import { withConstants } from '../../options/options.ts';
import { type Running, running } from '../prefetchd/service/ask.ts';
import { freePort } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { folderOfTests } from '../support/folder-of-tests.ts';
import { patient, startExample, whyNoNginx } from '../support/nginx.ts';
import { servingPrefetchd } from '../support/prefetchd-command.ts';
import { type RawHandler, startRawServer } from '../support/raw-server.ts';
import { visit } from '../support/visit.ts';
import { type Answer, hostOf, rulesFor, startApp, walk } from './nginx-set-up.ts';

const folder = folderOfTests();

async function started(prefetchd: string, answer?: Answer, changes = patient) {
  const app = await startApp(answer);
  const nginx = await startExample(folder, 'nginx/mirror.conf', {
    ...changes,
    '127.0.0.1:3000': app.address,
    '127.0.0.1:7733': hostOf(prefetchd),
  });
  return {
    app,
    url: nginx.url,
    async [Symbol.asyncDispose]() {
      await nginx[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

const learned = ({ prefetchd }: Running) => prefetchd.stats().learned.document;
const learning = (minClients = 3) =>
  running({ prefetchd: { minClients, ...withConstants({ maxRepeatsPerDay: 20 }) } });

describe.skipIf(whyNoNginx)(`nginx with mirror ${whyNoNginx}`, () => {
  it('three visitors teach, each by an address of its own; the fourth is told', async () => {
    await using service = await learning();
    await using site = await started(service.url);
    await walk(site.url, 3, ['/a', '/b'], () => learned(service));
    expect(service.prefetchd.stats().learned).toEqual({ document: 6, object: 0 });
    const page = await visit(`${site.url}/a`, { from: '127.0.0.5' });
    expect([page.status, page.body, page.headers['speculation-rules'], page.headers.link]).toEqual([
      ...[200, 'page /a', '"?prefetchd-rules"', undefined],
    ]);
    expect(await rulesFor(site.url, '/a')).toBe('/b');
    expect(site.app.asked.filter((line) => line.includes('prefetchd-rules'))).toEqual([]);
  });

  it("the site's own Link stays", async () => {
    await using service = await learning();
    await using site = await started(service.url);
    await walk(site.url, 3, ['/own-link', '/b'], () => learned(service));
    const page = await visit(`${site.url}/own-link`, { from: '127.0.0.9' });
    expect(page.headers.link).toBe('</own.css>; rel=preload; as=style');
    expect(await rulesFor(site.url, '/own-link')).toContain('/b');
  });

  it('pictures, POST and HEAD ask nobody; the body of a POST goes to the site alone', async () => {
    await using service = await learning();
    await using site = await started(service.url);
    await visit(`${site.url}/i.png`, { headers: { Accept: 'image/avif,*/*' } });
    await visit(`${site.url}/f`, { headers: { 'Sec-Fetch-Dest': 'iframe' } });
    await visit(`${site.url}/h`, { method: 'HEAD' });
    const said = await visit(`${site.url}/form`, { method: 'POST', body: 'secret' });
    expect([said.status, site.app.asked.at(-1)]).toEqual([200, 'POST /form secret']);
    await walk(site.url, 1, ['/a'], () => learned(service));
    const { text } = await service.get('/metrics');
    const requests = (route: string) =>
      Number(new RegExp(`_duration_seconds_count{route="${route}".*} (\\d+)`).exec(text)?.[1]);
    expect([requests('/v1/page-rules'), requests('/v1/mirror')]).toEqual([Number.NaN, 1]);
    expect(service.prefetchd.stats().notLearned).toEqual({});
  });

  it('a strange X-Forwarded-For makes nobody another visitor', async () => {
    await using service = await learning(2);
    await using site = await started(service.url);
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
      const headers = { 'X-Forwarded-For': address, 'X-Real-IP': address };
      const before = learned(service);
      await visit(`${site.url}/a`, { headers });
      await eventually(() => learned(service) === before + 1);
      await visit(`${site.url}/b`, { headers });
      await eventually(() => learned(service) === before + 2);
    }
    expect(await rulesFor(site.url, '/a')).toBe('');
  });

  it('under load prefetches are refused, and visitors served', async () => {
    await using service = await learning();
    const waiting: Array<() => void> = [];
    await using site = await started(service.url, (request, response) => {
      if (request.url === '/slow') waiting.push(() => response.end('slow'));
      else response.end('page');
    });
    const guess = { headers: { 'Sec-Purpose': 'prefetch;prerender' } };
    const guesses = Array.from({ length: 16 }, () => visit(`${site.url}/slow`, guess));
    await eventually(() => waiting.length === 16);
    // No cache keeps a 503 that says nothing of it (RFC 9111 4.2.2, RFC 9110 15.1).
    expect((await visit(`${site.url}/b`, guess)).status).toBe(503);
    expect((await visit(`${site.url}/b`)).status).toBe(200);
    for (const answer of waiting) answer();
    for (const { status } of await Promise.all(guesses)) expect(status).toBe(200);
    expect((await visit(`${site.url}/b`, guess)).status).toBe(200);
  });
});

describe.skipIf(whyNoNginx)(`a page is served whatever prefetchd does ${whyNoNginx}`, () => {
  it('gone', async () => {
    await using site = await started(`127.0.0.1:${await freePort()}`);
    expect(await visit(`${site.url}/a`)).toMatchObject({ status: 200, body: 'page /a' });
  });

  it('stopped in its tracks, and back', async () => {
    const args = ['serve', '--port', '0', '--min-clients', '1', '--threshold', '0.1'];
    await using service = await servingPrefetchd(folder, args);
    await using site = await started(service.url, undefined, {});
    let visitor = 1;
    const isHinted = async () => {
      visitor++;
      for (const page of ['/a', '/b']) {
        await visit(`${site.url}${page}`, { from: `127.0.1.${visitor}` });
      }
      return (await rulesFor(site.url, '/a', `127.0.2.${visitor}`)) === '/b';
    };
    await eventually(isHinted);
    service.child.kill('SIGSTOP');
    const startMs = performance.now();
    for (let n = 0; n < 20; n++) {
      const page = await visit(`${site.url}/a`, { from: '127.0.0.4' });
      expect([page.status, page.body]).toEqual([200, 'page /a']);
    }
    // 20 ms each, and what a busy machine adds; without a limit it would be the test's own.
    expect(performance.now() - startMs).toBeLessThan(10_000);
    service.child.kill('SIGCONT');
    await eventually(isHinted);
  });

  it.each([
    ['500', 'HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n'],
    ['401', 'HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\n\r\n'],
    ['403', 'HTTP/1.1 403 No\r\nContent-Length: 4\r\n\r\nno!!'],
    ['404', 'HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n'],
    ['429', 'HTTP/1.1 429 No\r\nContent-Length: 0\r\n\r\n'],
    ['a redirect', 'HTTP/1.1 302 No\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n'],
    ['half a head', 'HTTP/1.1 204 No'],
    ['nothing', ''],
  ])('answers %s', async (_, bytes) => {
    const onRequest: RawHandler['onRequest'] = (_request, connection) => connection.end(bytes);
    await using wrong = await startRawServer({ onRequest });
    await using site = await started(wrong.origin);
    expect(await visit(`${site.url}/a`)).toMatchObject({ status: 200, body: 'page /a' });
  });
});
