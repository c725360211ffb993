// examples/nginx/nginx.conf and hints-map.conf: nginx tells prefetchd by its log alone, and is told by a file.
// Skipped by name where nginx is absent.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Engine } from '../../prefetchd/engine/engine.ts';
import { HintFiles } from '../../prefetchd/service/hint-files.ts';
import { ask } from '../prefetchd/service/ask.ts';
import { eventually } from '../support/eventually.ts';
import { folderOfTests } from '../support/folder-of-tests.ts';
import { patient, startExample, whyNoNginx } from '../support/nginx.ts';
import { servingPrefetchd } from '../support/prefetchd-command.ts';
import { visit } from '../support/visit.ts';
import { enough, hostOf, rulesFor, startApp, walk } from './nginx-set-up.ts';
import { nginxSite } from './nginx-site.ts';

const folder = folderOfTests();

describe.skipIf(whyNoNginx)(`nginx ${whyNoNginx}`, () => {
  it("nginx.conf: the log teaches what was answered well, and nobody's own answers", async () => {
    const log = join(folder, 'prefetchd.log');
    await writeFile(log, '');
    await using app = await startApp();
    await using service = await servingPrefetchd(folder, [
      'serve',
      '--port',
      '0',
      '--threshold',
      '0.1',
      '--follow',
      log,
    ]);
    await using nginx = await startExample(folder, 'nginx/nginx.conf', {
      ...patient,
      '127.0.0.1:3000': app.address,
      '127.0.0.1:7733': hostOf(service.url),
      '/var/log/nginx/prefetchd.log': log,
    });
    const count = async (what: string) => {
      const { text } = await ask(service.url, '/metrics');
      return Number(new RegExp(`^prefetchd_accesses_${what} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
    };
    for (const page of ['/cookie', '/private']) {
      for (let visitor = 2; visitor < 5; visitor++) {
        await visit(`${nginx.url}${page}`, { from: `127.0.0.${visitor}` });
        await visit(`${nginx.url}/gone`, { from: `127.0.0.${visitor}` });
      }
    }
    await eventually(async () => (await count('dropped_total{reason="status"}')) === 6);
    const learned = () => count('total{kind="document"}');
    expect(await learned()).toBe(0);
    await walk(nginx.url, enough, ['/a', '/b'], learned);
    // What was not learned is hinted by no other page either.
    for (let visitor = 20; visitor < 20 + enough; visitor++) {
      await visit(`${nginx.url}/a`, { from: `127.0.0.${visitor}` });
      await visit(`${nginx.url}/cookie`, { from: `127.0.0.${visitor}` });
    }
    await eventually(async () => (await learned()) === 3 * enough);
    await eventually(async () => (await rulesFor(nginx.url, '/a')) === '/b');
    for (const page of ['/cookie', '/private']) expect(await rulesFor(nginx.url, page)).toBeNull();
    expect((await readFile(log, 'utf8')).split('\n')[0]).toContain('"status":"404"');
  });

  it('hints-map.conf: hints of a file, with nothing asked; hostile URLs do not break out of it', async () => {
    const root = join(folder, 'site');
    await mkdir(root);
    for (const page of ['a', 'A', 'b']) await writeFile(join(root, page), `page ${page}`);
    const map = join(folder, 'hints.map');
    const prefetchd = new Engine({ minClients: 1, query: 'keep' });
    const files = new HintFiles(prefetchd, { paths: [map], intervalMs: 3_600_000 });
    await files.start();
    await using nginx = await startExample(folder, 'nginx/hints-map.conf', {
      '/etc/nginx/prefetchd-hints.map': map,
      '/var/log/nginx/access.log': join(folder, 'access.log'),
      '/var/www/html': root,
      'add_header Link': 'location = /closed { return 302 /login; } add_header Link',
    });
    const linkOf = async (path: string, headers = {}) =>
      (await visit(`${nginx.url}${path}`, { headers })).headers.link;
    expect(await linkOf('/a')).toBeUndefined();

    const long = (letter: string, length: number) => `/${letter.repeat(length)}`;
    const walks = [
      ['/a', '/b'],
      ['/A', '/c'],
      ['/closed', '/b'],
      ['/$http_cookie', '/b'],
      ['/v', '/$http_cookie'],
      ['/q?"};return 200 "broken";#', '/b'],
      ['/r?\\', '/b'],
      ['/s?{$arg_x}', '/b'],
      ['/\r\nX: y', '/b'],
      [long('l', 380), '/b'],
      [long('m', 2000), long('n', 2000)],
      ['/regex(a|b)*+.', '/b'],
      ['/REGEX(a|b)*+.', '/b'],
      ['/default', '/b'],
    ];
    walks.forEach((urls, n) => {
      for (const url of urls) {
        const [kind, client] = ['document' as const, `c${n} B`];
        const rest = { timeMs: Date.now(), status: 200, bytes: 0, prefetch: false };
        prefetchd.observe({ client, url, kind, ...rest });
      }
    });
    await files.close(); // which writes what is new
    await prefetchd.close();
    nginx.reload();
    // Processes of before may answer for a moment.
    const toB = '</b>; rel=prefetch; probability=1';
    const toC = '</c>; rel=prefetch; probability=1';
    await eventually(async () => (await linkOf('/a')) === toB, 'the map is read again');
    await eventually(async () => (await linkOf('/A')) === toC);
    expect(await linkOf('/b', { Cookie: 'stolen=1' })).toBeUndefined();
    expect(await linkOf('/closed')).toBeUndefined();
    expect(await readFile(map, 'utf8')).toContain('"/closed" "</b>');
    expect(await readFile(map, 'utf8')).not.toMatch(/\$http_cookie|return 200/);
  });

  it('a page that begins to say X-Robots-Tag: noindex is no longer hinted, and carries no hints', async () => {
    let robots = '';
    await using site = await nginxSite(folder, {
      example: 'nginx.conf',
      answer({ url }, response) {
        if (url === '/b' && robots !== '') response.setHeader('X-Robots-Tag', robots);
        response.setHeader('Content-Type', 'text/html');
        response.end('page');
      },
    });
    const visits = async (from: number, visitors: number, ...pages: string[]) => {
      for (let visitor = from; visitor < from + visitors; visitor++) {
        for (const page of pages) {
          await visit(site.url + page, { from: `127.0.1.${visitor}` });
        }
      }
      await site.caughtUp?.();
    };
    const hasRules = async (page: string, from: string) =>
      (await visit(site.url + page, { from })).headers['speculation-rules'] !== undefined;
    await visits(1, 6, '/a', '/b', '/c');
    expect(await site.probability('/a', '/b')).toBeGreaterThan(0.5);
    expect(await hasRules('/b', '127.0.2.1')).toBe(true);
    robots = 'googlebot: noindex, nofollow';
    await visits(7, 1, '/b');
    expect(await site.probability('/a', '/b')).toBe(0);
    expect(await site.probability('/a', '/c')).toBeGreaterThan(0.5);
    expect(await hasRules('/b', '127.0.2.2')).toBe(false);
  });
});
