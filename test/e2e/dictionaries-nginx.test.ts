// Shared dictionaries behind a cache that many visitors share: nginx's proxy_cache gives nobody a coding that he cannot
// read, because of Vary (RFC 9842 6.2). curl and zstd are the clients.

import { execFile, execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { hashOf, writeAvailableDictionary } from '../../http/compression-dictionary.ts';
import { createHttpCache, createLoader, createMemoryStore } from '../../loader/index.ts';
import { createOrigin, dictionaries } from '../../server/index.ts';
import { fromDcz, get, having, pageOf, takesDcz } from '../server/dictionaries/pages.ts';
import { makeSite } from '../server/site.ts';
import { isInstalled } from '../support/command.ts';
import { startNginx, whyNoNginx } from '../support/nginx.ts';

const one = pageOf('one');
const two = pageOf('two');

it.skipIf(whyNoNginx !== '')('nobody behind nginx gets a coding of someone else', async () => {
  await using files = await makeSite({ 'a/1.html': one, 'a/2.html': two, 'a/3.html': pageOf('3') });
  const shelf = dictionaries();
  await using origin = createOrigin(files.folder, { handlers: [shelf], maxAgeSeconds: 300 });
  const { url } = await origin.listen();
  await using nginx = await startNginx(
    ({ port, folder }) => `access_log off; proxy_cache_path ${folder}/cache keys_zone=all:1m;
      server { listen 127.0.0.1:${port}; location / {
        proxy_pass ${url}; proxy_http_version 1.1; proxy_set_header Host $http_host;
        proxy_cache all; proxy_cache_valid 200 5m; add_header X-Cache $upstream_cache_status; } }`,
  );
  const { port } = nginx;

  await get(port, '/a/1.html', takesDcz);
  const third = pageOf('3');
  await get(port, '/a/3.html', takesDcz);
  for (const turn of ['MISS', 'HIT']) {
    const visitors = [
      await get(port, '/a/2.html', having(one)),
      await get(port, '/a/2.html', having(third)),
      await get(port, '/a/2.html', { 'accept-encoding': 'gzip' }),
      await get(port, '/a/2.html', {}),
      await get(port, '/a/2.html', takesDcz),
    ];
    expect(visitors.map(({ headers }) => headers['x-cache'])).toEqual(visitors.map(() => turn));
    const [first, other, gzip, plain, without] = visitors;
    expect(first && fromDcz(first, one)).toBe(two);
    expect(other && fromDcz(other, third)).toBe(two);
    expect(gzip?.headers['content-encoding']).toBe('gzip');
    expect(plain?.body.toString()).toBe(two);
    expect(without?.headers['content-encoding']).not.toBe('dcz');
  }
  expect(shelf.stats().coded).toBe(2);
});

it.skipIf(!isInstalled('curl') || !isInstalled('zstd'))(
  'curl and zstd read what we send, by hand',
  async () => {
    await using files = await makeSite({ 'a/1.html': one, 'a/2.html': two });
    await using origin = createOrigin(files.folder, {
      handlers: [dictionaries()],
      maxAgeSeconds: 9,
    });
    const { url } = await origin.listen();
    const accepts = ['-s', '-H', 'Accept-Encoding: zstd, dcz'];
    const dictionary = join(files.folder, 'a/1.html');
    // The origin is in this process, so it must not wait for curl.
    const curl = async (...args: string[]) =>
      (await promisify(execFile)('curl', [...accepts, ...args], { encoding: 'buffer' })).stdout;
    await curl(`${url}/a/1.html`);
    const offer = `Available-Dictionary: ${having(one)['available-dictionary']}`;
    const body = await curl('-H', offer, `${url}/a/2.html`);
    expect(body.length).toBeLessThan(200);
    const page = execFileSync('zstd', ['-q', '-d', '-D', dictionary, '-c'], { input: body });
    expect(page.toString()).toBe(two);
  },
);

/** A loader that offers dictionaries beside a server that has none: nginx that serves files itself. */
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
