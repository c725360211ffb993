// Sites in frameworks that we did not write, with the lines of examples/frameworks/: four visitors teach, the fifth gets
// the hint, and Chromium shows what it prefetched. Those of test/frameworks/ have packages of their own
// (`npm ci --prefix test/frameworks`); without them they are skipped by name, except where NEEDS_FRAMEWORKS is set, as in
// .ci/run.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openBrowser, reader, sharedBrowser } from '../browser/set-up.ts';
import { type Seen, type Visit, visitPort } from '../server/hints/set-up.ts';
import { frameworks } from '../server/web/sites.ts';
import { hasChromium } from '../support/chromium.ts';
import { freePort, runToEnd } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { servingPrefetchd } from '../support/prefetchd-command.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'test/frameworks');
const out = join(folder, 'out');
const isInstalled = existsSync(join(folder, 'node_modules/next'));
const why = isInstalled ? '' : ' test/frameworks is not installed';
const isSkipped = !isInstalled && process.env.NEEDS_FRAMEWORKS === undefined;

/** A site of test/frameworks/sites/ with an example as one of its files, and how it is built and started. */
type Site = readonly [title: string, name: string, example: string, build: string[], entry: string];
const sites: readonly Site[] = [
  ['SvelteKit', 'sveltekit', 'src/hooks.server.js', ['vite', 'build'], 'build/handler.js'],
  ['Astro', 'astro', 'src/middleware.js', ['astro', 'build'], 'dist/server/entry.mjs'],
  ['Nitro', 'nitro', 'plugins/hints.js', ['nitro', 'build'], '.output/server/index.mjs'],
  ['Nest on Express', 'nest', 'main.js', [], ''],
  ['Nest on Fastify', 'nest-fastify', 'main.js', [], ''],
];

const withLoadahead = { ASTRO_TELEMETRY_DISABLED: '1', NEXT_TELEMETRY_DISABLED: '1' };
function run(cwd: string, command: string, args: readonly string[], env: object = {}) {
  return spawn(command, args, {
    cwd,
    env: { ...process.env, ...withLoadahead, PORT: '0', ...env },
  });
}

async function build(name: string, hook: string, [program = '', ...args]: readonly string[]) {
  const own = join(out, name);
  cpSync(join(folder, 'sites', name.replace('-fastify', '')), own, { recursive: true });
  mkdirSync(dirname(join(own, hook)), { recursive: true });
  const example = join(root, 'examples/frameworks', name);
  if (name === 'next') {
    cpSync(join(example, 'hints.jsx'), join(own, 'hints.jsx'));
    cpSync(join(example, 'route.js'), join(own, hook));
  } else cpSync(`${example}.mjs`, join(own, hook));
  if (program === '') return;
  const built = await runToEnd(run(own, join(folder, 'node_modules/.bin', program), args));
  expect(built, name).toMatchObject({ code: 0 });
}

