// Hosts are sites of their own: what is learned of one is hinted on no other.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../prefetchd/engine/engine.ts';
import { hostName } from '../../../prefetchd/engine/sites.ts';
import {
  createGraphStore,
  createPrefetchd,
  type PrefetchdOptions,
} from '../../../prefetchd/index.ts';
import { folderOfTest } from '../../support/folder-of-tests.ts';
import { made, nowMs, visit } from './visits.ts';

/** One visitor goes this way. @returns why the last page was not learned */
const walk = (engine: Engine, visitor: number, host: string | undefined, ...urls: string[]) =>
  urls.map((url) => visit(engine, visitor, url, host === undefined ? {} : { host })).at(-1);

function teach(prefetchd: Engine, host: string | undefined, ...urls: string[]) {
  for (const visitor of [1, 2, 3]) walk(prefetchd, visitor, host, ...urls);
}

const hinted = (prefetchd: Engine, url: string, host?: string) =>
  prefetchd
    .hints({ url, timeMs: nowMs(), ...(host !== undefined && { host }) })
    .map((hint) => hint.url);

describe('by host', () => {
  it('each site has its own hints, whichever was there first', async () => {
    await using prefetchd = made();
    teach(prefetchd, 'acme.example', '/', '/layoffs');
    for (const visitor of [4, 5, 6, 7, 8]) walk(prefetchd, visitor, 'globex.example', '/', '/jobs');
    expect(hinted(prefetchd, '/', 'acme.example')).toEqual(['/layoffs']);
    expect(hinted(prefetchd, '/', 'globex.example')).toEqual(['/jobs']);
    expect(hinted(prefetchd, '/', 'initech.example')).toEqual([]);
    expect(hinted(prefetchd, '/')).toEqual(['/layoffs']);
  });

  it('visitors who come to both in turns mix nothing', async () => {
    await using prefetchd = made();
    for (const visitor of [1, 2, 3, 4, 5, 6]) {
      walk(prefetchd, visitor, 'a.example', '/');
      walk(prefetchd, visitor, 'b.example', '/');
      walk(prefetchd, visitor, 'a.example', '/of-a');
      walk(prefetchd, visitor, 'b.example', '/of-b');
    }
    expect(hinted(prefetchd, '/', 'a.example')).toEqual(['/of-a']);
    expect(hinted(prefetchd, '/', 'b.example')).toEqual(['/of-b']);
  });

  it.each([
    'shop.example',
    'SHOP.example',
    'shop.example:80',
    'shop.example:443',
    'shop.example.',
    'www.shop.example',
    'shop.example:',
  ])('%s is the same host', async (host) => {
    await using prefetchd = made();
    teach(prefetchd, 'shop.example', '/', '/news');
    for (const visitor of [4, 5, 6]) walk(prefetchd, visitor, 'other.example', '/');
    expect(hinted(prefetchd, '/', host)).toEqual(['/news']);
  });

  it.each<[string, string | null]>([
    ['localhost:3000', 'localhost'],
    ['127.0.0.1:8080', 'localhost'],
    ['[::1]:8080', 'localhost'],
    ['shop.example:8080', 'shop.example:8080'],
    ['[2001:DB8::1]', '[2001:db8::1]'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ...['', ' ', 'a b', 'a/b', 'user@a', 'a:b', `${'a'.repeat(300)}.example`, '..'].map(
      (host): [string, null] => [host, null],
    ),
  ])('the name of %j is %j', (host, name) => {
    expect(hostName(host)).toBe(name);
  });

  it('a hundred made-up hosts are learned at most, and take the place of none that is visited', async () => {
    await using prefetchd = made();
    teach(prefetchd, 'shop.example', '/', '/news');
    for (const visitor of [4, 5, 6]) walk(prefetchd, visitor, 'b.example', '/', '/jobs');
    const { nodes } = prefetchd.stats();
    for (let name = 0; name < 500; name++) walk(prefetchd, 7, `made-up-${name}.example`, '/');
    expect(prefetchd.stats().nodes).toBe(nodes + 99);
    for (const visitor of [4, 5, 6]) walk(prefetchd, visitor, 'c.example', '/');
    for (const visitor of [7, 8, 9]) walk(prefetchd, visitor, 'c.example', '/', '/of-c');
    expect(hinted(prefetchd, '/', 'shop.example')).toEqual(['/news']);
    expect(hinted(prefetchd, '/', 'b.example')).toEqual(['/jobs']);
    expect(hinted(prefetchd, '/', 'c.example')).toEqual(['/of-c']);
  });

  it('a hundred others that are visited stay, and a further one is not learned', async () => {
    await using prefetchd = made();
    for (let site = 0; site <= 101; site++) teach(prefetchd, `site-${site}.example`, '/', '/news');
    expect(hinted(prefetchd, '/', 'site-0.example')).toEqual(['/news']);
    expect(hinted(prefetchd, '/', 'site-100.example')).toEqual(['/news']);
    expect(walk(prefetchd, 9, 'site-101.example', '/', '/news')).toBe('cross-origin');
  });

  it('what is withdrawn on one site stays on the other', async () => {
    await using prefetchd = made();
    teach(prefetchd, 'a.example', '/', '/news');
    for (const visitor of [4, 5, 6, 7]) walk(prefetchd, visitor, 'b.example', '/', '/news');
    const now = { client: '192.0.2.9 B', timeMs: nowMs() };
    const page = { ...now, kind: 'document', status: 200, bytes: 1 } as const;
    prefetchd.observe({ ...page, prefetch: false, url: '/news', host: 'b.example', noindex: true });
    expect(hinted(prefetchd, '/', 'a.example')).toEqual(['/news']);
    expect(hinted(prefetchd, '/', 'b.example')).toEqual([]);
  });

  it('no hint leaves its host by a path that names one', async () => {
    await using prefetchd = made();
    teach(prefetchd, 'a.example', '/');
    for (const visitor of [4, 5, 6, 7])
      walk(prefetchd, visitor, 'b.example', '/', '//evil.example/x');
    expect(hinted(prefetchd, '/', 'b.example')).toEqual(['/evil.example/x']);
    expect(hinted(prefetchd, '/', 'a.example')).toEqual([]);
  });
});

it('absolute URLs are of their hosts, and hints are absolute as the question was', async () => {
  await using prefetchd = made();
  teach(prefetchd, undefined, 'https://a.example/', 'https://a.example/news');
  for (const visitor of [4, 5, 6, 7])
    walk(prefetchd, visitor, undefined, 'http://b.example/', 'http://b.example/jobs');
  expect(hinted(prefetchd, 'https://a.example/')).toEqual(['https://a.example/news']);
  expect(hinted(prefetchd, '/', 'a.example')).toEqual(['/news']);
  expect(hinted(prefetchd, 'https://b.example/')).toEqual(['https://b.example/jobs']);
  expect(hinted(prefetchd, '/', 'b.example')).toEqual(['/jobs']);
});

describe('kept', () => {
  it('the main site stays the same, whoever comes first after a restart', async () => {
    const folder = folderOfTest();
    const location = `sqlite:${join(folder, 'hints.db')}`;
    {
      await using before = made({ store: await createGraphStore(location) });
      await before.ready;
      teach(before, 'acme.example', '/', '/layoffs');
      for (const visitor of [4, 5, 6, 7]) walk(before, visitor, 'globex.example', '/', '/jobs');
    }
    await using after = made({ store: await createGraphStore(location) });
    await after.ready;
    teach(after, '203.0.113.5', '/', '/scan');
    expect(hinted(after, '/', '203.0.113.5')).toEqual(['/scan']);
    expect(hinted(after, '/', 'globex.example')).toEqual(['/jobs']);
    expect(hinted(after, '/', 'acme.example')).toEqual(['/layoffs']);
  });

  it('what was learned without a host is that of the main site', async () => {
    await using prefetchd = made();
    teach(prefetchd, undefined, '/', '/news');
    expect(hinted(prefetchd, '/', 'shop.example')).toEqual(['/news']);
    for (const visitor of [4, 5, 6]) walk(prefetchd, visitor, 'shop.example', '/');
    for (const visitor of [4, 5, 6]) walk(prefetchd, visitor, 'other.example', '/');
    expect(hinted(prefetchd, '/', 'shop.example')).toEqual(['/news']);
    expect(hinted(prefetchd, '/', 'other.example')).toEqual([]);
  });
});

describe('sites', () => {
  it('one: all hosts are one site', async () => {
    await using prefetchd = made({ sites: 'one' });
    for (const visitor of [1, 2, 3])
      walk(prefetchd, visitor, `name-${visitor}.example`, '/', '/news');
    expect(hinted(prefetchd, '/', 'another.example')).toEqual(['/news']);
  });

  it('a list: these alone, from the first visitor on', async () => {
    await using prefetchd = made({ sites: ['b.example', 'www.a.example'] });
    teach(prefetchd, 'a.example', '/', '/of-a');
    expect(walk(prefetchd, 4, 'c.example', '/')).toBe('cross-origin');
    expect(hinted(prefetchd, '/', 'a.example')).toEqual(['/of-a']);
    expect(hinted(prefetchd, '/')).toEqual([]);
    teach(prefetchd, 'b.example', '/b', '/of-b');
    expect(hinted(prefetchd, '/b')).toEqual(['/of-b']);
  });

  it.each<[PrefetchdOptions, RegExp]>([
    [{ sites: [] }, /sites must be each, one or a list of hosts/],
    [{ sites: ['https://a.example'] }, /sites\[0\] must be a host/],
    [{ sites: 'all' as 'one' }, /sites must be each, one or a list of hosts/],
    [{ sites: 'one', origin: 'https://a.example' }, /sites is for a prefetchd without origin/],
  ])('%j is refused', (options, message) => {
    expect(() => createPrefetchd(options)).toThrow(message);
  });
});
