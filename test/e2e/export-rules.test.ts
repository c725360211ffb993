// `prefetchd export`: what was learned as files in the folder of a site, which nginx serves.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Engine } from '../../prefetchd/engine/engine.ts';
import { createGraphStore } from '../../prefetchd/index.ts';
import { runToEnd } from '../support/command.ts';
import { folderOfTest } from '../support/folder-of-tests.ts';
import { startConfigured, whyNoNginx } from '../support/nginx.ts';
import { startPrefetchd } from '../support/prefetchd-command.ts';
import { visit } from '../support/visit.ts';

const nginx = `events {}
http {
    types { text/html html; application/speculationrules+json json; }
    map_hash_bucket_size 512;
    map $request_uri $rules { include FOLDER/public/prefetch/rules.map; }
    server {
        listen 8080;
        root FOLDER/public;
        add_header Speculation-Rules $rules;
    }
}
`;

it('refuses a store that is not there, and memory', async () => {
  const folder = folderOfTest();
  for (const [store, says] of [
    ['sqlite:none.db', 'none.db'],
    ['memory', 'memory is gone'],
  ]) {
    const flags = ['export', '--store', store as string, '--rules', 'rules'];
    const { code, stderr } = await runToEnd(startPrefetchd(folder, flags));
    expect([code !== 0, stderr]).toEqual([true, expect.stringContaining(says as string)]);
  }
});

it.skipIf(whyNoNginx)(`a folder that nginx serves names them ${whyNoNginx}`.trim(), async () => {
  const folder = folderOfTest();
  const store = await createGraphStore(`sqlite:${join(folder, 'site.db')}`);
  const prefetchd = new Engine({ store });
  await prefetchd.ready;
  for (const visitor of [1, 2, 3, 4]) {
    for (const url of ['/index.html', '/news.html', '/a*.html', '/end.html']) {
      const rest = { kind: 'document' as const, status: 200, bytes: 0, prefetch: false };
      prefetchd.observe({ client: `192.0.2.${visitor} B`, url, timeMs: Date.now(), ...rest });
    }
  }
  await prefetchd.close();
  const site = join(folder, 'public');
  await mkdir(site);
  for (const page of ['index', 'news']) await writeFile(join(site, `${page}.html`), page);
  const flags = ['export', '--store', 'sqlite:site.db', '--rules', 'public/prefetch'];
  const { code, stdout } = await runToEnd(startPrefetchd(folder, flags));
  expect([code, stdout]).toEqual([0, 'rules for 3 pages in public/prefetch\n']);

  await writeFile(join(folder, 'site.conf'), nginx.replaceAll('FOLDER', folder));
  await using served = await startConfigured(folder, 'site.conf', {});
  const { headers } = await visit(`${served.url}/index.html`);
  const path = JSON.parse(String(headers['speculation-rules']));
  const rules = await visit(served.url + path);
  expect(rules.headers['content-type']).toBe('application/speculationrules+json');
  expect(JSON.parse(rules.body).prefetch[0].urls).toContain('/news.html');
  expect((await visit(`${served.url}/end.html`)).headers['speculation-rules']).toBeUndefined();

  const fields = await readFile(join(site, 'prefetch/_headers'), 'utf8');
  expect(fields).toContain(`/index.html\n  Speculation-Rules: "${path}"\n`);
  expect(fields).not.toContain('/a*');
  const [rule] = JSON.parse(await readFile(join(site, 'prefetch/all.json'), 'utf8')).prefetch;
  const [{ href_matches: patterns }, { not }] = rule.where.and;
  const matches = (url: string) =>
    patterns.some((pattern: string) => new URLPattern(pattern, 'http://a.example').test(url));
  for (const path of ['/news.html', '/a*.html'])
    expect(matches(`http://a.example${path}`)).toBe(true);
  for (const path of ['/news.html?logout=1', '/ax.html', '/other']) {
    expect([path, matches(`http://a.example${path}`)]).toEqual([path, false]);
  }
  expect(not.selector_matches).toContain('nofollow');

  const closed = [...flags, '--deny', 'news'];
  expect((await runToEnd(startPrefetchd(folder, closed))).code).toBe(0);
  const all = await readFile(join(site, 'prefetch/all.json'), 'utf8');
  expect(all).not.toContain('news');
  await writeFile(join(site, '_headers'), '/*\n  X-Own: 1\n');
  const own = await runToEnd(
    startPrefetchd(folder, ['export', '--store', 'sqlite:site.db', '--rules', 'public']),
  );
  expect([own.code, own.stderr]).toEqual([
    2,
    expect.stringContaining('is not of prefetchd export'),
  ]);
});
