// Sites in frameworks that we did not write, with the lines of examples/frameworks/: visitors teach, others get the
// hint, and Chromium shows what it prefetched. Those of test/frameworks/ have packages of their own
// (`npm ci --prefix test/frameworks`); without them they are skipped by name, except where NEEDS_PACKAGES is set, as in
// .ci/run.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { clickIsPrefetched, reader, sharedBrowser } from '../browser/set-up.ts';
import { frameworks, type Running, running } from '../server/web/sites.ts';
import { hasChromium } from '../support/chromium.ts';
import { freePort, runToEnd } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { servingPrefetchd } from '../support/prefetchd-command.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'test/frameworks');
const out = join(folder, 'out');
const serve = join(folder, 'serve.mjs');
const isInstalled = existsSync(join(folder, 'node_modules/next'));
const why = isInstalled ? '' : ' test/frameworks is not installed';
const isSkipped = !isInstalled && process.env.NEEDS_PACKAGES === undefined;

/** What build.mjs made of each site of test/frameworks/sites/. */
const sites: [title: string, name: string, args: string[]][] = [
  ['SvelteKit', 'sveltekit', [serve, './build/handler.js']],
  ['Astro', 'astro', [serve, './dist/server/entry.mjs']],
  ['Nitro', 'nitro', [serve, './.output/server/index.mjs']],
  ['Nest on Express', 'nest', ['main.js']],
  ['Nest on Fastify', 'nest-fastify', ['main.js']],
];

function run(cwd: string, args: readonly string[], env: object = {}) {
  return spawn(process.execPath, args, { cwd, env: { ...process.env, PORT: '0', ...env } });
}

/** Starts a program that prints its port, until the test ends. */
async function portOf(cwd: string, args: readonly string[], env: object = {}): Promise<number> {
  const child = run(cwd, args, env);
  const ended = runToEnd(child);
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
  for (let said = ''; ; ) {
    const failed = ended.then(({ stderr }) => Promise.reject(new Error(said + stderr)));
    said += (await Promise.race([once(child.stdout, 'data'), failed]))[0];
    const port = /(?:port |127\.0\.0\.1:)(\d+)/.exec(said)?.[1];
    if (port !== undefined) return Number(port);
  }
}

/** The rules that Chromium gets with a page. */
async function rulesOf({ visit }: Running, path: string): Promise<string> {
  const headers = { 'sec-ch-ua': '"Chromium";v="140"', 'sec-fetch-site': 'none' };
  const field = (await visit(path, { visitor: 5, headers })).headers['speculation-rules'];
  const rules = /^"(.+)"$/.exec(String(field))?.[1];
  return rules === undefined ? 'none' : (await visit(rules, { visitor: 5 })).body;
}

const browser = sharedBrowser();

