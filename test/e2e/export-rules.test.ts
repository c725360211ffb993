// `prefetchd export`: what visitors taught through nginx's log as files in the folder of a site, which nginx serves by
// examples/static/nginx.conf.

import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clickIsPrefetched, sharedBrowser } from '../browser/set-up.ts';
import { hasChromium } from '../support/chromium.ts';
import { runToEnd } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { folderOfTest } from '../support/folder-of-tests.ts';
import { startConfigured, whyNoNginx } from '../support/nginx.ts';
import { startPrefetchd } from '../support/prefetchd-command.ts';
import { visit } from '../support/visit.ts';

const browser = sharedBrowser();

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
  await chmod(folder, 0o755);
  const site = join(folder, 'public');
  await mkdir(join(site, 'prefetch'), { recursive: true });
  const [map, log] = [join(site, 'prefetch/rules.map'), join(folder, 'access.log')];
  await writeFile(map, '');
  // nginx has no room for the keys of such paths unless it is told to make room.
  const [long, tooLong] = [`/${'l/'.repeat(197)}.html`, `/${'t/'.repeat(198)}.html`];
  for (const page of ['index', 'news', 'a*', 'end'])
    await writeFile(join(site, `${page}.html`), `<!doctype html><a href="/news.html">${page}</a>`);
  const example = new URL('../../examples/static/nginx.conf', import.meta.url);
  await writeFile(join(folder, 'site.conf'), await readFile(example));
  await using served = await startConfigured(folder, 'site.conf', {
    '/var/www/html': site,
    '/var/log/nginx/access.log': log,
    [`root ${site};`]: `root ${site}; location ~ ^/[lt]/ { return 200 long; }`,
  });
  const pages = ['/', '/news.html', '/a*.html', long, tooLong, '/end.html'];
  for (const visitor of [1, 2, 3, 4]) {
    for (const path of pages)
      expect((await visit(served.url + path, { from: `127.0.0.${visitor}` })).status).toBe(200);
  }
  const store = ['--store', 'sqlite:site.db'];
  const trained = await runToEnd(startPrefetchd(folder, ['train', log, ...store]));
  expect(trained.code).toBe(0);
  const flags = ['export', ...store, '--rules', 'public/prefetch'];
  const { code, stdout } = await runToEnd(startPrefetchd(folder, flags));
  expect([code, stdout]).toEqual([0, 'rules for 5 pages in public/prefetch\n']);
  expect(await readFile(map, 'utf8')).not.toContain(tooLong);
  served.reload();
  const rulesOf = async (page: string) =>
    (await visit(served.url + page)).headers['speculation-rules'];
  await eventually(async () => (await rulesOf(long)) !== undefined, 'the map is read again');
  const path = JSON.parse(String(await rulesOf('/')));
  const rules = await visit(served.url + path);
  expect(rules.headers['content-type']).toBe('application/speculationrules+json');
  expect(JSON.parse(rules.body).prefetch[0].urls).toContain('/news.html');
  expect(await rulesOf('/end.html')).toBeUndefined();
  for (const file of ['rules.map', '_headers'])
    expect((await visit(`${served.url}/prefetch/${file}`)).status).toBe(404);
  if (hasChromium)
    await clickIsPrefetched(browser(), served.url, 'navigational-prefetch', '/news.html');

  const fields = await readFile(join(site, 'prefetch/_headers'), 'utf8');
  expect(fields).toContain(`/\n  Speculation-Rules: "${path}"\n`);
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
