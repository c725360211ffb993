// examples/nginx/nginx.conf as it stands, with Debian's nginx and a prefetchd that follows its log: what the log says of a
// response decides about the page. Skipped by name where nginx is absent.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { whyNoNginx } from '../support/nginx.ts';
import { visit } from '../support/visit.ts';
import { nginxLogSite } from './nginx-log-site.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prefetchd-nginx-log-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe.skipIf(whyNoNginx)(`nginx with a log ${whyNoNginx}`, () => {
  it('a page that begins to say X-Robots-Tag: noindex is no longer hinted, and carries no hints', async () => {
    let robots = '';
    await using site = await nginxLogSite(folder, {
      answer({ url }, response) {
        if (url === '/b' && robots !== '') response.setHeader('X-Robots-Tag', robots);
        response.setHeader('Content-Type', 'text/html');
        response.end('page');
      },
    });
    const walk = async (from: number, visitors: number, ...pages: string[]) => {
      for (let visitor = from; visitor < from + visitors; visitor++) {
        for (const page of pages) {
          await visit(site.url + page, { from: `127.0.1.${visitor}` });
        }
      }
      await site.caughtUp();
    };
    const hasRules = async (page: string, from: string) =>
      (await visit(site.url + page, { from })).headers['speculation-rules'] !== undefined;
    await walk(1, 6, '/a', '/b', '/c');
    expect(await site.probability('/a', '/b')).toBeGreaterThan(0.5);
    expect(await hasRules('/b', '127.0.2.1')).toBe(true);
    robots = 'googlebot: noindex, nofollow';
    await walk(7, 1, '/b');
    expect(await site.probability('/a', '/b')).toBe(0);
    expect(await site.probability('/a', '/c')).toBeGreaterThan(0.5);
    expect(await hasRules('/b', '127.0.2.2')).toBe(false);
  });
});
