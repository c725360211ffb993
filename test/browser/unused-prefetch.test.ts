// What a page fetched ahead in vain is counted when its browser says so: in Chromium 156 behind a switch
// (performance.getSpeculations, https://github.com/WICG/speculative_load_measurement).

import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { Tab } from '../../lab/walk/visitors/tab.ts';
import { createPrefetchd } from '../../prefetchd/index.ts';
import { hints } from '../../server/index.ts';
import { hasChromium } from '../support/chromium.ts';
import { Devtools } from '../support/devtools.ts';
import { eventually } from '../support/eventually.ts';
import { salted } from '../support/known-salt.ts';
import { closeAll, readPages, urlOf, userAgent } from './set-up.ts';

const html = `<!doctype html><title>shop</title><script src="/prefetch-beacon.js" async></script>
<p><a href="/next#part">next</a>`;

/** Everybody who was at `/` opened both other pages, so both are prefetched at once. */
async function hintedShop() {
  const prefetchd = createPrefetchd({ load: () => 0, ...salted });
  const middleware = hints({ prefetchd });
  const prefetched = new Set<string>();
  const server = createServer((req, res) => {
    const { url = '', headers } = req;
    if (headers['sec-purpose'] !== undefined) prefetched.add(url);
    middleware(req, res, () => res.setHeader('Content-Type', 'text/html').end(html));
  });
  for (let visitor = 0; visitor < 10; visitor++) {
    readPages(prefetchd, `192.0.2.${visitor} Firefox`, ['/', '/next', '/other']);
  }
  return {
    ...{ prefetchd, prefetched, url: await urlOf(server) },
    [Symbol.asyncDispose]: () => closeAll(server, middleware, prefetchd),
  };
}

const launch = () =>
  Devtools.launch([`--user-agent=${userAgent}`, '--enable-features=SpeculationMeasurement']);

describe.skipIf(!hasChromium)('what a page fetched ahead in vain', () => {
  it('is wasted as soon as the visitor leaves the site', async () => {
    await using shop = await hintedShop();
    await using devtools = await launch();
    await using tab = await Tab.open(devtools);
    await tab.goto(`${shop.url}/`);
    await eventually(() => shop.prefetched.size === 2, 'both pages are prefetched');
    expect(shop.prefetchd.stats().hints).toMatchObject({ taken: 2, wasted: 0 });
    await tab.goto('about:blank');
    await eventually(() => shop.prefetchd.stats().hints.wasted === 2, 'both are wasted');
  });

  it('is not what was opened', async () => {
    await using shop = await hintedShop();
    await using devtools = await launch();
    await using tab = await Tab.open(devtools);
    await tab.goto(`${shop.url}/`);
    await eventually(() => shop.prefetched.size === 2, 'both pages are prefetched');
    await tab.evaluate(`document.querySelector('a').click()`);
    await tab.shows(`${shop.url}/next#part`);
    await eventually(() => shop.prefetchd.stats().hints.used === 1, 'the second one is shown');
    expect(shop.prefetchd.stats().hints).toMatchObject({ used: 1, wasted: 1 });
  });
});
