// A loader that offers dictionaries beside a server that has none: nginx that serves files itself.

import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { hashOf, writeAvailableDictionary } from '../../http/compression-dictionary.ts';
import { createHttpCache, createLoader, createMemoryStore } from '../../loader/index.ts';
import { pageOf } from '../server/dictionaries/pages.ts';
import { makeSite } from '../server/site.ts';
import { freePort, startServer } from '../support/command.ts';
import { whyNoNginx } from '../support/nginx.ts';

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
  const folder = mkdtempSync(join(tmpdir(), 'loadahead-nginx-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ');
  writeFileSync(
    join(folder, 'nginx.conf'),
    `events {} http { access_log off; ${temporary} types { text/html html; } gzip on;
      server { listen 127.0.0.1:${port}; root ${files.folder}; expires 5m; ${directive} } }`,
  );
  const settings = `daemon off; user root; pid ${folder}/pid; error_log stderr crit;`;
  const args = ['-c', join(folder, 'nginx.conf'), '-e', 'stderr', '-g', settings];
  await using _nginx = await startServer('nginx', args, port);
  await using loader = createLoader({ cache: createHttpCache(createMemoryStore()) });
  for (const [path, page] of [
    ['/a/1.html', one],
    ['/a/2.html', two],
  ] as const) {
    let body = '';
    const { resources, totals } = await loader.load(`http://127.0.0.1:${port}${path}`, {
      onBody: (_url, bytes) => {
        body = bytes.toString();
      },
    });
    expect([body === page, totals.errors, resources[0]?.attempts]).toEqual([true, 0, 1]);
    const sent = new Map(resources[0]?.requestHeaders);
    expect(sent.get('available-dictionary')).toBe(path === '/a/2.html' ? offered : undefined);
  }
});
