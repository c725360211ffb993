// A largest image that only a style sheet names: after visitors whose beacons named it, Chromium fetches it before it
// has the style sheet.

import { describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { addressOf, hintedServer, sharedBrowser, visitorFrom } from './set-up.ts';

const html = `<!doctype html><link rel="stylesheet" href="/site.css"><title>hero</title>
<script src="/prefetch-beacon.js" async></script><div></div>`;
const style = 'div { height: 500px; background: url(/hero.svg) }';
/** Of a few bytes Chromium takes it for a placeholder, and for no content. */
const hero = `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="500"><!--${'x'.repeat(60_000)}-->
<rect width="900" height="500" fill="navy"/></svg>`;

const types: Record<string, [type: string, body: string]> = {
  '/': ['text/html', html],
  '/site.css': ['text/css', style],
  '/hero.svg': ['image/svg+xml', hero],
};

async function lateImageSite() {
  const asked: string[] = [];
  let held: Array<() => void> | null = null;
  const answer: Parameters<typeof hintedServer>[0] = ({ url = '' }, res) => {
    const [type, body] = types[url] ?? ['text/plain', ''];
    res.writeHead(200, { 'Content-Type': type }).end(body);
  };
  const site = await hintedServer(answer, {
    clientOf: addressOf,
    before(req, res, next) {
      asked.push(req.url ?? '');
      // The test is about the image alone.
      if (req.url !== '/site.css') next();
      else if (held === null) answer(req, res);
      else held.push(() => answer(req, res));
    },
  });
  return {
    ...{ ...site, asked },
    /** Style sheets wait. */
    hold: () => {
      held = [];
    },
    release: () => {
      for (const answer of held ?? []) answer();
      held = null;
    },
  };
}

const largestIsImage = `new Promise((resolve) => new PerformanceObserver((list) => {
  if (list.getEntries().some(({ url }) => url.endsWith('/hero.svg'))) resolve();
}).observe({ type: 'largest-contentful-paint', buffered: true }))`;

describe.skipIf(!hasChromium)('Chromium', () => {
  const browser = sharedBrowser();

  it('preloads the largest image that visitors before it had', async () => {
    await using site = await lateImageSite();
    const { url } = site;
    const visitor = (number: number) => visitorFrom(browser(), url, `192.0.2.${number}`);
    const known = () =>
      site.prefetchd.hints({ url: '/', kind: 'object' }).flatMap(({ url, isLargest }) => {
        return isLargest ? [url] : [];
      });
    for (const number of [1, 2]) {
      expect(known()).not.toContain('/hero.svg');
      await using someone = await visitor(number);
      await someone.page.goto(url);
      await someone.page.evaluate(largestIsImage);
      const shown = site.prefetchd.stats().notLearned.shown ?? 0;
      await someone.page.goto('about:blank');
      await eventually(() => (site.prefetchd.stats().notLearned.shown ?? 0) > shown, 'it is left');
    }
    await eventually(() => known().includes('/hero.svg'), 'the image is known');
    site.hold();
    site.asked.length = 0;
    await using someone = await visitor(3);
    const going = someone.page.goto(url);
    await eventually(() => site.asked.includes('/hero.svg'), 'the image, without the style sheet');
    site.release();
    await going;
    await someone.page.evaluate(largestIsImage);
    expect(site.asked.filter((path) => path === '/hero.svg')).toHaveLength(1);
    expect(someone.said.join()).not.toContain('preload');
  });
});
