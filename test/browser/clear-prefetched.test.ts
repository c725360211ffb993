// Chromium drops what it prefetched when a response says so: the click asks again.

import { describe, expect, it } from 'vitest';
import { clearPrefetched, type Handler } from '../../server/index.ts';
import { hasChromium } from '../support/chromium.ts';
import { hintedSite, reader, readOn, sharedBrowser } from './set-up.ts';

const [first, second] = ['/', '/beginnings/'] as const;

const login =
  (isCleared: boolean): Handler =>
  (req, res, next) => {
    if (req.url !== '/login') return next();
    if (isCleared) clearPrefetched(res);
    res.end('welcome');
  };

describe.skipIf(!hasChromium)('what was prefetched before a login', () => {
  const browser = sharedBrowser();

  it.each([
    ['with clearPrefetched is fetched again', true],
    ['without is shown from the prefetch', false],
  ])('%s', async (_, isCleared) => {
    await using hinted = await hintedSite(
      { speculationRules: true },
      { pageSeconds: 0, behind: [login(isCleared)] },
    );
    await hinted.teach(first, second);
    await using someone = await reader(browser());
    await someone.page.goto(hinted.site.url);
    await hinted.prefetched(second);
    await someone.page.evaluate("fetch('/login', { method: 'POST' }).then((it) => it.text())");
    const before = hinted.site.requests.filter(({ path }) => path === second).length;
    const delivery = await readOn(someone.page);
    expect(delivery === 'navigational-prefetch').toBe(!isCleared);
    const after = hinted.site.requests.filter(({ path }) => path === second).length;
    expect(after - before).toBe(isCleared ? 1 : 0);
  });
});
