// What Chromium does with shared dictionaries: the second page of a template comes to it in dcz, and it shows
// the right text. Over https with a test's own certificate it offers nothing.

import { describe, expect, it } from 'vitest';
import { createOrigin, dictionaries } from '../../server/index.ts';
import { pageOf } from '../server/dictionaries/pages.ts';
import { makeSite } from '../server/site.ts';
import { hasChromium, launchChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { reader, sharedBrowser } from './set-up.ts';

describe.skipIf(!hasChromium)('shared dictionaries', () => {
  const browser = sharedBrowser(launchChromium);

  it('over http to localhost', async () => {
    await using files = await makeSite({ 'a/1.html': pageOf('one'), 'a/2.html': pageOf('two') });
    const shelf = dictionaries();
    const codings: [path: string, accepted: string, coding: string][] = [];
    await using origin = createOrigin(files.folder, {
      handlers: [
        (req, res, next) => {
          res.once('close', () => {
            const { getHeader } = res as unknown as { getHeader(name: string): unknown };
            const coding = String(getHeader.call(res, 'content-encoding') ?? '');
            codings.push([req.url ?? '', String(req.headers['accept-encoding']), coding]);
          });
          next();
        },
        shelf,
      ],
      maxAgeSeconds: 300,
    });
    const { port } = await origin.listen({ host: '127.0.0.1' });
    await using someone = await reader(browser());
    const { page } = someone;
    const base = `http://localhost:${port}`;
    await page.goto(`${base}/a/1.html`);
    expect(await page.title()).toBe('one');
    // Chromium stores the dictionary in its own time: another page each time shows whether it has.
    await eventually(async () => {
      await page.goto(`${base}/a/2.html?${codings.length}`);
      return shelf.stats().coded > 0;
    }, 'a page in dcz');
    expect(await page.title()).toBe('two');
    expect(await page.locator('p').innerText()).toBe('two alone.');
    expect(await page.locator('li').count()).toBe(40);
    expect(codings.at(-1)?.[2]).toBe('dcz');
  });
});
