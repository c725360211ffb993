// Under a policy such as `strict-origin` Referers are cut to the origin, and look like the start page.

import { expect, it } from 'vitest';
import { made, visit } from './visits.ts';

/** Visitors open the start page, an article with a font, and another one. @param refererOf a page */
function read(refererOf: (page: string) => string) {
  const prefetchd = made();
  const ask = (visitor: number, url: string, from: string | undefined, prefetch = false) =>
    visit(prefetchd, visitor, url, {
      ...{ prefetch, kind: url.endsWith('.woff2') ? 'object' : 'document' },
      ...(from !== undefined && { page: refererOf(from) }),
    });
  for (let visitor = 1; visitor <= 6; visitor++) {
    ask(visitor, '/', undefined);
    ask(visitor, '/article', '/');
    ask(visitor, '/article.woff2', '/article');
  }
  return { prefetchd, ask };
}

const preloaded = ({ prefetchd }: ReturnType<typeof read>, url: string) =>
  prefetchd
    .hints({ url, kind: 'object', client: '192.0.2.99 Browser' })
    .filter(({ navigation }) => navigation === 'current')
    .map((hint) => hint.url);

it.each(['/', 'http://shop.example/'])(
  'what %s is said to embed is not preloaded there',
  (origin) => {
    const site = read(() => origin);
    expect(preloaded(site, '/')).toEqual([]);
  },
);

it('so the start page that was prefetched is not taken for shown', () => {
  const { prefetchd, ask } = read(() => '/');
  const { used } = prefetchd.stats().hints;
  const visits = prefetchd.stats().learned.document;
  ask(50, '/article', undefined);
  prefetchd.hints({
    url: '/article',
    kind: 'document',
    client: '192.0.2.50 Browser',
    threshold: 0,
  });
  ask(50, '/', '/article', true);
  ask(50, '/article.woff2', '/article');
  expect(prefetchd.stats().hints.used).toBe(used);
  expect(prefetchd.stats().learned.document).toBe(visits + 1);
});

it('where Referers have paths, the origin is the start page', () => {
  const site = read((page) => page);
  expect(preloaded(site, '/article')).toEqual(['/article.woff2']);
});
