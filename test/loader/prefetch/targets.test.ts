// Which hints are followed: by their name, their probability and their origin, wherever they stand.

import { describe, expect, test } from 'vitest';
import { prefetchTable } from '../../../loader/prefetch/prefetch-options.ts';
import { prefetchRule } from '../../../loader/prefetch/targets.ts';
import { defaultsOf } from '../../../options/options.ts';
import type { DenyListOptions } from '../../../prefetchd/rules/deny-list.ts';
import { answering, response } from '../../support/raw-server.ts';
import { link, visited } from './site.ts';

const acting = [
  '/mon-compte',
  '/wyloguj',
  '/%D0%B2%D1%8B%D1%85%D0%BE%D0%B4',
  '/%E7%99%BB%E5%87%BA',
];
const secret = ['/a;jsessionid=1A', '/a?sig=b', '/img/a.jpg?X-Amz-Signature=b', '/d/aB3dE6gH'];

describe('the names that are denied', () => {
  test.each<[string, DenyListOptions, string[]]>([
    ['those of `deny`, too', { extra: ['/drafts', 'private'] }, ['/drafts/1', '/private-notes']],
    ['those of every language, session ids and signatures', {}, [...acting, ...secret, '/logout']],
    ['only those of `deny.replace`', { replace: ['no'] }, ['/no']],
    ['not those of `deny.allow`', { allow: ['/offers'] }, ['/cart', '/logout']],
  ])('are %s', async (_, deny, denied) => {
    const allowed = 'replace' in deny ? '/logout' : 'allow' in deny ? '/offers/cart' : '/offers';
    const site = await visited(link(allowed, ...denied), undefined, { prefetch: { deny } });
    expect(site.prefetched()).toEqual([allowed]);
  });
});

describe('another origin', () => {
  const elsewhere = (origin: string) => [`${origin}/theirs`, '/own'];
  const rulesType = { 'Content-Type': 'application/speculationrules+json' };

  test.each<[string, (urls: string[]) => Record<string, string>]>([
    ['Link', (urls) => link(...urls)],
    ['speculation rules', () => ({ 'Speculation-Rules': '"/rules.json"' })],
  ])('is never asked, though it is named in %s', async (_, home) => {
    await using other = await answering((_, connection) => connection.write(response('theirs')));
    const urls = elsewhere(other.origin);
    const site = await visited(home(urls), ({ path }) =>
      path === '/rules.json'
        ? response(JSON.stringify({ prefetch: [{ urls }], prerender: [{ urls }] }), rulesType)
        : undefined,
    );
    expect(other.connections).toHaveLength(0);
    expect(site.prefetched()).toEqual(['/own']);
  });

  test('nor a rules document that stands there', async () => {
    const theirs = response(JSON.stringify({ prefetch: [{ urls: ['/theirs'] }] }), rulesType);
    await using other = await answering((_, connection) => connection.write(theirs));
    await visited({ 'Speculation-Rules': `"${other.origin}/rules.json"` });
    expect(other.connections).toHaveLength(0);
  });

  // Each reader of hints leaves them out by itself; this one stands behind all of them.
  test.each([
    ['http://one.example/next', true],
    ['https://one.example/next', false],
    ['http://one.example:8080/next', false],
    ['http://two.example/next', false],
    ['http://me@one.example/next', false],
    ['http://:secret@one.example/next', false],
    ['no URL', false],
  ])('%s behind http://one.example/: %s', (url, may) => {
    const mayPrefetch = prefetchRule(defaultsOf(prefetchTable));
    for (const kind of ['document', 'object'] as const) {
      expect(mayPrefetch({ url, probability: 1, kind }, 'http://one.example/')).toBe(may);
    }
  });
});
