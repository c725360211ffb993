// A loader that offers dictionaries beside a server that has none: nginx that serves files itself.

import { chmodSync } from 'node:fs';
import { expect, it } from 'vitest';
import { hashOf, writeAvailableDictionary } from '../../http/compression-dictionary.ts';
import { createHttpCache, createLoader, createMemoryStore } from '../../loader/index.ts';
import { pageOf } from '../server/dictionaries/pages.ts';
import { makeSite } from '../server/site.ts';
import { startNginx, whyNoNginx } from '../support/nginx.ts';

const [one, two] = [pageOf('one'), pageOf('two')];

it.skipIf(whyNoNginx !== '').each([
  ['says nothing of dictionaries: nothing is offered', '', undefined],
  [
    'names one, and answers without it: the page is the page',
    `add_header Use-As-Dictionary 'match="/a/*"';`,
    writeAvailableDictionary(hashOf(Buffer.from(one))),
  ],
])('nginx %s', async (_, directive, offered) => {
  await using files = await makeSite({ 'a/1.html': one, 'a/2.html': two });
  chmodSync(files.folder, 0o755);
  await using nginx = await startNginx(
    ({ port }) => `access_log off; types { text/html html; } gzip on;
      server { listen 127.0.0.1:${port}; root ${files.folder}; expires 5m; ${directive} }`,
  );
  await using loader = createLoader({ cache: createHttpCache(createMemoryStore()) });
  for (const [path, page] of [
    ['/a/1.html', one],
    ['/a/2.html', two],
  ] as const) {
    let body = '';
    const { resources, totals } = await loader.load(`${nginx.url}${path}`, {
      onBody: (_url, bytes) => {
        body = bytes.toString();
      },
    });
    expect([body === page, totals.errors, resources[0]?.attempts]).toEqual([true, 0, 1]);
    const sent = new Map(resources[0]?.requestHeaders);
    expect(sent.get('available-dictionary')).toBe(path === '/a/2.html' ? offered : undefined);
  }
});
