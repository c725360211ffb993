// What stands in front of the site and refuses paths by itself never sees a part: parts are asked of the site from within.

import express from 'express';
import { describe, expect, it } from 'vitest';
import type { GetAllOptions } from '../../../server/get-all/get-all.ts';
import { createOrigin, getAll } from '../../../server/index.ts';
import { startNginx, whyNoNginx } from '../../support/nginx.ts';
import { makeSite } from '../site.ts';
import { ask, listen, page, places } from './set-up.ts';

async function start(options: GetAllOptions, ...targets: string[]): Promise<number> {
  const app = express().use(getAll(options));
  app.get('/', (_, res) => void res.send(page(...targets)));
  app.get(/./, (_, res) => void res.type('gif').send('gif'));
  return listen(app);
}

describe('a request that came through a proxy', () => {
  const marks = [
    ['Via', '1.1 front'],
    ['Forwarded', 'for=192.0.2.1'],
    ['X-Forwarded-For', '192.0.2.1'],
    ['X-Forwarded-Host', 'a.test'],
    ['X-Forwarded-Proto', 'https'],
    ['X-Real-IP', '192.0.2.1'],
  ] as const;

  it.each(marks)(
    'gets the page alone, as from a server without the field: %s',
    async (name, value) => {
      const port = await start({}, '/internal/status');
      const seen = await ask(port, '/', { [name]: value });
      expect([seen.parts, seen.headers['get-all']]).toEqual([null, undefined]);
      expect(seen.body.toString()).toContain('<img');
    },
  );

  it.skipIf(whyNoNginx !== '')(
    'of nginx as it comes, which marks nothing: the page alone',
    async () => {
      const site = await start({}, '/internal/status');
      await using nginx = await startNginx(
        ({ port }) => `access_log off; server { listen 127.0.0.1:${port};
          location /internal { deny all; } location / { proxy_pass http://127.0.0.1:${site}; } }`,
      );
      const { port } = nginx;
      expect((await ask(port, '/internal/status')).status).toBe(403);
      const seen = await ask(port, '/');
      expect([seen.status, seen.parts]).toEqual([200, null]);
      expect(seen.body.toString()).toContain('<img');
    },
  );

  it('gets all from a proxy that is trusted', async () => {
    const asked = { Via: '1.1 front' };
    const port = await start({ trustProxy: 'loopback' }, '/1.gif');
    expect(places(await ask(port, '/', asked))).toEqual(['/', '/1.gif']);
    const other = await start({ trustProxy: ['192.0.2.1'] }, '/1.gif');
    expect((await ask(other, '/', asked)).parts).toBeNull();
  });

  it('is answered by an origin that has the files alone, too', async () => {
    await using site = await makeSite({ 'index.html': page('/1.gif'), '1.gif': 'gif' });
    await using origin = createOrigin(site.folder, { handlers: [getAll()] });
    const { port } = await origin.listen();
    expect((await ask(port, '/', { Via: '1.1 front' })).parts).toBeNull();
    expect(places(await ask(port, '/'))).toEqual(['/', '/1.gif']);
  });
});

describe('allow', () => {
  it('says which paths may be parts, as the site reads them', async () => {
    const asked: string[] = [];
    const allow = (path: string) => {
      asked.push(path);
      return path.startsWith('/img/');
    };
    const targets = ['/img/%61.gif?x=1', '/internal/status', '/img/../internal/x', '/img/%'];
    const port = await start({ allow }, ...targets, '/img/b');
    expect(places(await ask(port, '/'))).toEqual(['/', '/img/%61.gif?x=1', '/img/b']);
    // What cannot be decoded is refused unasked.
    expect(asked).toEqual(['/img/a.gif', '/internal/status', '/internal/x', '/img/b']);
    await ask(port, '/');
    expect(asked).toHaveLength(8);
  });
});
