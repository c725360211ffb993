// examples/nginx/nginx.conf and hints-map.conf: nginx tells prefetchd by its log alone, and is told by a file.
// Skipped by name where nginx is absent.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Engine } from '../../prefetchd/engine/engine.ts';
import { HintFiles } from '../../prefetchd/service/hint-files.ts';
import { eventually } from '../support/eventually.ts';
import { folderOfTests } from '../support/folder-of-tests.ts';
import { startExample, whyNoNginx } from '../support/nginx.ts';
import { visit } from '../support/visit.ts';

const folder = folderOfTests();

describe.skipIf(whyNoNginx)(`nginx ${whyNoNginx}`, () => {
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
    const leadToB = [
      ...['/a', '/closed', '/$http_cookie', '/q?"};return 200 "broken";#', '/r?\\', '/s?{$arg_x}'],
      ...['/\r\nX: y', long('l', 380), '/regex(a|b)*+.', '/REGEX(a|b)*+.', '/default'],
    ];
    const others = [['/A', '/c'], ...[['/v', '/$http_cookie']], [long('m', 2000), long('n', 2000)]];
    const walks = [...others, ...leadToB.map((url) => [url, '/b'])];
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
});
