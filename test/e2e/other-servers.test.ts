// The loader against servers that are not ours: nginx (HTTP/1.1, and h2 in clear) and nghttpd (h2 by
// ALPN and by prior knowledge). Debian packages nginx-light and nghttp2-server; skipped by name
// where they are absent.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { microscapeDir } from '../../fixtures/index.ts';
import { createHttpCache, createLoader, createMemoryStore, loadPage } from '../../loader/index.ts';
import type { PageLoad } from '../../loader/page-load.ts';
import { startApache, whyNoApache } from '../support/apache.ts';
import { freePort, isInstalled, startServer } from '../support/command.ts';
import { folderOfTest, folderOfTests } from '../support/folder-of-tests.ts';
import { startNginx, whyNoNginx } from '../support/nginx.ts';
import { makeTestCertificate } from '../support/tls.ts';

const microscapeBytes = 43_008 + 103_299 + 24_988;
const folder = folderOfTests();

function expectWhole(load: PageLoad): void {
  expect(load.resources.filter(({ error }) => error !== null)).toEqual([]);
  expect(load.totals).toMatchObject({ responses: 43, bodyBytes: microscapeBytes, errors: 0 });
}

const startNginxWith = (listen: string, directives = '') =>
  startNginx(
    ({ port }) => `access_log off; types { text/html html; image/gif gif; }
      server { root ${microscapeDir}; listen 127.0.0.1:${port} ${listen}; ${directives} }`,
  );

describe.skipIf(whyNoNginx !== '')('nginx', () => {
  it.each(['http1.0', 'persistent', 'pipelined', 'auto'] as const)(
    'gives the whole page over %s',
    async (protocol) => {
      await using nginx = await startNginxWith('', 'gzip on;');
      const load = await loadPage(`${nginx.url}/`, { protocol });
      expectWhole(load);
      expect(load.totals.requests).toBe(43);
      const counts: Record<string, number> = { 'http1.0': 43, persistent: 6 };
      expect(load.totals.connections).toBe(counts[protocol] ?? 1);
    },
  );

  it('gives the whole page over h2 by prior knowledge; without h2, what to try is told', async () => {
    await using nginx = await startNginxWith('http2');
    expectWhole(await loadPage(`${nginx.url}/`, { protocol: 'h2' }));
    await using other = await startNginxWith('');
    const { resources } = await loadPage(`${other.url}/`, { protocol: 'h2' });
    expect(resources[0]?.error?.code).toBe('connection-lost');
    expect(resources[0]?.error?.message).toContain('use another protocol');
  });

  it.each(['pipelined', 'h2'] as const)(
    'that does not know Get-All answers over %s as if it had not been asked',
    async (protocol) => {
      await using nginx = await startNginxWith(protocol === 'h2' ? 'http2' : '');
      const cache = createHttpCache(createMemoryStore());
      const options = { protocol, cache, getAll: true } as const;
      const first = await loadPage(`${nginx.url}/`, options);
      expectWhole(first);
      expect(first.totals).toMatchObject({ requests: 43, parts: 0 });
      const again = await loadPage(`${nginx.url}/`, { ...options, cacheMode: 'no-cache' });
      expect(again.totals).toMatchObject({ requests: 43, notModified: 43, batches: 1, errors: 0 });
      cache.close();
    },
  );

  it.each([
    ['pipelined', 5],
    ['pipelined', 30],
    ['h2', 5],
    ['h2', 30],
  ] as const)(
    'over %s that serves %i requests a connection: a kept loader meets the limit once',
    async (protocol, limit) => {
      const listen = protocol === 'h2' ? 'http2' : '';
      await using nginx = await startNginxWith(listen, `keepalive_requests ${limit};`);
      await using loader = createLoader({ protocol });
      for (const mostRequests of [86, 47]) {
        const load = await loader.load(`${nginx.url}/`);
        expectWhole(load);
        expect(load.totals.requests).toBeLessThanOrEqual(mostRequests);
        for (const { requests } of load.connections.slice(1))
          expect(requests).toBeLessThanOrEqual(limit);
      }
    },
  );
});

describe.skipIf(whyNoApache)(`Apache ${whyNoApache}`, () => {
  it('that does not know Get-All answers as if it had not been asked', async () => {
    // Its workers are somebody else, whom `folder` does not let in.
    const site = folderOfTest();
    await writeFile(join(site, 'index.html'), '<img src=/a.gif><img src=/b.gif>');
    await writeFile(join(site, 'a.gif'), 'a');
    await writeFile(join(site, 'b.gif'), 'b');
    await using apache = await startApache(site);
    const load = await loadPage(apache.url, { getAll: true });
    expect(load.totals).toMatchObject({ requests: 3, parts: 0, errors: 0 });
    const targets = (await apache.log()).map((line) => line.split(' ').slice(0, 2).join(' '));
    expect(targets).toEqual(['GET /index.html', 'GET /a.gif', 'GET /b.gif']);
  });
});

describe.skipIf(!isInstalled('nghttpd'))('nghttpd', () => {
  it.each(['auto', 'h2'] as const)(
    'gives the whole page over TLS and ALPN, asked by %s',
    async (protocol) => {
      const port = await freePort();
      const { key, cert } = await makeTestCertificate();
      const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
      await writeFile(keyFile, key);
      await writeFile(certFile, cert);
      const args = ['-d', microscapeDir, '-a', '127.0.0.1', String(port), keyFile, certFile];
      await using _nghttpd = await startServer('nghttpd', args, port);
      const load = await loadPage(`https://localhost:${port}/`, { protocol, tls: { ca: cert } });
      expectWhole(load);
      expect(load.connections.map(({ httpVersion }) => httpVersion)).toEqual(['h2']);
    },
  );

  it('gives the whole page in clear, by prior knowledge; HTTP/1.1 is told what to try', async () => {
    const port = await freePort();
    const args = ['--no-tls', '-d', microscapeDir, '-a', '127.0.0.1', String(port)];
    await using _nghttpd = await startServer('nghttpd', args, port);
    expectWhole(await loadPage(`http://127.0.0.1:${port}/`, { protocol: 'h2' }));
    const { resources } = await loadPage(`http://127.0.0.1:${port}/`);
    expect(resources[0]?.error?.code).toBe('malformed-response');
    expect(resources[0]?.error?.message).toContain('use protocol h2');
  });
});
