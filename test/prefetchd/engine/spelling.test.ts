// Hints are spelled as the links of the site are: a browser finds what it prefetched under that spelling alone.

import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../prefetchd/engine/engine.ts';
import { createGraphStore } from '../../../prefetchd/index.ts';
import { folderOfTest } from '../../support/folder-of-tests.ts';
import { made, visit, walk } from './visits.ts';

const hinted = (prefetchd: Engine, url = '/') => prefetchd.hints({ url }).map((hint) => hint.url);

const spellings = [
  ['/%d0%bf', '/%D0%BF'],
  ['/%D0%BF', '/%d0%bf'],
  ['/%7Euser/', '/~user/'],
  ['/a%2Db', '/a-b'],
  ['/caf%c3%a9/x', '/caf%C3%A9/x'],
  ['/news', '/%6eews'],
];

it.each(spellings)('%s is hinted so, whoever asks otherwise', async (link = '', other = '') => {
  await using prefetchd = made();
  for (const visitor of [1, 2, 3]) walk(prefetchd, visitor, '/', link);
  for (const visitor of [4, 5, 6]) walk(prefetchd, visitor, '/', other);
  expect(hinted(prefetchd)).toEqual([link]);
  expect(prefetchd.stats().nodes).toBe(2);
});

it('after a restart the stored spelling counts', async () => {
  const location = `sqlite:${folderOfTest()}/hints.db`;
  {
    await using before = made({ store: await createGraphStore(location) });
    await before.ready;
    for (const visitor of [1, 2, 3, 4, 5])
      walk(before, visitor, '/', '/%d0%bf', '/?page=2&lang=en');
  }
  await using after = made({ store: await createGraphStore(location) });
  await after.ready;
  for (const visitor of [6, 7, 8]) walk(after, visitor, '/%D0%BF', '/?lang=en&page=2');
  expect(hinted(after)).toEqual(['/%d0%bf', '/?page=2&lang=en']);
});

describe('tracking parameters', () => {
  /** Visitors open a page and follow a link there. */
  let met = 0;
  type LinkOf = (nth: number) => string;
  function follow(prefetchd: Engine, visitors: number, linkOf: LinkOf, page = '/home') {
    for (let nth = 1; nth <= visitors; nth++) {
      const visitor = ++met;
      visit(prefetchd, visitor, page);
      visit(prefetchd, visitor, linkOf(nth), { page, entry: false });
    }
  }

  it('are hinted as most visitors of the page follow its link', async () => {
    await using prefetchd = made();
    follow(prefetchd, 6, () => '/news?utm_source=home');
    follow(prefetchd, 6, () => '/news?utm_source=blog&utm_medium=text', '/blog');
    follow(prefetchd, 6, () => '/news', '/plain');
    expect(hinted(prefetchd, '/home')).toEqual(['/news?utm_source=home']);
    expect(hinted(prefetchd, '/blog')).toEqual(['/news?utm_source=blog&utm_medium=text']);
    expect(hinted(prefetchd, '/plain')).toEqual(['/news']);
  });

  it('with those of the page stay in the order of the link', async () => {
    await using prefetchd = made();
    follow(prefetchd, 6, () => '/list?utm_source=home&page=2&lang=en');
    expect(hinted(prefetchd, '/home')).toEqual(['/list?utm_source=home&page=2&lang=en']);
  });

  it.each([
    ['differ by visitor', (nth: number) => `/news?fbclid=campaign${nth}`],
    ['four alone follow', (nth: number) => (nth < 5 ? '/news?utm_source=a' : '/news')],
    ['name a person', () => '/news?utm_content=jane@site.example'],
  ])('that %s are hinted without', async (_, linkOf) => {
    await using prefetchd = made();
    follow(prefetchd, 8, linkOf);
    expect(hinted(prefetchd, '/home')).toEqual(['/news']);
  });
});