/** Streams, breaks off, redirects, has Link and cookies of its own, and a 304: all is as without hints. */
async function bearsFaults(site: Running): Promise<void> {
  const { visit, teach } = site;
  expect(await visit('/streamed')).toMatchObject({
    status: 200,
    body: '<!doctype html><p>end',
  });
  expect(await visit('/moved')).toMatchObject({ status: 302, headers: { location: '/news' } });
  expect((await visit('/cookies')).headers['set-cookie']).toEqual(['a=1', 'b=2']);
  expect(await visit('/', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
  const { etag } = (await visit('/')).headers;
  const held = await visit('/', { headers: { 'if-none-match': etag } });
  expect(held.status).toBe(etag === undefined ? 200 : 304);
  await teach('/linked', '/news', '/session', '/cookies', '/news');
  const broken = [101, 102, 103].map((visitor) => visit('/breaks', { visitor }));
  for (const { status } of await Promise.allSettled(broken)) expect(status).toBe('rejected');
  await expect
    .poll(async () => (await visit('/linked', { visitor: 5 })).link, { timeout: 20_000 })
    .toMatch(/^<\/site\.css>; rel=preload; as=style, <\/news>; rel=prefetch/);
  expect(await rulesOf(site, '/news')).not.toMatch(/breaks|cookies|session|moved/);
  for (const path of ['/cookies', '/session']) expect(await rulesOf(site, path)).toBe('none');
}

it.each(frameworks)('%s bears what a site does', async (_, open) => bearsFaults(await open()));

it.skipIf(!hasChromium).each(frameworks)(
  '%s: three visitors teach, and a fourth clicks',
  async (_, open) => {
    const site = await open();
    await site.teach('/', '/news');
    await clickIsPrefetched(browser(), site.url);
  },
);

describe.skipIf(isSkipped)(`frameworks that are built${why}`, () => {
  beforeAll(async () => {
    expect(why).toBe('');
    expect(await runToEnd(run(folder, ['build.mjs']))).toMatchObject({ code: 0 });
  }, 300_000);

  describe.each(sites)('%s', (_, name, args) => {
    it('three visitors teach, and others get the hint', async () => {
      const site = running(await portOf(join(out, name), args));
      await site.teach('/', '/news');
      await expect.poll(() => rulesOf(site, '/'), { timeout: 20_000 }).toContain('"/news"');
      await clickIsPrefetched(browser(), site.url);
    });

    it('bears what a site does', async () => {
      await bearsFaults(running(await portOf(join(out, name), args)));
    });
  });

  it.skipIf(!hasChromium)('Next.js: its router prefetches what GET /v1/hints names', async () => {
    const port = await freePort();
    const flags = ['--port', '0', '--admin-port', '0', '--threshold', '2'];
    const upstream = `http://127.0.0.1:${port}`;
    await using proxy = await servingPrefetchd(out, ['proxy', '--upstream', upstream, ...flags]);
    const admin = /"admin":"([^"]+?)\/?"/.exec(await proxy.logged(/"admin"/))?.[1];
    const next = [join(folder, 'node_modules/next/dist/bin/next'), 'start', '-p', String(port)];
    await portOf(join(out, 'next'), [...next, '-H', '127.0.0.1'], { PREFETCHD: admin });
    const site = running(Number(new URL(proxy.url).port));
    await site.teach('/', '/news');
    const named = async () => (await site.visit('/next-pages?url=/')).body;
    await expect.poll(named, { timeout: 20_000 }).toContain('"/news"');
    expect(await rulesOf(site, '/')).toBe('none');

    await using someone = await reader(browser());
    const { page } = someone;
    const asked: string[] = [];
    page.on('requestfinished', (request) => {
      if (!request.url().includes('/news?_rsc=')) return;
      asked.push(request.headers()['next-router-segment-prefetch'] ?? 'no prefetch');
    });
    await page.goto(`${site.url}/`);
    await eventually(() => asked.includes('/news/__PAGE__'), 'the router prefetches');
    const told = page.waitForRequest('**/prefetch-beacon');
    await page.getByRole('link').click();
    await page.getByRole('heading', { name: 'News' }).waitFor();
    expect((await (await told).response())?.status()).toBe(204);
    expect(asked).not.toContain('no prefetch');
    const opened = 'performance.getEntriesByType("navigation")[0].name';
    expect(await page.evaluate(opened)).toBe(`${site.url}/`);
  });
});

it('the guide shows three of the examples word by word, and their README lists all', () => {
  const guide = readFileSync(join(root, 'docs/guides/frameworks.md'), 'utf8');
  const examples = join(root, 'examples/frameworks');
  const textOf = (file: string) => readFileSync(join(examples, file), 'utf8');
  for (const file of ['hono.mjs', 'fastify.mjs', 'koa.mjs']) {
    expect(guide, file).toContain(textOf(file).split('\n').slice(1).join('\n').trim());
  }
  for (const file of readdirSync(examples).filter((name) => name.endsWith('.mjs'))) {
    expect(textOf('README.md')).toContain(`](${file})`);
  }
});
