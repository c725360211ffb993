// The twelve pages behind `hints()`, visitors who have walked them before, and Chromium to walk them now.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  type RoundTrips,
  type RoundTripsOptions,
  serveRoundTrips,
} from '../../fixtures/round-trips.ts';
import { createPrefetchd, type Prefetchd, type PrefetchdOptions } from '../../prefetchd/index.ts';
import { type Handler, type Hints, type HintsOptions, hints } from '../../server/index.ts';
import { judged, browser as nameOfBrowser } from '../server/hints/set-up.ts';
import { hasChromium, launchChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { salted } from '../support/known-salt.ts';
import { visit } from '../support/visit.ts';

export interface HintedSite extends AsyncDisposable {
  readonly site: RoundTrips;
  readonly prefetch: Hints;
  readonly prefetchd: Prefetchd;
  /** Three visitors that were never here read these pages, one after the other. */
  teach(...paths: string[]): Promise<void>;
  /** The prefetches of a page that came, when there is one. */
  prefetched(path: string): Promise<number>;
}

export interface HintedSiteOptions extends Omit<RoundTripsOptions, 'handlers'> {
  /** Stand before the hints. */
  before?: readonly Handler[];
  /** Stand behind them, before the site's own. */
  behind?: readonly Handler[];
  /** How busy the process is. */
  load?: () => number;
}

/** As a person's browser says it: a headless one calls itself so, and is a bot to us. */
export const userAgent = nameOfBrowser;

export const openBrowser = (): Promise<Browser> =>
  // Chromium 156 has prefers-reduced-data behind a switch.
  launchChromium({
    args: [`--user-agent=${userAgent}`, '--enable-blink-features=PrefersReducedData'],
  });

/** A browser for all tests of a file. @returns It, from the first test on */
export function sharedBrowser(open: () => Promise<Browser> = openBrowser): () => Browser {
  let browser: Browser | null = null;
  beforeAll(async () => {
    browser = hasChromium ? await open() : null;
  });
  afterAll(() => browser?.close());
  return () => browser as Browser;
}

export interface HintedServer extends AsyncDisposable {
  /** Without a path. */
  readonly url: string;
  readonly prefetchd: Prefetchd;
  readonly middleware: Hints;
}

export interface HintedServerOptions extends HintsOptions {
  engine?: PrefetchdOptions;
  /** Stands before the hints. */
  before?: (req: IncomingMessage, res: ServerResponse, next: () => void) => void;
}

/** A server whose requests come through `hints()`, on a machine that is idle. */
export async function hintedServer(
  answer: (req: IncomingMessage, res: ServerResponse) => void,
  { engine = {}, before = (_req, _res, next) => next(), ...options }: HintedServerOptions = {},
): Promise<HintedServer> {
  const prefetchd = createPrefetchd({ load: () => 0, ...salted, ...engine });
  const middleware = hints({ prefetchd, ...options });
  const server = createServer((req, res) =>
    before(req, res, () => middleware(req, res, () => answer(req, res))),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ prefetchd, middleware },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await middleware.close();
      await prefetchd.close();
    },
  };
}

/** All visitors come from one address: they bring another one. A field would not be in prefetches by rules. */
export const addressOf = ({ headers }: { headers: { cookie?: unknown } }): string | null =>
  /\baddress=([\d.]+)/.exec(String(headers.cookie))?.[1] ?? null;

export async function visitorFrom(browser: Browser, url: string, address: string): Promise<Reader> {
  const someone = await reader(browser);
  await someone.context.addCookies([{ url, name: 'address', value: address }]);
  return someone;
}

/** Somebody reads these pages, one after the other. */
export function readPages(
  prefetchd: Prefetchd,
  client: string,
  pages: readonly string[],
  more: object = {},
): void {
  for (const url of pages) {
    prefetchd.observe({
      ...{ client, url, timeMs: Date.now(), status: 200, kind: 'document', bytes: 500 },
      ...{ prefetch: false, ...more },
    });
  }
}

