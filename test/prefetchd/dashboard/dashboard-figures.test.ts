// The figures of the dashboard in Chromium, each against what was done to the service before.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { RedisStore } from '../../../prefetchd/store/redis/redis-store.ts';
import { SqliteStore } from '../../../prefetchd/store/sqlite/sqlite-graph-store.ts';
import { hasChromium, launchChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { RedisServer, whyNoRedis } from '../../support/redis.ts';
import { access, running } from '../service/ask.ts';
import { opened } from './browser.ts';
import { walk } from './watched.ts';

/** Long enough on a machine that is busy. */
const soon = { timeout: 15_000 };
const site = { minClients: 3, window: 2 };

const textOf = (page: Page, id: string) => page.locator(`#${id}`).textContent();

/** Words of the chart of hits that its picture cuts; the longest there can be stands for the upper one. */
function cutLabels(page: Page): Promise<string[]> {
  return page.locator('#trade-off svg').evaluate((drawing) => {
    const labels = [...drawing.querySelectorAll('text')];
    const [top] = labels;
    if (top !== undefined) top.textContent = '100 %';
    const { width } = drawing.viewBox.baseVal;
    return labels
      .filter((label) => {
        const { x, width: wide } = label.getBBox();
        return x < 0 || x + wide > width;
      })
      .map(({ textContent }) => textContent ?? '');
  });
}

/** The facts about the store, by name. */
async function factsOf(page: Page): Promise<Record<string, string | undefined>> {
  const [names, values] = await Promise.all(
    ['dt', 'dd'].map((tag) => page.locator(`#store-facts ${tag}`).allTextContents()),
  );
  return Object.fromEntries(names?.map((name, at) => [name, values?.[at]]) ?? []);
}

describe.skipIf(!hasChromium)('the figures of the dashboard in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  it('hints given, used and wasted: now, and over time', async () => {
    let nowMs = Date.now();
    const rememberMs = 60_000;
    await using service = await running({
      prefetchd: { ...site, rememberMs, flushIntervalMs: 10, now: () => nowMs },
    });
    const isSampled = async (count: number) => {
      nowMs += 10_000;
      const { watch } = service.prefetchd;
      await eventually(() => watch.overview().series.given.length === count, 'a sample is taken');
    };
    await walk(service, ['/a', '/b'], 6); // three learn, and three are hinted what they then ask for
    await isSampled(1);
    await walk(service, ['/a'], 1, 6); // hinted /b, which it does not ask for
    await isSampled(2);
    nowMs += rememberMs;
    await isSampled(3);
    await using dashboard = await opened(browser, service.url);
    const { page } = dashboard;
    await page.locator('main').waitFor();
    expect(await textOf(page, 'given')).toBe('4');
    expect(await textOf(page, 'precision')).toBe('75 %');
    expect(await textOf(page, 'used')).toBe('3 used, 1 wasted');
    expect(await textOf(page, 'series-range')).toBe('last 30 s, 10 s each');
    expect(await textOf(page, 'given-sum')).toBe('4');
    expect(await textOf(page, 'used-sum')).toBe('75 %');
    expect(await textOf(page, 'learned-sum')).toBe('13');
    const heights = (bars: string) =>
      page.locator(bars).evaluateAll((all) => all.map((bar) => Number(bar.getAttribute('height'))));
    const full = 42; // of 44, the highest
    expect(await heights('#given-chart .given')).toEqual([full, full / 3]);
    expect(await heights('#used-chart .used')).toEqual([full]);
    expect(await heights('#used-chart .wasted')).toEqual([full / 3]);
    expect(await heights('#learned-chart .learned')).toEqual([full, full / 12]);
    expect(await page.locator('.time-axis span').allTextContents()).toEqual(
      Array(3).fill(['10 min ago', 'now']).flat(),
    );
    const said = await page
      .locator('.over-time svg')
      .evaluateAll((all) => all.map((drawing) => drawing.getAttribute('aria-label')));
    expect(said).toEqual([
      '4 hints given in 30 s',
      '3 hints used and 1 wasted in 30 s',
      '13 accesses learned in 30 s',
    ]);
  });

  it('bytes used and wasted, and the slider of i', async () => {
    await using service = await running({ prefetchd: { ...site, threshold: 0.3, limit: 3 } });
    await walk(service, ['/a', '/b'], 6);
    await walk(service, ['/a', '/c'], 4, 6);
    await using dashboard = await opened(browser, service.url);
    const { page } = dashboard;
    const column = async (side: string) =>
      Promise.all(
        ['hits', 'extra', 'precision', 'used-bytes', 'bytes'].map((name) =>
          textOf(page, `${side}-${name}`),
        ),
      );
    // /b and /c to all ten: each asks for one of them.
    const both = ['50.0 %', '+50.0 %', '50.0 %', '10.0 KB', '10.0 KB'];
    // /b alone: six of ten ask for it.
    const best = ['30.0 %', '+20.0 %', '60.0 %', '6.0 KB', '4.0 KB'];
    await expect.poll(() => column('try'), soon).toEqual(both);
    expect(await cutLabels(page)).toEqual([]);
    const slider = page.getByLabel('i: most hints per page');
    expect(await slider.getAttribute('aria-valuetext')).toBe('3');
    await slider.focus();
    await slider.press('ArrowLeft');
    expect(await textOf(page, 'i-out')).toBe('2');
    expect(await column('try')).toEqual(both);
    await slider.press('ArrowLeft');
    expect(await textOf(page, 'i-out')).toBe('1');
    expect(await column('try')).toEqual(best);
    expect(await column('now')).toEqual(both);
    await slider.press('End');
    expect(await slider.getAttribute('aria-valuetext')).toBe('no limit');
    await slider.press('Home');
    await slider.press('Enter');
    await page.getByText('Applied until the service ends').waitFor();
    expect(service.prefetchd.tune({})).toMatchObject({ threshold: 0.3, limit: 1 });
    await expect.poll(() => column('now'), soon).toEqual(best);
  });

  it('an object that many fetched, each two on a page of its own, is not said to be of few', async () => {
    await using service = await running({ prefetchd: site });
    const onPage = (visitor: number) => `/page-${Math.floor(visitor / 2)}`;
    const visit = (visitor: number) => {
      const client = `198.51.100.${visitor} Firefox`;
      return service.post('/v1/accesses', [
        access(client, onPage(visitor)),
        access(client, '/logo.png', { kind: 'object' }),
      ]);
    };
    for (let visitor = 0; visitor < 8; visitor++) await visit(visitor);
    await using dashboard = await opened(browser, service.url);
    const { page } = dashboard;
    // Pages alone, unless asked.
    await expect.poll(() => page.locator('#accesses tr').count(), soon).toBeGreaterThan(0);
    expect(await page.locator('#accesses').textContent()).not.toContain('object');
    await page.locator('#live-pages-only').uncheck();
    const object = page.locator('#accesses tr', { hasText: 'object' }).first();
    await expect
      .poll(() => object.textContent(), soon)
      .toContain('hidden: no link with 3 visitors yet');
    expect(await page.locator('footer').textContent()).toContain(
      '3 visitors have followed the same link',
    );
    await walk(service, ['/page-0'], 1, 8);
    await service.post('/v1/accesses', [
      access('198.51.100.8 Firefox', '/logo.png', { kind: 'object' }),
    ]);
    await expect.poll(() => object.textContent(), soon).toContain('/logo.png');
    expect(await page.locator('main').textContent()).not.toContain('fewer than');
  });

  it('where one visitor is enough, it says so in the singular', async () => {
    await using service = await running({ prefetchd: { ...site, minClients: 1 } });
    await walk(service, ['/alone'], 1);
    await using dashboard = await opened(browser, service.url);
    const row = dashboard.page.locator('#accesses tr').first();
    await expect
      .poll(() => row.textContent(), soon)
      .toContain('hidden: no link with 1 visitor yet');
    expect(await row.textContent()).not.toContain('visitors');
  });

  it('a store that fails, and works again: SQLite that another program writes to', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dashboard-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'busy.db');
    const store = new SqliteStore(path, { busyTimeoutMs: 20 });
    await using service = await running({ prefetchd: { ...site, store, flushIntervalMs: 100 } });
    await service.prefetchd.ready;
    await using dashboard = await opened(browser, service.url);
    const { page } = dashboard;
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await textOf(page, 'store')).toBe('healthy');
    expect(await textOf(page, 'store-more')).toBe('sqlite');
    const facts = await factsOf(page);
    expect(facts).toMatchObject({ 'Kept in': store.name, Failures: '0' });
    expect(facts['Last flush']).toMatch(/^\d\d:\d\d:\d\d$/);
    expect(Number(facts.Flushes)).toBeGreaterThan(0);
    expect(facts.Graph).toMatch(/^[\d.]+ [KM]?B$/);
    expect(facts).not.toHaveProperty('Last error');

    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    await walk(service, ['/a', '/b'], 1);
    await page.getByText('Live, but the store is failing').waitFor();
    expect(await textOf(page, 'store')).toBe('failing');
    expect(await page.locator('#store').getAttribute('data-state')).toBe('bad');
    const failing = await factsOf(page);
    expect(failing['Last error']).toMatch(/busy\.db.*another process/);
    expect(Number(failing.Failures)).toBeGreaterThan(0);

    other.exec('ROLLBACK');
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await textOf(page, 'store')).toBe('healthy');
    expect(await factsOf(page)).not.toHaveProperty('Last error');
  });

  it.skipIf(whyNoRedis !== '')('a store that fails: Redis that was ended', async () => {
    await using redis = await RedisServer.start();
    const store = new RedisStore(redis.url());
    await using service = await running({ prefetchd: { ...site, store, flushIntervalMs: 100 } });
    await service.prefetchd.ready;
    await using dashboard = await opened(browser, service.url);
    const { page } = dashboard;
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await textOf(page, 'store-more')).toBe('redis');
    await redis.kill();
    await page.getByText('Live, but the store is failing').waitFor();
    expect(await textOf(page, 'store')).toBe('failing');
    expect(await factsOf(page)).toHaveProperty('Last error');
  });

  it('a service without a store says so', async () => {
    await using service = await running({ prefetchd: site });
    await using dashboard = await opened(browser, service.url);
    await dashboard.page.locator('main').waitFor();
    expect(await textOf(dashboard.page, 'store-more')).toBe('in memory only');
    expect(await factsOf(dashboard.page)).toMatchObject({
      ...{ 'Kept in': 'memory only', 'Last flush': '–', Flushes: '0' },
    });
  });
});
