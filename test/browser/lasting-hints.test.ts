// Many visitors with Chromium, at the defaults of `hints()`: hints that are followed stay, and pages that the browser
// dropped are hinted again.

import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { HintsOptions } from '../../server/index.ts';
import { hasChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import {
  addressOf,
  type HintedServer,
  hintedServer,
  type Reader,
  readPages,
  sharedBrowser,
  visitorFrom,
} from './set-up.ts';

const ways = {
  'rules, no lifetime': { speculationRules: true, cacheControl: '' },
  'rules, lifetime': { speculationRules: true, cacheControl: 'max-age=300' },
  'Link, lifetime': { speculationRules: false, cacheControl: 'max-age=300' },
  'Link, lifetime, with the beacon': {
    ...{ speculationRules: false, cacheControl: 'max-age=300' },
    head: '<script src="/prefetch-beacon.js" async></script>',
  },
} as const;

interface Prefetched {
  readonly url: string;
  /** Its Referer: the page that it was fetched for. */
  readonly page: string | undefined;
}

interface Site extends HintedServer {
  /** Prefetches that are answered. */
  readonly prefetched: Prefetched[];
}

/** Pages with a link to each of the others, and a style sheet that stays in the cache. */
async function siteOf(
  pages: readonly string[],
  { cacheControl, head = '', ...options }: HintsOptions & { cacheControl: string; head?: string },
): Promise<Site> {
  const prefetched: Prefetched[] = [];
  const links = pages.map((page) => `<a href="${page}">${page}</a>`).join(' ');
  const answer: Parameters<typeof hintedServer>[0] = ({ url = '', headers }, res) => {
    if (url === '/site.css') {
      res.setHeader('Cache-Control', 'max-age=3600').setHeader('Content-Type', 'text/css');
      return void res.end('a { color: navy }');
    }
    if (!pages.includes(url)) return void res.writeHead(404).end();
    if (cacheControl !== '') res.setHeader('Cache-Control', cacheControl);
    res.setHeader('Content-Type', 'text/html');
    const isPrefetch = headers['sec-purpose'] !== undefined;
    res.on('finish', () => isPrefetch && prefetched.push({ url, page: headers.referer }));
    const style = '<link rel="stylesheet" href="/site.css">';
    res.end(`<!doctype html>${style}${head}<title>${url}</title>${links}`);
  };
  return { ...(await hintedServer(answer, { clientOf: addressOf, ...options })), prefetched };
}

/** Clicks; true if the page came from a prefetch. */
async function click({ page }: Reader, path: string): Promise<boolean> {
  await page.click(`a[href="${path}"]`);
  await page.waitForFunction(`document.title === ${JSON.stringify(path)}`);
  const [delivery, bytes] = await page.evaluate<[string, number]>(
    "(({ deliveryType, transferSize }) => [deliveryType, transferSize])(performance.getEntriesByType('navigation')[0])",
  );
  return delivery === 'navigational-prefetch' || (delivery === 'cache' && bytes === 0);
}

const visitor = (browser: Browser, { url }: Site, number: number): Promise<Reader> =>
  visitorFrom(browser, url, `192.0.2.${number}`);

describe.skipIf(!hasChromium)('hints that are followed', () => {
  const browser = sharedBrowser();

  /** What the next visitor of a page gets. */
  const probability = ({ prefetchd }: Site, url: string, of: string) =>
    prefetchd.hints({ url, threshold: 0, limit: null }).find((hint) => hint.url === of)
      ?.probability ?? 0;

  it.each(Object.entries(ways))('do not wear out: %s', async (_, options) => {
    await using site = await siteOf(['/', '/news', '/other'], options);
    const hinted: boolean[] = [];
    for (let number = 0; number < 9; number++) {
      await using someone = await visitor(browser(), site, number);
      const before = site.prefetched.length;
      await someone.page.goto(site.url);
      const learned = site.prefetchd.stats().learned.document;
      const isHinted = probability(site, '/', '/news') > 0.2;
      if (isHinted) await eventually(() => site.prefetched.length > before, 'it is prefetched');
      hinted.push(await click(someone, '/news'));
      // A page that came by Link is shown in silence, without the beacon.
      if (isHinted && !options.speculationRules && !('head' in options)) continue;
      await eventually(() => site.prefetchd.stats().learned.document > learned, 'learned');
    }
    // Three visitors are needed to begin.
    expect(hinted).toEqual([...Array(3).fill(false), ...Array(6).fill(true)]);
    expect(probability(site, '/', '/news')).toBeGreaterThan(0.9);
  });

  it.each(Object.entries(ways))('hold for each page of a walk: %s', async (_, options) => {
    const pages = Array.from({ length: 8 }, (_, at) => (at === 0 ? '/' : `/p${at + 1}`));
    await using site = await siteOf(pages, options);
    for (let number = 0; number < 3; number++) {
      readPages(site.prefetchd, `198.51.100.${number} Browser`, pages);
    }
    await using someone = await visitor(browser(), site, 1);
    await someone.page.goto(site.url);
    const shown: string[] = [];
    for (const [at, path] of pages.slice(1).entries()) {
      // A prefetch for an earlier page is of use to this one only where it stays in the HTTP cache.
      const isOfUse = ({ url, page }: Prefetched) =>
        url === path && (options.cacheControl !== '' || page === site.url + pages[at]);
      await eventually(() => site.prefetched.some(isOfUse), `${path} is prefetched`);
      if (await click(someone, path)) shown.push(path);
    }
    expect(shown).toEqual(pages.slice(1));
  });

  it('of pages that are read in order, and have no lifetime, name each once', async () => {
    const pages = ['/', '/p2', '/p3', '/p4', '/p5'];
    await using site = await siteOf(pages, { cacheControl: 'max-age=0' });
    for (let number = 0; number < 3; number++) {
      readPages(site.prefetchd, `198.51.100.${number} Browser`, pages, { freshMs: 0 });
    }
    await using someone = await visitor(browser(), site, 9);
    await someone.page.goto(site.url);
    for (const path of pages.slice(1)) {
      await eventually(
        () => site.prefetched.some(({ url }) => url === path),
        `${path} is prefetched`,
      );
      expect(await click(someone, path)).toBe(true);
    }
    expect(site.prefetched.map(({ url }) => url)).toEqual(pages.slice(1));
  });
});
