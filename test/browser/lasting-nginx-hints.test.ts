// Many visitors with Chromium behind nginx, whose log or mirror is all that prefetchd knows of them, at all defaults:
// hints that are followed stay, and stay true.

import { describe, expect, it } from 'vitest';
import { linkByHeaders } from '../e2e/nginx-changes.ts';
import type { Answer } from '../e2e/nginx-set-up.ts';
import { nginxSite } from '../e2e/nginx-site.ts';
import { hasChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { folderOfTest } from '../support/folder-of-tests.ts';
import { newsSite, nextPages } from '../support/news-site.ts';
import { whyNoNginx } from '../support/nginx.ts';
import { sharedBrowser, visitorFrom } from './set-up.ts';

const visitors = 20;
/** Before, one visitor more or less changes a probability by more than is tolerated. */
const few = 10;
const threshold = 0.2;
/** How many of the visitors of the start page go to the news. */
const truth = 0.7;

const lifetime = { cacheControl: 'max-age=300' };

const examples = { log: 'nginx.conf', mirror: 'mirror.conf' } as const;

/** All visitors come from one address: they bring another one. A field would not be in prefetches by rules. */
const ofCookie = { $remote_addr: '$cookie_address' };
const addressOf = (visitor: number) => `192.0.2.${visitor + 1}`;

describe.skipIf(!hasChromium || whyNoNginx !== '')(`hints by nginx ${whyNoNginx}`, () => {
  const browser = sharedBrowser();

  // Every teacher with every way is walked in test/e2e/prefetched-visits.test.ts.
  it.each([
    ['log', 'speculation rules', 'navigational-prefetch', {}, {}],
    ['mirror', 'Link', 'cache', lifetime, linkByHeaders()],
  ] as const)(
    'whose %s teaches, by %s stay true, of 20 visitors',
    async (teacher, _, delivery, options, changes) => {
      const prefetched: string[] = [];
      const pages = newsSite(options);
      const answer: Answer = (request, response) => {
        const { cookie, 'sec-purpose': purpose } = request.headers;
        if (purpose !== undefined) prefetched.push(`${cookie} ${request.url}`);
        pages(request, response);
      };
      const all = { ...changes, ...ofCookie };
      await using site = await nginxSite(folderOfTest(), {
        example: examples[teacher],
        ...{ answer, changes: all },
      });
      const next = nextPages({ '/news': truth, '/other': 1 - truth });
      const shown: string[] = [];
      const overlooked: string[] = [];
      for (let visitor = 0; visitor < visitors; visitor++) {
        const path = next.next().value;
        const link = `a[href="${path}"]`;
        const address = addressOf(visitor);
        await using someone = await visitorFrom(browser(), site.url, address);
        const { page } = someone;
        const isHinted = (await site.probability('/', path)) > threshold;
        await page.goto(site.url);
        await page.hover(link);
        const seen = `address=${address} ${path}`;
        const isTold = () => prefetched.includes(seen);
        // On a busy machine Chromium once overlooked a hint that it had got.
        if (isHinted) await eventually(isTold, '').catch(() => overlooked.push(seen));
        await page.click(link);
        await page.waitForFunction(`document.title === ${JSON.stringify(path)}`);
        shown.push(
          await page.evaluate("performance.getEntriesByType('navigation')[0].deliveryType"),
        );
        if (isTold()) expect([visitor, shown.at(-1)]).toEqual([visitor, delivery]);
        await page.waitForLoadState('networkidle');
        await site.caughtUp?.();
        const said = await site.probability('/', '/news');
        if (visitor < few) continue;
        expect(Math.abs(said - truth), `after ${visitor + 1}: ${said}`).toBeLessThan(0.1);
      }
      expect(overlooked.length, `${overlooked}`).toBeLessThan(2);
      expect(shown.filter((from) => from === delivery).length).toBeGreaterThan(visitors * 0.6);
    },
  );
});
