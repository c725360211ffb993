// examples/servers/: Apache httpd, HAProxy and Caddy in front of a site tell prefetchd by their logs, and send hints from
// a file. Each is skipped by name where it is absent.

import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
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
}

interface Front {
  url: string;
  /** Reads the hints anew, where the server does not by itself. */
  reload(): void;
}

/** The example with the addresses and paths of a test. */
async function ownExample(name: string, { log, hints, app }: Place, port: number) {
  return (await example(name))
    .replace(/\/var\/log\/\S*prefetchd\.log/g, log)
    .replace(/\/var\/lib\/prefetchd\/hints\.\w+/g, hints)
    .replace('127.0.0.1:3000', `127.0.0.1:${app}`)
    .replace(
      /(bind )?:8080/,
      (_, bind = '') => `${bind === '' ? 'http://' : `${bind}127.0.0.1`}:${port}`,
    );
}

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
      const apache = await startApache(place.folder, {
        directives: (await ownExample('apache.conf', place, 0)) + proxied,
        modules: ['rewrite', 'headers', 'proxy', 'proxy_http'],
      });
      onTestFinished(() => apache[Symbol.asyncDispose]());
      return { url: apache.url, reload() {} };
    },
  },
  haproxy: {
    ending: 'txt',
    async start(place) {
      const [port, file] = [await freePort(), join(place.folder, 'haproxy.cfg')];
      await writeFile(file, await ownExample('haproxy.cfg', place, port));
      const child = run('haproxy', ['-W', '-f', file]);
      child.stdout?.pipe(createWriteStream(place.log, { flags: 'a' }));
      return { url: `http://127.0.0.1:${port}`, reload: () => void child.kill('SIGUSR2') };
    },
  },
  caddy: {
    ending: 'caddy',
    async start(place) {
      const [port, file] = [await freePort(), join(place.folder, 'Caddyfile')];
      const admin = `{\n\tadmin 127.0.0.1:${await freePort()}\n}\n`;
      await writeFile(file, admin + (await ownExample('Caddyfile', place, port)));
      const env = { ...process.env, HOME: place.folder };
      run('caddy', ['run', '--config', file], env);
      const reload = () => void run('caddy', ['reload', '--force', '--config', file], env);
      return { url: `http://127.0.0.1:${port}`, reload };
    },
  },
};

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
        res.setHeader('Content-Type', 'text/html');
        res.statusCode = url === '/gone' ? 404 : 200;
        res.end('<!doctype html><p>page');
      });
      const [log, hints] = [join(folder, 'prefetchd.log'), join(folder, `hints.${ending}`)];
      await writeFile(log, '');
      const files = ['--follow', log, '--hints-file', hints];
      const serve = ['serve', '--port', '0', '--flush-interval', '50ms', ...files];
      await using _prefetchd = await servingPrefetchd(folder, serve);
      await eventually(() => existsSync(hints), 'a file of hints');
      const front = await start({ folder, log, hints, app: await listening(site) });
      const open = (path: string, visitor: number, more = {}) =>
        visit(front.url + path, {
          from: `127.0.0.${visitor}`,
          headers: { Host: 'site.example', 'User-Agent': browser, ...more },
        });
      const isUp = async () => (await open('/up', 200)).status === 200;
      await eventually(() => isUp().catch(() => false), name);
      for (const visitor of [2, 3, 4, 5]) {
        for (const path of ['/', '/account', '/secret', '/gone', '/c?filter[a]=1', '/news']) {
          expect((await open(path, visitor)).status).toBe(path === '/gone' ? 404 : 200);
        }
      }
      for (const visitor of [20, 21, 22, 23]) {
        for (const path of ['/', '/robots']) await open(path, visitor, { 'User-Agent': robot });
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
      expect(await readFile(hints, 'utf8')).not.toMatch(/account|secret|robots/);
    },
  );
}
