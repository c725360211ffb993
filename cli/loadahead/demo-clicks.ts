// The first part of `loadahead demo`: a site learns from three visitors; then a fourth clicks through it, without hints
// and with them, in Chromium if this machine has it, else in the loader.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { textTable } from '../../loader/report/terminal.ts';
import { formatMs } from '../../loader/report/units.ts';
import { walkPages } from '../../loader/walk/walk.ts';
import { withConstants } from '../../options/options.ts';
import { createPrefetchd } from '../../prefetchd/engine/prefetchd.ts';
import { createService } from '../../prefetchd/service/service.ts';
import { product } from '../../process/version.ts';
import { hints } from '../../server/hints/hints.ts';
import type { Handler } from '../../server/listen/handler.ts';
import { createOrigin } from '../../server/origin/origin.ts';
import { findChromium, launchChromium } from '../chromium.ts';
import { nextCommand } from '../run-command.ts';

/** Number of visitors from whom the demo's site learns first: a hint needs so many visitors with the same path. */
const teachers = 3;
/** Number of links that a further visitor clicks: first on a site without hints, then on one that gives them. */
const clicks = 8;
/** How long the site takes for a page, ms: on one machine there is no latency that prefetching could save. */
const pageMs = 150;
/** How long the mouse rests on a link before the click, ms; without Chromium, how long the loader stays on a page. */
const restMs = 350;

export interface DemoClicks {
  /** Folder of the site's pages. */
  folder: string;
  /** True: the demo runs until it is interrupted, so that the dashboard can be viewed. */
  keep: boolean;
  say: (line: string) => void;
}

/** Runs the demo. @param then Runs after the clicks, before the site closes or (`keep`) waits for Ctrl-C. */
export async function demoClicks(
  { folder, keep, say }: DemoClicks,
  then: () => Promise<void>,
): Promise<void> {
  const prefetchd = createPrefetchd({ load: () => 0 });
  const prefetch = hints({ prefetchd, trustProxy: 'loopback' });
  const site = createOrigin(folder, { maxAgeSeconds: 300, handlers: [prefetch, slowPages] });
  const plain = createOrigin(folder, { maxAgeSeconds: 300, handlers: [slowPages] });
  const service = createService(prefetchd);
  try {
    const [{ url }, { url: plainUrl }] = await Promise.all([site.listen(), plain.listen()]);
    const list = join(folder, 'walk.json');
    const paths = JSON.parse(await readFile(list, 'utf8')) as string[];
    const visitors = Array.from({ length: teachers }, (_, index) => index + 1);
    const clicked = paths.slice(0, clicks + 1);
    await Promise.all(visitors.map((visitor) => clickInLoader(url, clicked, visitor, false)));
    const found = await browserOrReason();
    const browser = typeof found === 'string' ? null : found;
    const where = browser
      ? `Chromium ${browser.version().split('.')[0]}`
      : `loadahead's loader\n(no Chromium, because ${found})`;
    say(`A site of twelve pages, ${pageMs} ms each. Three visitors went this way, so it`);
    say(`knows it. A fourth clicks ${clicks} links, in ${where}:\n`);
    try {
      const without = await clickIn(browser, plainUrl, clicked, false);
      const with_ = await clickIn(browser, url, clicked, true);
      for (const line of table(clicked.slice(1), without, with_)) say(line);
    } finally {
      await browser?.close();
    }
    say('\nFrom the click until the page is there. With hints, the next page was fetched');
    say('ahead while the visitor was still on the one before.');
    await then();
    if (!keep) {
      say(
        `\nto look at the site and at what it learned:\n${nextCommand('loadahead', 'demo --keep')}`,
      );
      return;
    }
    const dashboard = await service.listen({ port: 0 });
    say('\nthe walk of one visitor, page by page (in another terminal):');
    say(
      nextCommand(
        'loadahead',
        `browse ${asArgument(list)} --origin ${url} --subresources --think ${restMs}`,
      ),
    );
    say(`\nthe site, while this runs:       ${url}/`);
    say(`what it learned, while this runs: ${dashboard.url}/`);
    say('Interrupt (Ctrl-C) to end.');
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  } finally {
    await service.close();
    await Promise.all([site.close(), plain.close()]);
    await prefetch.close();
    await prefetchd.close();
  }
}

