// A holdback with Chromium: what it reports is what was measured beside it, in the pages.

import { describe, expect, it } from 'vitest';
import { engineOf } from '../../prefetchd/engine/prefetchd.ts';
import { hasChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { addressOf, hintedServer, readPages, sharedBrowser, visitorFrom } from './set-up.ts';

const way = ['/', '/1', '/2', '/3', '/4'];
/** What a page takes at the site, ms. */
const delayMs = 200;
/** Of each group: a report wants 30 at least. */
const visitorsOfGroup = 32;
const visitors = 2 * visitorsOfGroup;
const atOnce = 4;

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe.skipIf(!hasChromium)('the holdback', () => {
  const browser = sharedBrowser();

  it('reports the difference that the pages saw', { timeout: 300_000 }, async () => {
    const prefetched = new Map<string, number>();
    /** Whose last page has told what it saw. */
    const told = new Set<string>();
    await using site = await hintedServer(
      (req, res) => {
        const at = way.indexOf(req.url ?? '');
        if (at === -1) return void res.writeHead(204).end();
        res.setHeader('Content-Type', 'text/html');
        const visitor = addressOf(req) ?? '';
        const isPrefetch = req.headers['sec-purpose'] !== undefined;
        res.on('finish', () => {
          if (isPrefetch) prefetched.set(visitor, (prefetched.get(visitor) ?? 0) + 1);
        });
        const next = at + 1 < way.length ? `<a href="${way[at + 1]}">on</a>` : '';
        const beacon = '<script src="/prefetch-beacon.js" async></script>';
        const html = `<!doctype html><title>${req.url}</title>${beacon}${next}`;
        setTimeout(() => res.end(html), delayMs);
      },
      {
        clientOf: addressOf,
        engine: { holdback: 50 },
        before(req, res, next) {
          if (req.method === 'POST' && req.headers.referer?.endsWith(way.at(-1) ?? '')) {
            res.on('finish', () => told.add(addressOf(req) ?? ''));
          }
          next();
        },
      },
    );
    const { url, prefetchd } = site;
    const seen = { hinted: [] as number[], heldBack: [] as number[] };

    // So many that those who are under way leave the probability above 0.75.
    for (let visitor = 0; visitor < 60; visitor++) {
      readPages(prefetchd, `192.0.2.${visitor}`, way);
    }

    async function walk(address: string): Promise<void> {
      await using someone = await visitorFrom(browser(), url, address);
      const { page } = someone;
      const isHeldBack = engineOf(prefetchd).isHeldBack(address);
      await page.goto(url);
      for (const [at, path] of way.slice(1).entries()) {
        if (!isHeldBack) {
          await eventually(() => (prefetched.get(address) ?? 0) > at, `${path} is prefetched`);
        }
        await page.click('a');
        // Complete: the beacon's script has run. A page that is left before it reports nothing.
        await page.waitForFunction(
          `document.title === ${JSON.stringify(path)} && document.readyState === 'complete'`,
        );
        const ms = await page.evaluate<number>(
          "performance.getEntriesByType('navigation')[0].responseStart",
        );
        seen[isHeldBack ? 'heldBack' : 'hinted'].push(ms);
      }
      await page.goto('about:blank'); // the last page is left, too
      // A browser that is closed sends nothing more.
      await eventually(() => told.has(address), `${address} has told`);
    }

    const addresses = Array.from({ length: 250 }, (_, at) => `198.51.100.${at + 1}`);
    const isHeldBack = (address: string) => engineOf(prefetchd).isHeldBack(address);
    const heldBack = addresses.filter(isHeldBack).slice(0, visitorsOfGroup);
    const others = addresses.filter((address) => !isHeldBack(address)).slice(0, visitorsOfGroup);
    const waiting = heldBack.flatMap((address, at) => [address, others[at] as string]);
    const lane = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await walk(next);
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    const navigations = () => {
      const { hinted = 0, heldBack = 0 } = prefetchd.report()?.all[0]?.navigations ?? {};
      return hinted + heldBack;
    };
    // On a busy machine a page may be left before its beacon is sent.
    const most = visitors * (way.length - 1);
    await eventually(() => navigations() >= 0.95 * most, 'nearly all have told');

    const report = prefetchd.report();
    expect(report).toMatchObject({ isUneven: false });
    const [all] = report?.hinted ?? [];
    for (const group of ['hinted', 'heldBack'] as const) {
      const share = (all?.navigations[group] ?? 0) / seen[group].length;
      expect(share).toBeGreaterThanOrEqual(0.9);
      expect(share).toBeLessThanOrEqual(1);
    }
    const measured = mean(seen.hinted) - mean(seen.heldBack);
    expect(measured).toBeLessThan(-delayMs / 2);
    const ttfb = all?.measures.find((one) => one.of === 'ttfb');
    const [low, high] = ttfb?.interval ?? [0, 0];
    expect(low).toBeLessThanOrEqual(measured);
    expect(high).toBeGreaterThanOrEqual(measured);
    expect(report?.verdict).toBe('faster');
  });
});
