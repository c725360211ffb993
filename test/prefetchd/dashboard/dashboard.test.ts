// The dashboard as people use it, in Chromium.

import { describe, expect, it } from 'vitest';
import { sharedBrowser } from '../../browser/set-up.ts';
import { hasChromium, launchChromium } from '../../support/chromium.ts';
import { running } from '../service/ask.ts';
import { compared } from '../service/compared.ts';
import { faintTexts, opened } from './browser.ts';
import { walk } from './watched.ts';

/** Long enough on a machine that is busy. */
const soon = { timeout: 15_000 };
const site = { minClients: 3, window: 2 };

const markControls = `(() => {
  const all = [...document.querySelectorAll('a, button, input, [tabindex="0"]')];
  const usable = all.filter((one) => one.checkVisibility() && !one.matches(':disabled'));
  for (const [index, control] of usable.entries()) control.dataset.control = index;
  return usable.length;
})()`;
const focusedControl = `({
  control: document.activeElement.dataset.control ?? null,
  isSeen: getComputedStyle(document.activeElement).outlineStyle !== 'none',
})`;

describe.skipIf(!hasChromium)('the dashboard in Chromium', () => {
  const browser = sharedBrowser(launchChromium);

  it('says how to begin while nothing was learned, under its policy and without a complaint', async () => {
    await using service = await running({ prefetchd: site });
    await using dashboard = await opened(browser(), service.url);
    const { page, complaints } = dashboard;
    await page.getByText('No pages yet').waitFor();
    expect(await page.locator('#example').textContent()).toContain(`curl ${service.url}/v1/hints`);
    const policy = (await page.request.get(service.url)).headers()['content-security-policy'] ?? '';
    for (const rule of ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'"]) {
      expect(policy).toContain(rule);
    }
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(complaints).toEqual([]);
  });

  it('shows an access soon after it came, and its page with what follows it', async () => {
    await using service = await running({ prefetchd: site });
    await using dashboard = await opened(browser(), service.url);
    const { page, complaints } = dashboard;
    await walk(service, ['/guide', '/guide/part-2', '/guide/part-3'], 4);
    const rows = page.locator('#visits tr');
    await expect.poll(() => rows.count(), soon).toBe(12);
    const latest = expect.poll(() => rows.first().textContent(), soon);
    await latest.toMatch(/\/guide\/part-3hinted, not prefetched$/);
    // The last visitor was hinted what the others had read.
    await page.locator('#top button', { hasText: /^\/guide\d/ }).click();
    const follower = page.locator('#graph .level-1');
    await follower.waitFor();
    const label = '/guide/part-2, 100 %, 4 visitors, hinted now';
    expect(await follower.getAttribute('aria-label')).toBe(label);
    expect(await page.locator('#graph .level-2').textContent()).toContain('/guide/part-3');
    expect(await page.locator('#graph path').count()).toBe(2);
    await follower.click();
    const shown = page.locator('#graph .level-0');
    await expect.poll(() => shown.textContent(), soon).toContain('part-2');
    expect(complaints).toEqual([]);
  });

  it('has what a holdback found on top, its alarm first, and nothing but a line while it is too early', async () => {
    const held = { prefetchd: { ...site, holdback: 50 } };
    const isAbove = `document.querySelector('#holdback').getBoundingClientRect().top <
      document.querySelector('.tiles').getBoundingClientRect().top`;
    for (const [visitors, isUneven, says] of [
      [0, false, null],
      [400, false, /faster on average/],
      [400, true, /Not to be trusted/],
    ] as const) {
      await using service = await running(held);
      await walk(service, ['/a', '/b'], 4);
      await compared(service, { visitors, isUneven });
      await using dashboard = await opened(browser(), service.url);
      const { page } = dashboard;
      const [found, early] = [page.locator('#holdback'), page.locator('#holdback-early')];
      await (says === null ? early : found).waitFor();
      expect(await found.isVisible()).toBe(says !== null);
      expect(await early.isVisible()).toBe(says === null);
      if (says === null) {
        expect(await early.textContent()).toMatch(/too early to say/);
        continue;
      }
      expect(await page.locator('#holdback-title').textContent()).toMatch(says);
      expect(await page.evaluate(isAbove)).toBe(true);
      expect(await found.getAttribute('data-state')).toBe(isUneven ? 'alarm' : 'found');
    }
  });

  it('shows hostile URLs as text, and what one visitor asked for not at all', async () => {
    await using service = await running({ prefetchd: site });
    const hostile = '/<img src=x onerror=document.title="taken">';
    await walk(service, ['/a', hostile, '/javascript:document.title="taken"', '/b'], 4);
    await walk(service, ['/a', '/only-of-one', '/b'], 1, 9);
    await using dashboard = await opened(browser(), service.url);
    const { page, complaints } = dashboard;
    await page.locator('#visits', { hasText: hostile }).waitFor();
    await page.locator('#top', { hasText: '/javascript:' }).waitFor();
    await page.locator('#top button', { hasText: '<img' }).click();
    await expect.poll(() => page.locator('#graph .level-0').textContent(), soon).toContain('<img');
    expect(await page.locator('img').count()).toBe(1); // the sign beside the name
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
    expect(await page.title()).toBe('prefetchd');
    expect(await page.content()).not.toContain('only-of-one');
    expect(complaints).toEqual([]);
  });

  it('the keyboard reaches every control, and sees where it is', async () => {
    await using service = await running({ prefetchd: site });
    await walk(service, ['/a', '/b', '/c'], 4);
    await using dashboard = await opened(browser(), service.url);
    const { page } = dashboard;
    await page.locator('#top button[title="/a"]').click();
    await page.locator('#graph .level-2').waitFor();
    const controls = await page.evaluate<number>(markControls);
    const reached = new Set<string>();
    for (let step = 0; step <= controls; step++) {
      await page.keyboard.press('Tab');
      type Focused = { control: string | null; isSeen: boolean };
      const { control, isSeen } = await page.evaluate<Focused>(focusedControl);
      if (control === null) continue;
      expect(isSeen).toBe(true);
      reached.add(control);
    }
    // Lists are drawn anew when they change, without the marks.
    expect(reached.size).toBeGreaterThanOrEqual(controls - 1);
    expect(controls).toBeGreaterThan(12);
  });

  it('with a token it asks for it, and keeps it in this tab only', async () => {
    const token = 'a-token-of-the-tests';
    await using service = await running({ prefetchd: site, service: { token } });
    await using dashboard = await opened(browser(), service.url);
    const { page } = dashboard;
    await page.getByLabel('Token').fill('another-token-of-them');
    await page.getByText('Show the dashboard').click();
    await page.getByText('This token is wrong.').waitFor();
    expect(await page.locator('main').isVisible()).toBe(false);
    await page.getByLabel('Token').fill(token);
    await page.keyboard.press('Enter');
    await page.locator('main').waitFor();
    const places = 'Object.values(sessionStorage), localStorage.length, document.cookie';
    const kept = await page.evaluate(`[${places}, location.href]`);
    expect(kept).toEqual([[token], 0, '', `${service.url}/`]);
    await page.reload();
    await page.locator('main').waitFor();
    const other = await page.context().newPage();
    await other.goto(service.url);
    await other.getByLabel('Token').waitFor();
  });

  it.each(['light', 'dark'] as const)(
    'is readable, %s, and fits a small screen',
    async (scheme) => {
      await using service = await running({ prefetchd: site });
      const long = `/${'a-long-name-of-a-page'.repeat(8)}`;
      await walk(service, ['/a', long, '/c'], 7);
      await walk(service, ['/logout', '/only-of-one'], 1);
      const viewport = { width: 375, height: 667 };
      await using dashboard = await opened(browser(), service.url, {
        viewport,
        colorScheme: scheme,
      });
      const { page } = dashboard;
      await page.locator('#top button[title="/a"]').click();
      await page.locator('#graph .level-2').waitFor();
      expect((await faintTexts(page)).faint).toEqual([]);
      for (const width of [375, 320, 800, 1280]) {
        await page.setViewportSize({ width, height: 667 });
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect(overflow, `at ${width} px`).toBe(0);
      }
      expect((await faintTexts(page)).faint).toEqual([]);
    },
  );

  it('moves nothing for those who asked for less motion', async () => {
    await using service = await running({ prefetchd: site });
    await walk(service, ['/a', '/b'], 4);
    await using dashboard = await opened(browser(), service.url, { reducedMotion: 'reduce' });
    const { page } = dashboard;
    await page.locator('#graph .level-1').waitFor();
    await walk(service, ['/a', '/b'], 1, 9);
    await expect.poll(() => page.locator('#visits tr.new').count(), soon).toBe(2);
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
  });

  it('two tabs show the same, and paused ones stand still', async () => {
    await using service = await running({ prefetchd: site });
    await walk(service, ['/a', '/b'], 3);
    await using one = await opened(browser(), service.url);
    await using two = await opened(browser(), service.url);
    const rows = [one, two].map(({ page }) => page.locator('#visits tr'));
    for (const shown of rows) await expect.poll(() => shown.count(), soon).toBe(6);
    await two.page.getByRole('button', { name: 'Pause' }).click();
    await walk(service, ['/a', '/b'], 1, 5);
    await expect.poll(() => rows[0]?.count(), soon).toBe(8);
    await two.page.waitForResponse((response) => response.url().endsWith('/v1/overview'));
    expect(await rows[1]?.count()).toBe(6);
  });

  it('goes on by itself when the service was away', async () => {
    const first = await running({ prefetchd: site });
    const port = Number(new URL(first.url).port);
    await walk(first, ['/a', '/b'], 3);
    await using dashboard = await opened(browser(), first.url);
    const { page } = dashboard;
    await page.getByText('Live', { exact: true }).waitFor();
    await first[Symbol.asyncDispose]();
    await page.getByText('No answer, asking again').waitFor();
    await using second = await running({ prefetchd: site, where: { port } });
    await walk(second, ['/after', '/the-restart'], 3);
    await page.getByText('Live', { exact: true }).waitFor();
    await expect.poll(() => page.locator('#visits').textContent(), soon).toContain('/the-restart');
    expect(await page.locator('#visits').textContent()).not.toContain('/b');
  });
});
