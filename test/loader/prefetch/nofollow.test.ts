// `nofollow: true`: what a page does not want followed is not prefetched behind it.

import { describe, expect, test } from 'vitest';
import { response } from '../../support/raw-server.ts';
import { fresh, link, prefetches, startSite, visit } from './site.ts';

async function prefetched(html: string, fields: Record<string, string> = {}, nofollow = true) {
  const home = { ...fresh, ...link('/a', '/b'), ...fields };
  await using server = await startSite({}, ({ path }) =>
    path === '/' ? response(html, home) : undefined,
  );
  await visit(server, { nofollow });
  return prefetches(server);
}

test('links with rel=nofollow, ugc or sponsored are left out, the others are not', async () => {
  expect(await prefetched('<a href=/a rel=nofollow>a</a><a href=/b>b</a>')).toEqual(['/b']);
  expect(await prefetched('<a href=/b rel=ugc><a href=/b><a href=/x rel=sponsored>')).toEqual([
    '/a',
  ]);
});

test('nobody asks without the option', async () => {
  expect(await prefetched('<a href=/a rel=nofollow>', { 'X-Robots-Tag': 'none' }, false)).toEqual([
    '/a',
    '/b',
  ]);
});

describe('all of a page', () => {
  test.each<[string, string, string]>([
    ['meta', '<meta name=robots content="noindex, NOFOLLOW">', ''],
    ['meta none', '<meta name=robots content=none>', ''],
    ['meta for us', '<meta name=loadahead content=nofollow>', ''],
    ['X-Robots-Tag', '', 'noindex, nofollow'],
    ['X-Robots-Tag none', '', 'None'],
    ['X-Robots-Tag for us', '', 'loadahead: noindex, nofollow'],
    ['after another agent', '', 'otherbot: noindex, LoadAhead: nofollow'],
    ['after a member with a value', '', 'max-snippet: 5, nofollow'],
    ['after a date', '', 'unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow'],
  ])('%s', async (_, html, tag) => {
    expect(await prefetched(html, tag === '' ? {} : { 'X-Robots-Tag': tag })).toEqual([]);
  });

  test.each<[string, string, string]>([
    ['meta for another', '<meta name=otherbot content=nofollow>', ''],
    ['meta of something else', '<meta name=robots content="nofollowers, noindex">', ''],
    ['X-Robots-Tag for another', '', 'otherbot: noindex, nofollow'],
    ['X-Robots-Tag noindex', '', 'noindex'],
  ])('not: %s', async (_, html, tag) => {
    expect(await prefetched(html, tag === '' ? {} : { 'X-Robots-Tag': tag })).toEqual(['/a', '/b']);
  });

  test('in a page that is no HTML, and in one without a body', async () => {
    const tag = { 'X-Robots-Tag': 'nofollow' };
    expect(await prefetched('x', { ...tag, 'Content-Type': 'text/plain' })).toEqual([]);
    expect(await prefetched('', tag)).toEqual([]);
  });

  test('with more such links than are remembered', async () => {
    const many = Array.from({ length: 2_001 }, (_, n) => `<a rel=ugc href=/${n}>`).join('');
    expect(await prefetched(many)).toEqual([]);
  });
});

test('speculation rules name links, too', async () => {
  const rules = JSON.stringify({ prefetch: [{ urls: ['/a', '/b'] }] });
  await using server = await startSite({}, ({ path }) => {
    if (path === '/rules.json') return response(rules, { 'Content-Type': 'application/json' });
    return path === '/'
      ? response('<a href=/a rel=nofollow>', { ...fresh, 'Speculation-Rules': '"/rules.json"' })
      : undefined;
  });
  await visit(server, { nofollow: true });
  expect(prefetches(server)).toEqual(['/b']);
});

test('a page out of the cache says the same', async () => {
  await using server = await startSite({}, ({ path }) =>
    path === '/'
      ? response('<a href=/a rel=nofollow>', { ...fresh, ...link('/a', '/b') })
      : undefined,
  );
  const loader = await visit(server, { nofollow: true, maxRequests: 0 });
  expect(prefetches(server)).toEqual([]);
  await loader.load(`${server.origin}/`);
  await loader.idle();
  expect(server.requests.length).toBe(1);
});
