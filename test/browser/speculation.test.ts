// What Chromium does with the rules of `hints()`: the likeliest at once, others when the pointer comes to their link or rests there,
// no link that acts, and a tag for each.

import { describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { type HintedServer, hintedServer, reader, readPages, sharedBrowser } from './set-up.ts';

interface Site extends HintedServer {
  /** Paths that were prefetched, in order. */
  readonly prefetched: string[];
}

async function siteOf(links: readonly string[], fields: object = {}): Promise<Site> {
  const prefetched: string[] = [];
  const body = links.map((link) => `<p><a href="${link}">${link}</a>`).join('');
  const answer: Parameters<typeof hintedServer>[0] = ({ url = '', headers }, res) => {
    const path = url.replace(/\?.*/, '');
    if (path === '/favicon.ico') return void res.writeHead(204).end();
    if (headers['sec-purpose'] !== undefined) prefetched.push(url);
    res.writeHead(200, { 'Content-Type': 'text/html', ...fields });
    res.end(`<!doctype html><title>${path}</title>${body}`);
  };
  return { ...(await hintedServer(answer, { engine: { minClients: 1 } })), prefetched };
}

const walk = ({ prefetchd }: Site, visitor: number, pages: readonly string[]): void =>
  readPages(prefetchd, `192.0.2.${visitor} Firefox`, pages);

/** Visitors who went from / to each of these as often. */
function teach(site: Site, times: Readonly<Record<string, number>>): void {
  let visitor = 0;
  for (const [path, count] of Object.entries(times)) {
    for (let time = 0; time < count; time++) {
      walk(site, visitor++, ['/', path]);
    }
  }
}

describe.skipIf(!hasChromium)('speculation rules', () => {
  const browser = sharedBrowser();

  it('all links when the pointer rests on them, but none that acts, and hinted ones at once', async () => {
    const acting = ['/logout', '/cart', '/a?b=1', '/report.zip', '/posts/delete-5'];
    const links = ['/likely', ...acting, '/other'];
    await using site = await siteOf(links);
    site.prefetchd.tune({ otherLinks: 'moderate' });
    teach(site, { '/likely': 9, '/rare': 1 });
    await using someone = await reader(browser());
    await someone.page.goto(site.url);
    await eventually(() => site.prefetched.includes('/likely'), 'the likely page is prefetched');
    for (const path of links) await someone.page.hover(`a[href="${path}"]`);
    await eventually(() => site.prefetched.includes('/other'), 'the last link is prefetched');
    // Each of the others had its turn; the browser keeps two of them waiting at most.
    for (const path of acting) {
      await someone.page.hover(`a[href="${path}"]`);
      await someone.page.hover('a[href="/other"]');
    }
    expect(site.prefetched.filter((path) => acting.includes(path))).toEqual([]);
    expect(someone.said.join()).toBe('');
    const { prefetched } = site.middleware.stats();
    expect(prefetched).toMatchObject({ immediate: 1, links: 1, other: 0 });
  });

  it('a page from one half on is asked for when the pointer comes to its link, others when it rests there', async () => {
    await using site = await siteOf(['/often', '/rare']);
    // All go to /sure, which is fetched at once, 6 of 10 from there to /often, and 2 to /rare.
    for (let visitor = 0; visitor < 10; visitor++) {
      const last = visitor < 6 ? ['/often'] : visitor < 8 ? ['/rare'] : [];
      walk(site, visitor, ['/', '/sure', ...last]);
    }
    await using someone = await reader(browser());
    await someone.page.goto(site.url);
    await eventually(() => site.prefetched.includes('/sure'), 'the surest page is prefetched');
    expect(site.prefetched).toEqual(['/sure']);
    const pointAt = async (path: string) => {
      await someone.page.mouse.move(1, 1);
      await someone.page.hover(`a[href="${path}"]`);
    };
    await pointAt('/often');
    await eventually(() => site.prefetched.includes('/often'), 'the likely page is prefetched');
    const { stats } = site.middleware;
    expect(stats().prefetched).toMatchObject({ immediate: 1, eager: 1, moderate: 0 });
    await pointAt('/rare');
    await eventually(() => site.prefetched.includes('/rare'), 'the other page is prefetched');
    expect(stats().prefetched).toMatchObject({ eager: 1, moderate: 1 });
    expect(site.prefetched).toEqual(['/sure', '/often', '/rare']);
  });

  it('PATCH of prefetchd holds for the next page', async () => {
    await using site = await siteOf(['/a']);
    await using someone = await reader(browser());
    site.prefetchd.tune({ otherLinks: 'conservative' });
    await someone.page.goto(site.url);
    await someone.page.locator('a').hover();
    await someone.page.mouse.down();
    await eventually(() => site.prefetched.length > 0, 'a link that is pressed is prefetched');
    expect(site.prefetched).toEqual(['/a']);
    expect(site.middleware.stats().prefetched.links).toBe(1);
  });

  it('a prefetch under way serves a link that differs as No-Vary-Search allows', async () => {
    const fields = { 'No-Vary-Search': 'params=("from")' };
    await using site = await siteOf(['/next?from=menu'], fields);
    const { url } = site;
    // The response says it; the rules repeat it.
    const as = (agent: string) => ({ headers: { 'user-agent': `Mozilla/5.0 ${agent}` } });
    await fetch(`${url}/next`, as('Firefox/140.0'));
    teach(site, { '/next': 9 });
    await using someone = await reader(browser());
    await someone.page.goto(url);
    await eventually(() => site.prefetched.includes('/next'), 'prefetched');
    const rules = await (
      await fetch(`${url}/speculation-rules.json?url=/`, as('Firefox/141.0'))
    ).text();
    expect(rules).toContain('"expects_no_vary_search":"params=(\\"from\\")"');
    await someone.page.click('a');
    await someone.page.waitForFunction("document.title === '/next'");
    const delivery = "performance.getEntriesByType('navigation')[0].deliveryType";
    expect(await someone.page.evaluate(delivery)).toBe('navigational-prefetch');
    expect(someone.page.url()).toBe(`${url}/next?from=menu`);
  });
});
