// A real upstream: nginx with the Microscape page, gzip, ranges, uploads. Skipped by name where it is
// absent (Debian package nginx-light).

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { microscapeDir } from '../../../fixtures/index.ts';
import { loadPage } from '../../../loader/index.ts';
import { createProxy, type ProxyOptions } from '../../../server/index.ts';
import { type Nginx, startNginx, whyNoNginx } from '../../support/nginx.ts';

describe.skipIf(whyNoNginx !== '')('in front of nginx', () => {
  let nginx: Nginx;
  let upstream: string;

  beforeAll(async () => {
    nginx = await startNginx(
      ({ port }) => `access_log off; types { text/html html; image/gif gif; } gzip on;
        server { listen 127.0.0.1:${port}; root ${microscapeDir}; }`,
    );
    upstream = nginx.url;
  });
  afterAll(() => nginx[Symbol.asyncDispose]());

  async function start(options: Partial<ProxyOptions> = {}) {
    const proxy = createProxy({ upstream, ...options });
    return { proxy, ...(await proxy.listen()) };
  }

  it.each(['http1.0', 'persistent', 'pipelined', 'h2'] as const)(
    'the whole page arrives over %s, byte for byte as without us',
    async (protocol) => {
      const { proxy, url } = await start();
      await using _proxy = proxy;
      const direct = await loadPage(`${upstream}/`, { protocol: 'persistent' });
      const load = await loadPage(`${url}/`, { protocol });
      expect(load.totals).toMatchObject({ responses: 43, errors: 0 });
      expect(load.totals.bodyBytes).toBe(direct.totals.bodyBytes);
      const coded = (page: typeof load) => page.resources[0]?.encodedBytes;
      expect(coded(load)).toBe(coded(direct));
      expect(proxy.stats()).toMatchObject({ requests: 43, upstreamFailures: 0 });
    },
  );

  it('compresses, as no Via is sent', async () => {
    const { proxy, url } = await start();
    await using _proxy = proxy;
    const answer = await fetch(`${url}/`, { headers: { 'accept-encoding': 'gzip' } });
    await answer.bytes();
    expect(answer.headers.get('content-encoding')).toBe('gzip');
  });
});