/** As npm installs it: frameworks bundle what is only linked. */
function installLoadahead(): void {
  const own = join(folder, 'node_modules/loadahead');
  rmSync(own, { recursive: true, force: true });
  cpSync(join(root, 'dist'), join(own, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(own, 'package.json'));
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    const link = join(own, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
}

/** Starts a program that prints its port, until the test ends. */
async function portOf(cwd: string, args: readonly string[], env: object = {}): Promise<number> {
  const child = run(cwd, process.execPath, args, env);
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

interface Started {
  url: string;
  visit(path: string, how?: Visit): Promise<Seen>;
  teach(...paths: string[]): Promise<void>;
}

const started = (port: number): Started => {
  const visit = (path: string, how?: Visit) => visitPort(port, path, how);
  const teach = async (...paths: string[]) => {
    for (const visitor of [1, 2, 3, 4]) for (const path of paths) await visit(path, { visitor });
  };
  return { url: `http://127.0.0.1:${port}`, visit, teach };
};

const start = async ([, name, main, , entry]: Site) =>
  started(
    await portOf(
      join(out, name),
      entry === '' ? [main] : [join(folder, 'serve.mjs'), `./${entry}`],
    ),
  );

/** The rules that Chromium gets with a page. */
async function rulesOf({ visit }: Started, path: string): Promise<string> {
  const headers = { 'sec-ch-ua': '"Chromium";v="140"', 'sec-fetch-site': 'none' };
  const field = (await visit(path, { visitor: 5, headers })).headers['speculation-rules'];
  const rules = /^"(.+)"$/.exec(String(field))?.[1];
  return rules === undefined ? 'none' : (await visit(rules, { visitor: 5 })).body;
}

const browser = sharedBrowser(openBrowser);

async function clickIsPrefetched({ url }: { url: string }): Promise<void> {
  await using someone = await reader(browser());
  const { page, context } = someone;
  const session = await context.newCDPSession(page);
  let isAhead = false;
  session.on('Preload.prefetchStatusUpdated', ({ status }) => {
    isAhead ||= status === 'Ready';
  });
  await session.send('Preload.enable');
  await page.goto(`${url}/`);
  await page.getByRole('link').hover();
  await eventually(() => isAhead, 'a prefetch');
  await page.getByRole('link').click();
  await page.waitForURL(`${url}/news`);
  const delivery = 'performance.getEntriesByType("navigation")[0].deliveryType';
  expect(await page.evaluate(delivery)).toBe('navigational-prefetch');
}

it.skipIf(!hasChromium).each(frameworks)(
  '%s: three visitors teach, and a fourth clicks',
  async (_, open) => {
    const site = await open();
    await site.teach('/', '/news');
    await clickIsPrefetched(site);
  },
);

describe.skipIf(isSkipped)(`frameworks that are built${why}`, () => {
  beforeAll(async () => {
    expect(why).toBe('');
    rmSync(out, { recursive: true, force: true });
    installLoadahead();
    const next = build('next', 'app/next-pages/route.js', ['next', 'build']);
    await Promise.all([next, ...sites.map(([, name, hook, how]) => build(name, hook, how))]);
  }, 300_000);

  describe.each(sites)('%s', (...site) => {
    it('four visitors teach, and the fifth gets the hint', async () => {
      const running = await start(site);
      await running.teach('/', '/news');
      await expect.poll(() => rulesOf(running, '/'), { timeout: 20_000 }).toContain('"/news"');
      if (hasChromium) await clickIsPrefetched(running);
    });

    it('is as before where it streams, breaks off, redirects, has its own Link or a 304', async () => {
      const running = await start(site);
      const { visit, teach } = running;
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
      for (const visitor of [1, 2, 3, 4]) {
        await expect(visit('/breaks', { visitor })).rejects.toThrow();
      }
      await expect
        .poll(async () => (await visit('/linked', { visitor: 5 })).link, { timeout: 20_000 })
        .toMatch(/^<\/site\.css>; rel=preload; as=style, <\/news>; rel=prefetch/);
      expect(await rulesOf(running, '/news')).not.toMatch(/breaks|cookies|session|moved/);
      for (const path of ['/cookies', '/session'])
        expect(await rulesOf(running, path)).toBe('none');
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
    const running = started(Number(new URL(proxy.url).port));
    await running.teach('/', '/news');
    const named = async () => (await running.visit('/next-pages?url=/')).body;
    await expect.poll(named, { timeout: 20_000 }).toContain('"/news"');
    expect(await rulesOf(running, '/')).toBe('none');

    await using someone = await reader(browser());
    const { page } = someone;
    const asked: string[] = [];
    page.on('requestfinished', (request) => asked.push(request.url()));
    await page.goto(`${running.url}/`);
    await eventually(() => asked.some((url) => url.includes('/news')), 'the router prefetches');
    await page.waitForLoadState('networkidle');
    asked.length = 0;
    const told = page.waitForRequest('**/prefetch-beacon');
    await page.getByRole('link').click();
    await page.getByRole('heading', { name: 'News' }).waitFor();
    expect((await (await told).response())?.status()).toBe(204);
    expect(asked.filter((url) => url.includes('/news?'))).toEqual([]);
    const opened = 'performance.getEntriesByType("navigation")[0].name';
    expect(await page.evaluate(opened)).toBe(`${running.url}/`);
  });

  it('the guide has every example, word by word', () => {
    const guide = readFileSync(join(root, 'docs/guides/frameworks.md'), 'utf8');
    const examples = join(root, 'examples/frameworks');
    for (const file of readdirSync(examples, { recursive: true, encoding: 'utf8' })) {
      if (!/\.mjs$/.test(file)) continue;
      const lines = readFileSync(join(examples, file), 'utf8').split('\n').slice(1).join('\n');
      expect(guide, file).toContain(lines.trim());
    }
  });
});
