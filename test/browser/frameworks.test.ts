// Chromium shows what it prefetched by the hints of sites in other frameworks than Express.

import { expect, it } from 'vitest';
import { frameworks } from '../server/web/sites.ts';
import { hasChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { openBrowser, reader, sharedBrowser } from './set-up.ts';

const browser = hasChromium ? sharedBrowser(openBrowser) : null;

it.skipIf(browser === null).each(frameworks)(
  '%s: three visitors teach, and a fourth clicks',
  async (_, start) => {
    const { url, teach } = await start();
    await teach('/', '/news');
    await using someone = await reader(browser?.() as never);
    const { page, context } = someone;
    const session = await context.newCDPSession(page);
    let isAhead = false;
    session.on('Preload.prefetchStatusUpdated', ({ status }) => {
      isAhead ||= status === 'Ready';
    });
    await session.send('Preload.enable');
    await page.goto(`${url}/`);
    await page.getByRole('link').hover();
    await eventually(() => isAhead, 'a prefetch');
    await page.getByRole('link').click();
    await page.waitForURL(`${url}/news`);
    const delivery = 'performance.getEntriesByType("navigation")[0].deliveryType';
    expect(await page.evaluate(delivery)).toBe('navigational-prefetch');
  },
);
