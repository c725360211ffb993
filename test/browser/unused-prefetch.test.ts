// What a page fetched ahead in vain is counted when its browser says so: in Chromium 156 behind a switch
// (performance.getSpeculations, https://github.com/WICG/speculative_load_measurement).

import { describe, expect, it } from 'vitest';
import { Tab } from '../../lab/walk/visitors/tab.ts';
import { hasChromium } from '../support/chromium.ts';
import { Devtools } from '../support/devtools.ts';
import { eventually } from '../support/eventually.ts';
import { hintedServer, readPages, userAgent } from './set-up.ts';

const html = `<!doctype html><title>shop</title><script src="/prefetch-beacon.js" async></script>
<p><a href="/next#part">next</a>`;

/** Everybody who was at `/` opened both other pages, so both are prefetched at once. */
async function hintedShop() {
  const prefetched = new Set<string>();
  const shop = await hintedServer(({ url = '', headers }, res) => {
    if (headers['sec-purpose'] !== undefined) prefetched.add(url);
    res.setHeader('Content-Type', 'text/html').end(html);
  });
  for (let visitor = 0; visitor < 10; visitor++) {
    readPages(shop.prefetchd, `192.0.2.${visitor} Firefox`, ['/', '/next', '/other']);
  }
  return { ...shop, prefetched };
}

describe.skipIf(!hasChromium)('what a page fetched ahead in vain', () => {
  it.each([
    ['is all of it when the visitor leaves the site', '', { used: 0, wasted: 2 }],
    ['is not what was opened', '/next#part', { used: 1, wasted: 1 }],
  ])('%s', async (_, opened, hints) => {
    await using shop = await hintedShop();
    const flags = [`--user-agent=${userAgent}`, '--enable-features=SpeculationMeasurement'];
    await using devtools = await Devtools.launch(flags);
    await using tab = await Tab.open(devtools);
    await tab.goto(`${shop.url}/`);
    await eventually(() => shop.prefetched.size === 2, 'both pages are prefetched');
    expect(shop.prefetchd.stats().hints).toMatchObject({ taken: 2, wasted: 0 });
    if (opened === '') await tab.goto('about:blank');
    else {
      await tab.evaluate(`document.querySelector('a').click()`);
      await tab.shows(shop.url + opened);
    }
    const counts = () => shop.prefetchd.stats().hints;
    await eventually(() => counts().used + counts().wasted === 2, 'both are judged');
    expect(counts()).toMatchObject(hints);
  });
});
