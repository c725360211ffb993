// Prerendering in Chromium, over the DevTools protocol itself: the likeliest page is prerendered, says nothing until it
// is shown, and then how long it took from that moment on. Its beacon needs no more than a strict policy allows.

import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { Tab } from '../../lab/walk/visitors/tab.ts';
import type { Beacon } from '../../prefetchd/wire/beacon.ts';
import { hasChromium } from '../support/chromium.ts';
import { Devtools } from '../support/devtools.ts';
import { eventually } from '../support/eventually.ts';
import { hintedServer, readPages, userAgent } from './set-up.ts';

const policy = "default-src 'none'; script-src 'self'; connect-src 'self'";
/** What a page takes at the site, ms: a time to first byte that is no smaller was not one from the activation on. */
const delayMs = 1000;
/** Load waits for scripts, the beacon's as well. */
const saysLoaded = "addEventListener('load', () => fetch('/loaded?' + location.pathname))";

async function beaconSite() {
  const beacons: Partial<Beacon>[] = [];
  const prerendered: string[] = [];
  const loaded: string[] = [];
  const site = await hintedServer(
    ({ url = '' }, res) => {
      if (url === '/loaded.js') {
        return void res.setHeader('Content-Type', 'text/javascript').end(saysLoaded);
      }
      res.setHeader('Content-Type', 'text/html').setHeader('Content-Security-Policy', policy);
      const scripts =
        '<script src="/prefetch-beacon.js" async></script><script src="/loaded.js"></script>';
      const html = `<!doctype html><title>${url}</title>${scripts}<p><a href="/next">${url}</a>`;
      setTimeout(() => res.end(html), delayMs);
    },
    {
      engine: { prerender: 'immediate' },
      async before(req, res, next) {
        const { url = '', headers, method } = req;
        if (String(headers['sec-purpose']).includes('prerender')) prerendered.push(url);
        if (method === 'POST') beacons.push(JSON.parse(await text(req)));
        else if (url.startsWith('/loaded?')) loaded.push(url.slice('/loaded?'.length));
        else return next();
        res.writeHead(204).end();
      },
    },
  );
  for (let visitor = 0; visitor < 10; visitor++) {
    const client = `192.0.2.${visitor} Firefox`;
    for (const page of ['/', '/next']) {
      readPages(site.prefetchd, client, [page]);
      readPages(site.prefetchd, client, [page], { shown: true, tellsShown: true });
    }
  }
  return { ...site, beacons, prerendered, loaded };
}

describe.skipIf(!hasChromium)('a page that is almost certain to come next', () => {
  it('is prerendered; its beacon is silent until it is shown, and counts from then on', async () => {
    await using site = await beaconSite();
    await using devtools = await Devtools.launch([`--user-agent=${userAgent}`]);
    await using tab = await Tab.open(devtools);
    const saidOf = (page: string, moment: Beacon['moment']) =>
      site.beacons.filter((beacon) => beacon.page === page && beacon.moment === moment);

    await tab.goto(`${site.url}/`);
    await eventually(
      () => saidOf('/', 'shown').length === 1,
      'a strict policy lets the beacon out',
    );
    await eventually(() => site.loaded.includes('/next'), 'the next page has loaded');
    expect(site.prerendered).toContain('/loaded?/next');
    expect(site.beacons.filter(({ page }) => page === '/next')).toEqual([]);

    const at = await tab.evaluate<{ x: number; y: number }>(`(() => {
      const { x, y } = document.querySelector('a').getBoundingClientRect();
      return { x: x + 3, y: y + 3 };
    })()`);
    await tab.move(at);
    await tab.press(at);
    await tab.release(at);
    await tab.shows(`${site.url}/next`);
    const activationMs = await tab.evaluate<number>(
      "performance.getEntriesByType('navigation')[0].activationStart",
    );
    expect(activationMs).toBeGreaterThan(delayMs);
    await eventually(() => saidOf('/next', 'shown').length > 0, 'it says that it is shown');
    const [shown] = saidOf('/next', 'shown');
    expect(shown).toMatchObject({ from: '/', navigation: 'navigate' });
    expect(Math.abs((shown?.activationMs ?? 0) - activationMs)).toBeLessThan(1);

    await tab.goto('about:blank');
    await eventually(() => saidOf('/next', 'left').length > 0, 'it says how long it took');
    const [left] = saidOf('/next', 'left');
    expect(left).toMatchObject({ from: '/', ttfbMs: 0 });
    expect(left?.fcpMs).toBeLessThan(delayMs);
    expect(saidOf('/next', 'shown')).toHaveLength(1);
    expect(saidOf('/', 'left')[0]?.ttfbMs).toBeGreaterThanOrEqual(delayMs);
  });
});