/** Hints look one page ahead, and an idle machine is taken for granted. */
export async function hintedSite(
  options: HintsOptions = {},
  { before = [], behind = [], load = () => 0, ...served }: HintedSiteOptions = {},
): Promise<HintedSite> {
  const prefetchd = createPrefetchd({
    ...{ load, ...salted, window: 2 },
    ...(options.deny !== undefined && { deny: options.deny }),
  });
  const prefetch = hints({ prefetchd, trustProxy: 'loopback', ...options });
  const site = await serveRoundTrips({ ...served, handlers: [...before, prefetch, ...behind] });
  let visitors = 0;
  return {
    site,
    prefetch,
    prefetchd,
    async teach(...paths) {
      for (let visitor = 0; visitor < 3; visitor++) {
        visitors++;
        for (const path of paths) {
          const before = judged(prefetchd);
          const headers = { 'x-forwarded-for': `192.0.2.${visitors}` };
          await visit(site.url + path, { headers });
          await eventually(() => judged(prefetchd) > before, 'the visit is judged');
        }
      }
    },
    async prefetched(path) {
      await eventually(() => site.count(path).prefetches > 0, `${path} is prefetched`);
      return site.count(path).prefetches;
    },
    async [Symbol.asyncDispose]() {
      await site.close();
      await prefetch.close();
      await prefetchd.close();
    },
  };
}

export interface Reader extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the consoles of the pages said, errors included. */
  readonly said: readonly string[];
}

export interface ReaderOptions extends BrowserContextOptions {
  /** False: a browser that knows no speculation rules. No flag of Chromium 156 makes it one, so pages are told. */
  knowsRules?: boolean;
}

/** Somebody with an empty cache. */
export async function reader(browser: Browser, given: ReaderOptions = {}): Promise<Reader> {
  const { knowsRules = true, ...options } = given;
  const context = await browser.newContext(options);
  if (!knowsRules) {
    await context.addInitScript(
      `const supports = HTMLScriptElement.supports.bind(HTMLScriptElement);
       HTMLScriptElement.supports = (type) => type !== 'speculationrules' && supports(type);`,
    );
  }
  const page = await context.newPage();
  const said: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  return { page, context, said, [Symbol.asyncDispose]: () => context.close() };
}

/** Follows the link to the next page; where that came from (PerformanceNavigationTiming.deliveryType). */
export async function readOn(page: Page): Promise<string> {
  const before = page.url();
  await page.locator('.next a').click();
  await page.waitForURL((url) => url.href !== before);
  return page.evaluate("performance.getEntriesByType('navigation')[0].deliveryType");
}

/**
 * Somebody opens the first page of a site until Chromium has the next one ahead, by rules or by `Link`, and follows the
 * only link; without Chromium nobody does.
 * @param delivery How the page comes then; `cache`: fetched for a `Link` @param next Where the link leads
 */
export async function clickIsPrefetched(
  browser: Browser,
  url: string,
  delivery: 'navigational-prefetch' | 'cache' = 'navigational-prefetch',
  next = '/news',
): Promise<void> {
  if (!hasChromium) return void console.warn(`no Chromium: no click is seen at ${url}`);
  await using someone = await reader(browser);
  const { page, context } = someone;
  const session = await context.newCDPSession(page);
  let isAhead = false;
  session.on('Preload.prefetchStatusUpdated', ({ status }) => {
    isAhead ||= status === 'Ready';
  });
  page.on('requestfinished', (request) => {
    isAhead ||= delivery === 'cache' && request.url() === url + next;
  });
  await session.send('Preload.enable');
  // A site that is busy gives no hints, so the page is opened again.
  const prefetches = async () => {
    if (isAhead) return true;
    await page.goto(`${url}/`);
    await page.getByRole('link').hover();
    return isAhead;
  };
  await expect.poll(prefetches, { interval: 1_000, timeout: 30_000 }).toBe(true);
  await page.getByRole('link').click();
  await page.waitForURL(url + next);
  const type = 'performance.getEntriesByType("navigation")[0].deliveryType';
  expect(await page.evaluate(type)).toBe(delivery);
}
