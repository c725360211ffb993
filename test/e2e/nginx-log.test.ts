// What the log of examples/nginx/nginx.conf tells prefetchd: nothing of a response for one visitor, nor of a page that
// search engines are to leave out.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { whyNoNginx } from '../support/nginx.ts';
import { visit } from '../support/visit.ts';
import { nginxLogSite } from './nginx-log-site.ts';
import { pages } from './nginx-set-up.ts';

describe.skipIf(whyNoNginx)(`nginx and its log ${whyNoNginx}`, () => {
  it('has what may be learned alone', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'prefetchd-nginx-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await using site = await nginxLogSite(folder, { answer: pages });
    const paths = ['/cookie', '/private', '/noindex', '/hidden.svg', '/preview', '/last'];
    for (const path of paths) await visit(site.url + path, { from: '127.0.0.2' });
    const logged = async () => {
      const lines = (await readFile(join(folder, 'prefetchd.log'), 'utf8')).trim().split('\n');
      return lines.filter(Boolean).map((line) => JSON.parse(line).request_uri);
    };
    await eventually(async () => (await logged()).includes('/last'), 'the last is logged');
    expect(await logged()).toEqual(['/hidden.svg', '/preview', '/last']);
  });
});
