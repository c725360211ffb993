// Hints in a real browser: which page came from a prefetch, and what was never asked for.

import { describe, expect, it } from 'vitest';
import { clearPrefetched, type Handler } from '../../server/index.ts';
import { hasChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { hintedSite, reader, readOn, sharedBrowser } from './set-up.ts';

const [first, second] = ['/', '/beginnings/'] as const;

describe.skipIf(!hasChromium)('Chromium', () => {
  const browser = sharedBrowser();

  describe.each([
    ['Speculation-Rules', { speculationRules: true }, 'navigational-prefetch'],
    ['Link alone', { speculationRules: false }, 'cache'],
  ] as const)('by %s', (_, options, delivery) => {
    it('shows each page of a walk from its prefetch, and asks for each once', async () => {
      await using hinted = await hintedSite(options);
      const { site, prefetchd } = hinted;
      const paths = site.walk.map((url) => new URL(url).pathname);
      await hinted.teach(...paths);
      await using someone = await reader(browser());
      await someone.page.goto(site.walk[0] as string);
      for (const path of paths.slice(1)) {
        expect([path, await hinted.prefetched(path)]).toEqual([path, 1]);
        expect([path, await readOn(someone.page)]).toEqual([path, delivery]);
        expect([path, site.count(path)]).toEqual([path, { requests: 3 + 1, prefetches: 1 }]);
      }
      expect(someone.said).toEqual([]);
      const guesses = site.requests.filter(({ purpose }) => purpose !== null);
      expect(guesses.map(({ path, purpose }) => [path, purpose])).toEqual(
        paths.slice(1).map((path) => [path, 'prefetch']),
      );
      // The visits are learned as such when they happen; the prefetches never.
      await eventually(() => prefetchd.stats().learned.document === 4 * paths.length, 'learned');
      expect(prefetchd.stats().notLearned.prefetch).toBe(11);
    });

    it('fetches neither what acts nor what is one person’s, however many went there', async () => {
      // Allowed by its name, the account is still private.
      await using hinted = await hintedSite({ ...options, deny: { allow: ['/account'] } });
      const ways = [
        [first, second],
        ['/waiting/', '/logout'],
        ['/papers/', '/account'],
      ] as const;
      for (const way of ways) await hinted.teach(...way);
      await using someone = await reader(browser());
      const { page } = someone;
      for (const [from, to] of ways) {
        const headers = (await page.goto(hinted.site.url + from))?.headers() ?? {};
        const isHinted = 'link' in headers || 'speculation-rules' in headers;
        expect([to, isHinted]).toEqual([to, to === second]);
        if (isHinted) await hinted.prefetched(to);
      }
      await readOn(page);
      for (const path of ['/logout', '/account']) {
        expect([path, hinted.site.count(path)]).toEqual([path, { requests: 3, prefetches: 0 }]);
      }
    });

    it('a prefetch that a busy server refuses is not shown: the click asks again', async () => {
      let load = 0;
      await using hinted = await hintedSite(options, {
        before: [
          (req, _, next) => {
            load = req.headers['sec-purpose'] === undefined ? 0 : 0.99;
            next();
          },
        ],
        load: () => load,
      });
      await hinted.teach(first, second);
      await using someone = await reader(browser());
      await someone.page.goto(hinted.site.url);
      await hinted.prefetched(second);
      expect(await readOn(someone.page)).toBe('');
      expect(await someone.page.title()).toBe('Before the links - Round Trips');
      expect(hinted.prefetch.stats().refused).toBe(1);
      expect(hinted.site.count(second)).toEqual({ requests: 3 + 2, prefetches: 1 });
    });
  });

  it.each([
    ['by speculation rules, is shown as it came', true, '', 1],
    ['by Link, is asked about again when it is shown', false, '', 2],
    ['by speculation rules, outlives a POST', true, 'login', 1],
    ['by speculation rules, does not outlive clearPrefetched()', true, 'clear', 2],
  ])('a page without lifetime that came %s', async (_, speculationRules, post, requests) => {
    const login: Handler = (req, res, next) => {
      if (req.method !== 'POST') return next();
      if (post === 'clear') clearPrefetched(res);
      res.end('welcome');
    };
    const site = { pageSeconds: 0, behind: [login] };
    await using hinted = await hintedSite({ speculationRules }, site);
    await hinted.teach(first, second);
    await using someone = await reader(browser());
    await someone.page.goto(hinted.site.url);
    await hinted.prefetched(second);
    if (post !== '') {
      await someone.page.evaluate("fetch('/login', { method: 'POST' }).then((it) => it.text())");
    }
    const isFromPrefetch = (await readOn(someone.page)) === 'navigational-prefetch';
    expect(isFromPrefetch).toBe(speculationRules && post !== 'clear');
    expect(hinted.site.count(second)).toEqual({ requests: 3 + requests, prefetches: 1 });
    const { headers } = hinted.site.requests.findLast(({ path }) => path === second) ?? {};
    if (!speculationRules) expect(headers?.['if-none-match']).toMatch(/^"/);
  });
});
