// The figures of the dashboard in Chromium, each against what was done to the service before.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dropReasons } from '../../../prefetchd/rules/eligibility.ts';
import { SqliteGraphStore } from '../../../prefetchd/store/sqlite/sqlite-graph-store.ts';
import { sharedBrowser } from '../../browser/set-up.ts';
import { hasChromium, launchChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { folderOfTest } from '../../support/folder-of-tests.ts';
import { access, running } from '../service/ask.ts';
import { opened } from './browser.ts';
import { walk } from './watched.ts';

/** Long enough on a machine that is busy. */
const soon = { timeout: 15_000 };
const site = { minClients: 3, window: 2 };

const textOf = (page: Page, id: string) => page.locator(`#${id}`).textContent();

/** The facts about the store, by name. */
async function factsOf(page: Page): Promise<Record<string, string | undefined>> {
  const [names, values] = await Promise.all(
    ['dt', 'dd'].map((tag) => page.locator(`#service-facts ${tag}`).allTextContents()),
  );
  return Object.fromEntries(names?.map((name, at) => [name, values?.[at]]) ?? []);
}

describe.skipIf(!hasChromium)('the figures of the dashboard in Chromium', () => {
  const browser = sharedBrowser(launchChromium);

  it('what visitors gained: clicks on pages alone, now and over time, in sums that add up', async () => {
    let nowMs = Date.now();
    await using service = await running({
      prefetchd: { ...site, flushIntervalMs: 10, now: () => nowMs },
    });
    const learn = (client: string, url: string, more: object) =>
      service.post('/v1/accesses', access(`198.51.100.${client} Firefox`, url, more));
    const shown = { shown: true, tellsShown: true };
    // Three open /b after /a; for two of them it was prefetched, as it was for a third, who stays on /a.
    for (const visitor of ['1', '2', '3', '4']) {
      // The last one came from nobody knows where.
      await learn(visitor, '/a', visitor === '4' ? {} : { entry: true });
      await learn(visitor, '/a', shown);
      await learn(visitor, '/style.css', { kind: 'object', page: '/a' });
      await learn(visitor, '/image.png', { kind: 'object', prefetch: true, page: '/a' });
      if (visitor !== '1')
        await learn(visitor, '/b', { prefetch: true, page: '/a', byRules: true });
      if (visitor === '4') continue;
      await learn(visitor, '/b', { page: '/a' });
      await learn(visitor, '/b', { ...shown, page: '/a' });
      const vitals = { ttfbMs: visitor === '1' ? 3000 : 0, fcpMs: null, lcpMs: null, inpMs: null };
      await learn(visitor, '/b', { page: '/a', vitals });
    }
    nowMs += 10_000;
    const { watch } = service.prefetchd;
    await eventually(() => watch.overview().series.clicks.length === 1, 'a sample is taken');
    await using dashboard = await opened(browser(), service.url);
    const { page } = dashboard;
    await page.locator('main').waitFor();
    expect(await textOf(page, 'instant')).toBe('2');
    expect(await textOf(page, 'share')).toBe('67 %');
    expect(await textOf(page, 'share-of')).toBe('2 of 3 clicks');
    expect(await textOf(page, 'saved')).toBe('6 s');
    expect(await textOf(page, 'used')).toBe('67 %');
    expect(await textOf(page, 'used-of')).toBe('2 used, 1 not, so far');
    expect(await page.locator('#clicks-chart svg').getAttribute('aria-label')).toBe(
      '2 of 3 clicks were instant in 10 s',
    );
    const heights = (bars: string) =>
      page.locator(bars).evaluateAll((all) => all.map((bar) => Number(bar.getAttribute('height'))));
    const full = 42; // of 44, the highest
    expect(await heights('#clicks-chart .used')).toEqual([(full * 2) / 3]);
    expect(await heights('#clicks-chart .other')).toEqual([full / 3]);
    expect(await page.locator('main').textContent()).not.toMatch(/style\.css|image\.png/);
  });

  it('explains every reason in words, and says that memory is lost', async () => {
    await using service = await running({ prefetchd: site });
    const reasons = [...dropReasons, 'malformed', 'query', 'repeat', 'flood', 'trial', 'unproven'];
    const unasked = ['shown', 'prefetch'];
    await using dashboard = await opened(browser(), service.url);
    const { page } = dashboard;
    for (const reason of reasons.filter((name) => !unasked.includes(name))) {
      service.prefetchd.dropped(reason as (typeof dropReasons)[number]);
      await expect.poll(() => textOf(page, 'dropped'), soon).not.toBe('');
    }
    const script = await (await page.request.get(`${service.url}/dashboard/app.js`)).text();
    for (const reason of reasons) expect(script).toMatch(new RegExp(`\\b'?${reason}'?[:,\\]]`));
    const counts = page.locator('#dropped .number');
    await expect.poll(() => counts.last().textContent(), soon).toBe(`${reasons.length - 1 - 8}`);
    expect(await textOf(page, 'dropped-sum')).toBe(`${reasons.length - 1}`);
    expect(await textOf(page, 'version')).toContain('in memory only: lost at restart');
  });

  it('names pages of other hosts by their host', async () => {
    await using service = await running({ prefetchd: site });
    for (const host of ['main.example', 'blog.example']) {
      for (const visitor of [1, 2, 3, 4]) {
        for (const url of ['/a', '/b']) {
          const client = `198.51.100.${visitor} Firefox`;
          await service.post('/v1/accesses', { ...access(client, url), host });
        }
      }
    }
    await using dashboard = await opened(browser(), service.url);
    const { page } = dashboard;
    await page.locator('#top button', { hasText: 'blog.example/a' }).click();
    await expect
      .poll(() => page.locator('#graph .level-1 .url').textContent(), soon)
      .toBe('blog.example/b');
    expect(await page.locator('main').textContent()).not.toContain('http://blog');
  });

  it('a trial says that it is one', async () => {
    await using service = await running({ prefetchd: { trial: true } });
    await using dashboard = await opened(browser(), service.url);
    await dashboard.page.getByText('This is a trial').waitFor();
  });

  it('where one visitor is enough, it says so in the singular', async () => {
    await using service = await running({ prefetchd: { ...site, minClients: 1 } });
    await walk(service, ['/alone'], 1);
    await using dashboard = await opened(browser(), service.url);
    const row = dashboard.page.locator('#visits tr').first();
    await expect
      .poll(() => row.textContent(), soon)
      .toContain('hidden: no link with 1 visitor yet');
    expect(await row.textContent()).not.toContain('visitors');
    expect(await dashboard.page.locator('footer').textContent()).toContain(
      'once 1 visitor followed',
    );
  });

  it('a store that fails, and works again: SQLite that another program writes to', async () => {
    const folder = folderOfTest();
    const path = join(folder, 'busy.db');
    const store = new SqliteGraphStore(path, { busyTimeoutMs: 20 });
    await using service = await running({ prefetchd: { ...site, store, flushIntervalMs: 100 } });
    await service.prefetchd.ready;
    await using dashboard = await opened(browser(), service.url);
    const { page } = dashboard;
    await page.getByText('Live', { exact: true }).waitFor();
    const facts = await factsOf(page);
    expect(facts).toMatchObject({ 'Kept in': store.name });
    expect(facts['Last stored']).toMatch(/^\d\d:\d\d:\d\d$/);
    expect(facts).not.toHaveProperty('Cannot be stored');

    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    await walk(service, ['/a', '/b'], 1);
    await page.getByText('Live, but what was learned cannot be stored').waitFor();
    const failing = await factsOf(page);
    expect(failing['Cannot be stored']).toMatch(/busy\.db.*another process/);

    other.exec('ROLLBACK');
    await page.getByText('Live', { exact: true }).waitFor();
    await expect.poll(() => factsOf(page), soon).not.toHaveProperty('Cannot be stored');
  });
});