const slowPages: Handler = ({ url = '' }, _, next) => {
  const isPage = /^[^?]*(?:\/|\.html)(?:\?|$)/.test(url);
  if (isPage) setTimeout(next, pageMs);
  else next();
};

/** Starts Chromium. @returns the browser, or the reason why there is none */
async function browserOrReason(): Promise<Browser | string> {
  const program = findChromium();
  if (program === null) return 'this machine has none where it is looked for';
  return launchChromium(program).catch(({ code }: NodeJS.ErrnoException) =>
    code === 'ERR_MODULE_NOT_FOUND' ? 'playwright-core is not installed' : 'it did not start',
  );
}

/** Returns how long the page behind each click took to show, ms; null: it did not load. */
const clickIn = (
  browser: Browser | null,
  url: string,
  paths: readonly string[],
  prefetches: boolean,
): Promise<(number | null)[]> =>
  browser === null
    ? clickInLoader(url, paths, teachers + 1, prefetches)
    : clickInChromium(browser, url, paths, prefetches);

async function clickInLoader(
  url: string,
  paths: readonly string[],
  visitor: number,
  prefetches: boolean,
): Promise<(number | null)[]> {
  const headers = {
    // The loader's own user agent counts as a robot, to which sites give no hints.
    'User-Agent': `Mozilla/5.0 ${product}`,
    'X-Forwarded-For': `192.0.2.${visitor}`,
  };
  const { pages } = await walkPages(
    paths.map((path) => ({ url: url + path, thinkMs: prefetches ? restMs : 0 })),
    {
      prefetch: prefetches ? { subresources: true } : null,
      loader: { extraHeaders: headers, ...withConstants({ prefetchMaxLoad: 1 }) },
    },
  );
  return pages.slice(1).map(({ load }) => load.timeMs);
}

/** JavaScript for the page: the time of its first paint, ms since the click. */
const paintedMs = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries()[0].startTime)).observe({ type: 'paint', buffered: true });
  setTimeout(resolve, 5000, null);
})`;

async function clickInChromium(
  browser: Browser,
  url: string,
  paths: readonly string[],
  prefetches: boolean,
): Promise<(number | null)[]> {
  // A browser without a window says so in its user agent, and counts as a robot.
  const [major] = browser.version().split('.');
  const userAgent = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`;
  const context = await browser.newContext({ userAgent });
  const page = await context.newPage();
  await page.goto(url + paths[0]);
  const times: (number | null)[] = [];
  for (const path of paths.slice(1)) {
    const links = page.locator('a[href]');
    const hrefs = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    const link = links.nth(
      hrefs.findIndex((href) => new URL(href ?? '', page.url()).pathname === path),
    );
    await link.hover();
    if (prefetches) await wait(restMs);
    await link.click();
    await page.waitForURL(url + path);
    times.push(await page.evaluate<number | null>(paintedMs));
  }
  await context.close();
  return times;
}

function table(
  paths: readonly string[],
  without: readonly (number | null)[],
  with_: readonly (number | null)[],
): string[] {
  const sum = (times: readonly (number | null)[]) =>
    times.reduce<number>((all, ms) => all + (ms ?? 0), 0);
  const rows = paths.map((path, index) => [
    path,
    formatMs(without[index] ?? null),
    formatMs(with_[index] ?? null),
  ]);
  const all = ['all', formatMs(sum(without)), formatMs(sum(with_))];
  return textTable([['click on a link to', 'without hints', 'with hints'], ...rows, all], 1);
}

/** Writes a path as an argument for a shell: relative if it is below the current folder, else unchanged. */
function asArgument(path: string): string {
  const fromHere = relative('', path);
  const shown = fromHere.startsWith('..') ? path : fromHere;
  return /^[\w./:\\@+-]+$/.test(shown) ? shown : `"${shown}"`;
}
