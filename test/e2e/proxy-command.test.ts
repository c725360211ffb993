// `prefetchd proxy` as a real command in front of sites that know nothing of it: what visitors did is learned and
// hinted, what the site said arrives as it was.

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ask } from '../prefetchd/service/ask.ts';
import { freePort, isInstalled, startServer } from '../support/command.ts';
import { folderOfTest } from '../support/folder-of-tests.ts';
import { servingPrefetchd } from '../support/prefetchd-command.ts';
import { visit } from '../support/visit.ts';
import { enough, expectLink, startApp, walk } from './nginx-set-up.ts';
import { proxying } from './proxying.ts';

let folder: string;
beforeEach(() => {
  folder = folderOfTest();
});

const easily = ['--threshold', '0.1'];
const proxied = (upstream: string, args: readonly string[] = [], env = {}) =>
  proxying(folder, upstream, [...easily, ...args], env);

it.each([
  ['', []],
  [', and is that of its predictor', ['--predictor', 'dependency-graph']],
])(
  'what was learned is there after a restart, in prefetchd.db of the folder%s',
  async (_, args) => {
    await using app = await startApp();
    const unsaid = { PREFETCHD_STORE: undefined };
    {
      await using proxy = await proxied(`http://${app.address}`, args, unsaid);
      await walk(proxy.url, enough, ['/a', '/b'], proxy.learned);
    }
    expect(await readdir(folder)).toContain('prefetchd.db');
    await using proxy = await proxied(`http://${app.address}`, [], unsaid);
    await expectLink(`${proxy.url}/a`, /^<\/b>; rel=prefetch/);
  },
);

it('tells by which rules pages were prefetched, and why others carried no hints', async () => {
  await using site = await startApp();
  await using proxy = await proxied(`http://${site.address}`);
  const headers = { 'Sec-Purpose': 'prefetch', 'Sec-Speculation-Tags': '"prefetchd-moderate"' };
  expect((await visit(`${proxy.url}/a`, { headers })).status).toBe(200);
  const { text } = await ask(proxy.admin, '/metrics');
  expect(text).toMatch(/^prefetchd_proxy_prefetched_pages_total{rule="moderate"} 1$/m);
  expect(text).toMatch(/^prefetchd_proxy_prefetched_pages_total{rule="links"} 0$/m);
  expect(text).toMatch(/^prefetchd_proxy_unhinted_pages_total{reason="nothing known"} 1$/m);
  expect(text).toMatch(/^prefetchd_proxy_hinted_pages_total 0$/m);
});

it('a site that is down: 502, told once, counted at each request, and nothing is learned', async () => {
  const dead = await freePort();
  await using proxy = await proxied(`http://127.0.0.1:${dead}`);
  for (let asked = 0; asked < 3; asked++) {
    expect((await visit(`${proxy.url}/`)).status).toBe(502);
  }
  const { text } = await ask(proxy.admin, '/metrics');
  expect(text).toMatch(/^prefetchd_proxy_requests_total{status="5xx"} 3$/m);
  expect(text).toMatch(/^prefetchd_proxy_upstream_failures_total 3$/m);
  expect(text).not.toMatch(/nan/i); // what is not known yet is left out
  expect(await proxy.learned()).toBe(0);
  await proxy.logged(/the site fails requests/);
  expect(proxy.log.filter((line) => /the site fails/.test(line))).toHaveLength(1);
});

describe.skipIf(!isInstalled('python3'))('examples/proxy/README.md', () => {
  it('its two commands do what it says', async () => {
    const file = new URL('../../examples/proxy/README.md', import.meta.url);
    const readme = await readFile(file, 'utf8');
    const [site = '', proxy = ''] = /```\n(.*?)```/s.exec(readme)?.[1]?.split('\n') ?? [];
    const port = await freePort();
    for (const page of ['a.html', 'b.html']) await writeFile(join(folder, page), `page ${page}`);
    const [command = '', ...args] = site.replace('3000', `${port}`).split(' ');
    await using _site = await startServer(command, [...args, '--directory', folder], port);
    const [, ...flags] = proxy.replace('3000', `${port}`).replace('8080', '0').split(' ');
    await using serving = await servingPrefetchd(folder, flags, { PREFETCHD_THRESHOLD: '0.1' });
    for (let visitor = 2; visitor < 2 + enough; visitor++) {
      for (const page of ['a.html', 'b.html']) {
        await visit(`${serving.url}/${page}`, { from: `127.0.0.${visitor}` });
      }
    }
    await expectLink(`${serving.url}/a.html`, /^<\/b\.html>; rel=prefetch/);
  });
});
