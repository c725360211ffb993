// Which hints are followed: by their name, their probability and their origin, wherever they stand.

import { describe, expect, test } from 'vitest';
import { prefetchTable } from '../../../loader/prefetch/prefetch-options.ts';
import { PrefetchPolicy } from '../../../loader/prefetch/targets.ts';
import { defaultsOf } from '../../../options/options.ts';
import { response, startRawServer } from '../../support/raw-server.ts';
import { link, prefetches, startSite, visit } from './site.ts';

describe('the names that are denied', () => {
  test('are those of `deny`, too', async () => {
    await using server = await startSite(link('/offers', '/drafts/1', '/private-notes', '/logout'));
    await visit(server, { deny: { extra: ['/drafts', 'private'] } });
    expect(prefetches(server)).toEqual(['/offers']);
  });

  test('are those of every language, session ids and signatures', async () => {
    const acting = [
      '/mon-compte',
      '/wyloguj',
      '/%D0%B2%D1%8B%D1%85%D0%BE%D0%B4',
      '/%E7%99%BB%E5%87%BA',
    ];
    const secret = ['/a;jsessionid=1A', '/a?sig=b', '/img/a.jpg?X-Amz-Signature=b', '/d/aB3dE6gH'];
    await using server = await startSite(link('/offers', ...acting, ...secret));
    await visit(server);
    expect(prefetches(server)).toEqual(['/offers']);
  });

  test('are only those of `deny.replace`', async () => {
    await using server = await startSite(link('/offers', '/logout'));
    await visit(server, { deny: { replace: ['offers'] } });
    expect(prefetches(server)).toEqual(['/logout']);
  });

  test('are not those of `deny.allow`', async () => {
    await using server = await startSite(link('/cart', '/logout'));
    await visit(server, { deny: { allow: ['/cart'] } });
    expect(prefetches(server)).toEqual(['/cart']);
  });
});

describe('another origin', () => {
  const elsewhere = (origin: string) => [`${origin}/theirs`, '/own'];
  const rulesType = { 'Content-Type': 'application/speculationrules+json' };

  test.each<[string, (urls: string[]) => Record<string, string>]>([
    ['Link', (urls) => link(...urls)],
    ['speculation rules', () => ({ 'Speculation-Rules': '"/rules.json"' })],
  ])('is never asked, though it is named in %s', async (_, home) => {
    await using other = await startRawServer({
      onRequest: (_, connection) => connection.write(response('theirs')),
    });
    const urls = elsewhere(other.origin);
    await using server = await startSite(home(urls), ({ path }) =>
      path === '/rules.json'
        ? response(JSON.stringify({ prefetch: [{ urls }], prerender: [{ urls }] }), rulesType)
        : undefined,
    );
    await visit(server);
    expect(other.connections).toHaveLength(0);
    expect(prefetches(server)).toEqual(['/own']);
  });

  test('nor a rules document that stands there', async () => {
    await using other = await startRawServer({
      onRequest: (_, connection) =>
        connection.write(
          response(JSON.stringify({ prefetch: [{ urls: ['/theirs'] }] }), rulesType),
        ),
    });
    await using server = await startSite({ 'Speculation-Rules': `"${other.origin}/rules.json"` });
    await visit(server);
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
    const policy = new PrefetchPolicy(defaultsOf(prefetchTable));
    for (const kind of ['document', 'object'] as const) {
      expect(policy.mayPrefetch({ url, probability: 1, kind }, 'http://one.example/')).toBe(may);
    }
  });
});
