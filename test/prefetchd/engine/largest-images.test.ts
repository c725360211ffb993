// The largest image of a page, by the votes of addresses.

import { describe, expect, it } from 'vitest';
import { Votes } from '../../../prefetchd/engine/browser-signs.ts';
import { engineOf } from '../../../prefetchd/engine/prefetchd.ts';
import { type Access, createPrefetchd, type PrefetchdOptions } from '../../../prefetchd/index.ts';
import { salted } from '../../support/known-salt.ts';

const page = '/';

function named(votes: readonly string[], least = 2): Votes {
  const images = new Votes({ most: 10, least });
  for (const [at, url] of votes.entries()) images.vote(page, `192.0.2.${at}`, url);
  return images;
}

describe('the votes', () => {
  it('k addresses are needed, and most of them win', () => {
    expect(named(['/a.jpg']).winnerOf(page)).toBeNull();
    expect(named(['/a.jpg', '/b.jpg']).winnerOf(page)).toBeNull();
    expect(named(['/a.jpg', '/b.jpg', '/b.jpg', '/b.jpg']).winnerOf(page)).toEqual({
      ...{ choice: '/b.jpg', share: 0.75 },
    });
  });

  it('an address has one vote, its latest', () => {
    const images = named(['/a.jpg']);
    for (let n = 0; n < 9; n++) images.vote(page, '192.0.2.0', '/a.jpg');
    expect(images.winnerOf(page)).toBeNull();
    images.vote(page, '192.0.2.1', '/b.jpg');
    images.vote(page, '192.0.2.0', '/b.jpg');
    expect(images.winnerOf(page)).toEqual({ choice: '/b.jpg', share: 1 });
  });

  it('a page that changes its image is followed', () => {
    const votes = [...Array(100).fill('/old.jpg'), ...Array(16).fill('/new.jpg')];
    expect(named(votes).winnerOf(page)).toEqual({ choice: '/new.jpg', share: 1 });
  });

  it('what is known stays when addresses are forgotten, until others name another', () => {
    const images = named(['/a.jpg', '/a.jpg']);
    images.forgetVoters();
    images.vote(page, 'new', '/b.jpg');
    expect(images.winnerOf(page)?.choice).toBe('/a.jpg');
    images.vote(page, 'newer', '/b.jpg');
    expect(images.winnerOf(page)?.choice).toBe('/b.jpg');
  });
});

describe('hints', () => {
  const base = { timeMs: Date.UTC(2026, 0, 5), status: 200, bytes: 9, prefetch: false } as const;

  interface Site {
    options?: PrefetchdOptions;
    /** Of three, who fetched the image before they named it. */
    fetchers?: number;
  }

  function taught(url: string, { options = {}, fetchers = 3 }: Site = {}) {
    const prefetchd = createPrefetchd({ load: () => 0, ...salted, ...options });
    const observe = (access: Omit<Access, keyof typeof base>) =>
      prefetchd.observe({ ...base, ...access });
    for (let visitor = 1; visitor <= 3; visitor++) {
      const client = `192.0.2.${visitor} Browser`;
      observe({ client, url: '/', kind: 'document' });
      // So late that it does not belong to the first objects of the page.
      for (let n = 0; n < 9; n++) observe({ client, url: `/${n}.svg`, kind: 'object' });
      if (visitor <= fetchers) observe({ client, url, kind: 'object' });
      observe({ client, url: '/next', kind: 'document' });
      observe({ client, url, kind: 'object', page: '/', shown: true, isLargest: true });
    }
    return prefetchd;
  }

  const largestOf = async (...given: Parameters<typeof taught>) => {
    await using prefetchd = taught(...given);
    return prefetchd.hints({ url: '/' }).filter(({ isLargest }) => isLargest);
  };
  const hero = { url: '/hero', kind: 'object', navigation: 'current', isLargest: true };

  it('have it beside the limit, of the page alone', async () => {
    await using prefetchd = taught('/hero', { options: { limit: 1 } });
    expect(prefetchd.hints({ url: '/' })).toMatchObject([{ url: '/next' }, hero]);
    expect(prefetchd.hints({ url: '/next' })).toEqual([]);
    expect(prefetchd.hints({ url: '/', kind: 'document' })).toMatchObject([{ url: '/next' }]);
    const objects = prefetchd.hints({ url: '/', kind: 'object' });
    expect(objects).toContainEqual(expect.objectContaining(hero));
  });

  it('have none before k addresses named it, nor what is denied or of another origin', async () => {
    expect(await largestOf('/hero', { options: { minClients: 3 } })).toMatchObject([hero]);
    expect(await largestOf('/hero', { options: { minClients: 4 } })).toEqual([]);
    expect(await largestOf('/hero?user=jane')).toEqual([]);
    expect(await largestOf('/hero', { options: { deny: { extra: ['/hero'] } } })).toEqual([]);
    expect(await largestOf('https://other.example/hero')).toEqual([]);
  });

  it('have none that k addresses name and fewer were seen to fetch, as one that is private', async () => {
    expect(await largestOf('/hero', { fetchers: 2 })).toMatchObject([hero]);
    expect(await largestOf('/hero', { fetchers: 1 })).toEqual([]);
    expect(await largestOf('/hero', { fetchers: 0 })).toEqual([]);
  });

  it('have none any more when it becomes private, until it is for all again', async () => {
    await using made = taught('/hero');
    const largest = () => made.hints({ url: '/' }).filter(({ isLargest }) => isLargest);
    engineOf(made).dropped('private', { url: '/hero', kind: 'object' });
    expect(largest()).toEqual([]);
    made.observe({ ...base, client: '192.0.2.9 Browser', url: '/hero', kind: 'object' });
    expect(largest()).toMatchObject([hero]);
  });

  it('count a few votes of an address for a page in a day', async () => {
    await using made = taught('/hero', { fetchers: 0 });
    const says = (visitor: number, url: string) => {
      const client = `192.0.2.${visitor} Browser`;
      const vote = { shown: true, isLargest: true, page: '/' } as const;
      made.observe({ ...base, client, url, kind: 'object' });
      made.observe({ ...base, client, url, kind: 'object', ...vote });
    };
    says(1, '/hero');
    for (let n = 0; n < 9; n++) says(2, '/0.svg');
    says(2, '/hero');
    expect(made.hints({ url: '/' }).filter(({ isLargest }) => isLargest)).toEqual([]);
  });
});
