// examples/servers/: Apache httpd, HAProxy and Caddy in front of a site tell prefetchd by their logs, and send hints from
// a file: to visitors of their site, not of another host; with the addresses that a known proxy names, and no others.
// Chromium's click is prefetched. Each is skipped by name where it is absent.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { clickIsPrefetched, sharedBrowser } from '../browser/set-up.ts';
import { listening } from '../server/listening.ts';
import { startApache } from '../support/apache.ts';
import { freePort, isInstalled, runToEnd } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { folderOfTest } from '../support/folder-of-tests.ts';
import { servingPrefetchd } from '../support/prefetchd-command.ts';
import { visit } from '../support/visit.ts';

const example = (name: string) =>
  readFile(new URL(`../../examples/servers/${name}`, import.meta.url), 'utf8');

interface Place {
  folder: string;
  log: string;
  hints: string;
  app: number;
  port: number;
}

interface Front {
  /** Reads the hints anew, where the server does not by itself. */
  reload(): void;
}

/** The proxy in front of the fronts that is believed, where they can believe one. */
const knownProxy = '127.0.0.66';

/** The example with the addresses and paths of a test, and the lines for a proxy in front of it. */
async function ownExample(name: string, { log, hints, app, port }: Place) {
  return (await example(name))
    .replace(/\/var\/log\/\S*prefetchd\.log/g, log)
    .replace(/\/var\/lib\/prefetchd\/hints\.\w+/g, hints)
    .replace('127.0.0.1:3000', `127.0.0.1:${app}`)
    .replace(/example\.org/g, 'site.localhost')
    .replace(/(bind )?:8080/g, (_, bind = '') => `${bind && `${bind}127.0.0.1`}:${port}`)
    .replace(/^( *)#(?=\w)/gm, '$1')
    .replace('10.0.0.0/8', knownProxy);
}

/** Debian's Caddy is 2.6, which logs no address that a proxy names. */
const isOldCaddy =
  isInstalled('caddy') &&
  /^v?2\.[0-7]\./.test(execFileSync('caddy', ['version'], { encoding: 'utf8' }));

/** Ends a server with the test. */
function run(command: string, args: string[], env = process.env): ChildProcess {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = runToEnd(child);
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
  return child;
}

const fronts: Record<string, { ending: string; start: (place: Place) => Promise<Front> }> = {
  apache2: {
    ending: 'txt',
    async start(place) {
      const proxied = `ProxyPass / http://127.0.0.1:${place.app}/\n`;
      const host = (name: string, lines: string) =>
        `<VirtualHost *>\nServerName ${name}.localhost\n${lines}${proxied}</VirtualHost>\n`;
      const apache = await startApache(place.folder, {
        port: place.port,
        directives: host('site', await ownExample('apache.conf', place)) + host('other', ''),
        modules: ['rewrite', 'headers', 'remoteip', 'proxy', 'proxy_http'],
      });
      onTestFinished(() => apache[Symbol.asyncDispose]());
      return { reload() {} };
    },
  },
  haproxy: {
    ending: 'txt',
    async start(place) {
      const file = join(place.folder, 'haproxy.cfg');
      await writeFile(file, await ownExample('haproxy.cfg', place));
      const child = run('haproxy', ['-W', '-f', file]);
      child.stdout?.pipe(createWriteStream(place.log, { flags: 'a' }));
      return { reload: () => void child.kill('SIGUSR2') };
    },
  },
  caddy: {
    ending: 'caddy',
    async start(place) {
      const file = join(place.folder, 'Caddyfile');
      const believed = `servers {\n\t\ttrusted_proxies static ${knownProxy}\n\t\ttrusted_proxies_strict\n\t}\n`;
      const admin = `{\n\tadmin 127.0.0.1:${await freePort()}\n\t${isOldCaddy ? '' : believed}}\n`;
      const other = `http://other.localhost:${place.port} {\n\treverse_proxy 127.0.0.1:${place.app}\n}\n`;
      await writeFile(file, admin + (await ownExample('Caddyfile', place)) + other);
      const env = { ...process.env, HOME: place.folder };
      run('caddy', ['run', '--config', file], env);
      return { reload: () => void run('caddy', ['reload', '--force', '--config', file], env) };
    },
  },
};

const chromium = sharedBrowser();
const browser =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const robot =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/140.0.0.0 Safari/537.36';

for (const [name, { ending, start }] of Object.entries(fronts)) {
  const why = isInstalled(name) ? '' : `${name} is not installed`;
  it.skipIf(why)(
    `${name}: four visitors teach, and the fifth gets the hint ${why}`.trim(),
    async () => {
      const folder = folderOfTest();
      await chmod(folder, 0o755);
      const site = createServer(({ url = '' }, res) => {
        if (url.startsWith('/account')) res.setHeader('Set-Cookie', 'a=b');
        if (url.startsWith('/secret')) res.setHeader('Cache-Control', 'Private, No-Store');
        else res.setHeader('Cache-Control', 'max-age=60');
        res.setHeader('Content-Type', 'text/html');
        res.statusCode = url === '/gone' ? 404 : 200;
        res.end('<!doctype html><a href="/news">News</a>');
      });
      const [log, hints] = [join(folder, 'prefetchd.log'), join(folder, `hints.${ending}`)];
      await writeFile(log, '');
      const port = await freePort();
      const [host, url] = [`site.localhost:${port}`, `http://127.0.0.1:${port}`];
      const files = ['--follow', log, '--hints-file', hints, '--origin', `http://${host}`];
      const serve = ['serve', '--port', '0', '--flush-interval', '50ms', ...files];
      await using _prefetchd = await servingPrefetchd(folder, serve);
      await eventually(() => existsSync(hints), 'a file of hints');
      const front = await start({ folder, log, hints, app: await listening(site), port });
      const open = (path: string, visitor: number, more = {}) =>
        visit(url + path, {
          from: `127.0.0.${visitor}`,
          headers: { Host: host, 'User-Agent': browser, ...more },
        });
      const isUp = async () => (await open('/up', 200)).status === 200;
      await eventually(() => isUp().catch(() => false), name);
      for (const visitor of [2, 3, 4, 5]) {
        for (const path of ['/', '/account', '/secret', '/gone', '/c?filter[a]=1', '/news']) {
          expect((await open(path, visitor)).status).toBe(path === '/gone' ? 404 : 200);
        }
      }
      const elsewhere = { Host: `other.localhost:${port}` };
      for (const visitor of [20, 21, 22, 23]) {
        for (const path of ['/', '/robots']) await open(path, visitor, { 'User-Agent': robot });
        for (const path of ['/', '/elsewhere']) await open(path, visitor, elsewhere);
        for (const [proxy, to] of Object.entries({ 66: '/believed', 67: '/forged' })) {
          const by = { 'X-Forwarded-For': `192.0.2.1, 198.51.100.${visitor}` };
          for (const path of [`${to}-before`, to]) await open(path, Number(proxy), by);
        }
      }
      await eventually(
        async () => /^"?\/"? "?<\/news/m.test(await readFile(hints, 'utf8')),
        'hints',
      );
      front.reload();
      const linkOf = async (path: string) => (await open(path, 9)).headers.link;
      await eventually(async () => (await linkOf('/'))?.includes('</news>') === true, 'a hint');
      expect(await linkOf('/')).toMatch(/^<\/news>; ?rel=prefetch; ?probability=[\d.]+$/);
      expect((await open('/', 9, { Authorization: 'Basic YTpi' })).headers.link).toBe(undefined);
      for (const path of ['/account', '/secret', '/gone', '/?other']) {
        expect([path, await linkOf(path)]).toEqual([path, undefined]);
      }
      expect((await open('/', 9, elsewhere)).headers.link).toBe(undefined);
      if (name !== 'caddy' || !isOldCaddy) {
        const told = async () => (await readFile(hints, 'utf8')).includes('</believed>');
        await eventually(told, 'what visitors behind a proxy taught');
      }
      expect(await readFile(hints, 'utf8')).not.toMatch(/account|secret|robots|elsewhere|forged/);
      await clickIsPrefetched(chromium(), `http://${host}`, 'cache');
    },
  );
}
