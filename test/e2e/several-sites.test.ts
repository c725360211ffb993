// Two sites behind one prefetchd, by each way that visits become known: hints and rules of one name no page of the
// other.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { whyNoNginx } from '../support/nginx.ts';
import { servingPrefetchd } from '../support/prefetchd-command.ts';
import { visit } from '../support/visit.ts';
import { nginxLogSite } from './nginx-log-site.ts';
import { nginxMirrorSite } from './nginx-mirror-site.ts';
import { enough, pages, startApp } from './nginx-set-up.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sites-'));
});
afterEach(() => rm(folder, { recursive: true }));

interface Served extends AsyncDisposable {
  readonly url: string;
  caughtUp?(): Promise<void>;
}

async function byProxy(): Promise<Served> {
  await using started = new AsyncDisposableStack();
  const app = started.use(await startApp());
  const flags = ['--upstream', `http://${app.address}`, '--port', '0', '--admin-port', '0'];
  const { url } = started.use(await servingPrefetchd(folder, ['proxy', ...flags]));
  const stack = started.move();
  return { url, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const ways: Record<string, () => Promise<Served>> = {
  proxy: byProxy,
  ...(whyNoNginx === '' && {
    'nginx, whose log is followed': () => nginxLogSite(folder, { answer: pages }),
    'nginx, whose mirror teaches': () => nginxMirrorSite(folder, { answer: pages }),
  }),
};

const opens = {
  'sec-fetch-user': '?1',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
};

/** What the rules of a page name. */
async function ruled(url: string, host: string): Promise<string> {
  const from = '127.0.9.9';
  const { headers } = await visit(`${url}/`, { from, headers: { host, ...opens } });
  const named = /^"([^"]*)"$/.exec(String(headers['speculation-rules']))?.[1];
  if (named === undefined) return 'no rules';
  const dest = { 'sec-fetch-dest': 'speculationrules' };
  return (await visit(new URL(named, `${url}/`).href, { from, headers: { host, ...dest } })).body;
}

it.each(Object.entries(ways))('%s', async (_, start) => {
  await using site = await start();
  const walk = async (host: string, first: number, path: string) => {
    for (let visitor = first; visitor < first + enough + 1; visitor++) {
      const from = `127.0.2.${visitor}`;
      await visit(`${site.url}/`, { from, headers: { host, ...opens } });
      const referer = `http://${host}/`;
      await visit(site.url + path, { from, headers: { host, referer, ...opens } });
    }
    await site.caughtUp?.();
  };
  await walk('acme.example', 10, '/layoffs');
  await walk('globex.example', 30, '/jobs');
  expect(await ruled(site.url, 'acme.example')).toContain('/layoffs');
  const ofGlobex = await ruled(site.url, 'globex.example');
  expect(ofGlobex).toContain('/jobs');
  expect(ofGlobex).not.toContain('layoffs');
});
