// Sites with a prefetcher of their own, at the defaults of `hints()`: most pages come by prefetches that are not ours, and
// showing one causes no request for it. Their visits are learned all the same.

import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { tellingLog } from '../support/telling-log.ts';
import { addressOf, hintedServer, sharedBrowser, visitorFrom } from './set-up.ts';

const documentRule = (eagerness: string) =>
  `<script type="speculationrules">{"prefetch":[{"where":{"href_matches":"/*"},"eagerness":"${eagerness}"}]}</script>`;

/** As quicklink does for links in view. */
const linkElements = `<script>
addEventListener('load', () => {
  for (const { href } of document.links) {
    document.head.append(Object.assign(document.createElement('link'), { rel: 'prefetch', href }));
  }
});
</script>`;

/** As instant.page does where there are no rules. */
const fetches = `<script>
addEventListener('load', () => {
  for (const { href } of document.links) fetch(href, { credentials: 'include' });
});
</script>`;

const pages = ['/', '/a', '/b', '/c', '/d'];
const visitors = 6;

interface Way {
  head: string;
  cacheControl?: string;
  /** Each page has an image of its own. */
  hasImages?: boolean;
  hasBeacon?: boolean;
  /** All pages are fetched from the first one. */
  fetchesAll?: boolean;
}

const lasting = { cacheControl: 'max-age=300', fetchesAll: true };

const learned: Record<string, Way> = {
  'a document rule, eager': { head: documentRule('eager') },
  'a document rule, when the link is pressed': { head: documentRule('conservative') },
  'link elements, with images': { head: linkElements, ...lasting, hasImages: true },
  'link elements, with the beacon': { head: linkElements, ...lasting, hasBeacon: true },
  'fetches, with images': { head: fetches, ...lasting, hasImages: true },
};

/** Six visitors read the pages in order. */
async function walked(browser: Browser, way: Way) {
  const { head, cacheControl, hasImages, hasBeacon, fetchesAll } = way;
  const notices: string[] = [];
  const links = pages.map((page) => `<a href="${page}">${page}</a>`).join(' ');
  let fetched = new Set<string>();
  const site = await hintedServer(
    ({ url = '' }, res) => {
      if (!pages.includes(url)) {
        res.setHeader('Content-Type', 'image/svg+xml').setHeader('Cache-Control', 'max-age=600');
        return void res.end('<svg xmlns="http://www.w3.org/2000/svg"/>');
      }
      if (cacheControl !== undefined) res.setHeader('Cache-Control', cacheControl);
      res.setHeader('Content-Type', 'text/html');
      res.on('finish', () => fetched.add(url));
      const image = hasImages ? `<img src="${url}.svg">` : '';
      const beacon = hasBeacon ? '<script src="/prefetch-beacon.js" async></script>' : '';
      res.end(`<!doctype html><html><title>${url}</title>${beacon}${head}${image}${links}`);
    },
    { clientOf: addressOf, engine: { log: tellingLog((message) => notices.push(message)) } },
  );
  for (let visitor = 1; visitor <= visitors; visitor++) {
    await using someone = await visitorFrom(browser, site.url, `192.0.2.${visitor}`);
    const { page } = someone;
    fetched = new Set();
    await page.goto(site.url);
    if (fetchesAll) await eventually(() => fetched.size === pages.length, 'all pages are fetched');
    for (const next of pages.slice(1)) {
      await page.click(`a[href="${next}"]`);
      await page.waitForFunction(
        `document.title === '${next}' && document.readyState === 'complete'`,
      );
    }
  }
  return { ...site, notices };
}

describe.skipIf(!hasChromium)('a site that prefetches by', () => {
  const browser = sharedBrowser();

  it.each(Object.entries(learned))('%s', async (_, way) => {
    await using site = await walked(browser(), way);
    const { prefetchd } = site;
    const documents = () => prefetchd.stats().learned.document;
    // All but the last page of a visitor are followed by something.
    const least = visitors * (pages.length - 1);
    await eventually(() => documents() >= least, 'the visits are learned');
    const next = prefetchd.hints({ url: '/', kind: 'document', threshold: 0.5 });
    expect(next.map(({ url }) => url).sort()).toEqual(['/a', '/b', '/c']);
  });

  it('link elements, whose pages show nothing of their visits, is told what to do, once', async () => {
    await using site = await walked(browser(), { head: linkElements, ...lasting });
    expect(site.notices).toEqual([
      expect.stringMatching(/^pages are prefetched by something else .* beacon/),
    ]);
  });
});
