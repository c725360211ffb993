// What is learned where pages are shown from prefetches, which ask the server for nothing: visitors with browsers as
// Chromium is, at the defaults of the service.

import { expect, test } from 'vitest';
import { type Access, createPrefetchd, type Prefetchd } from '../../../prefetchd/index.ts';
import { salted } from '../../support/known-salt.ts';

const t0 = Date.UTC(2026, 0, 5, 12);
const secondMs = 1000;

/** How a browser fetches what is hinted (browser.md), and what it does with it. */
const ways = {
  /** By speculation rules: kept until the next navigation. */
  'rules, no lifetime': { byRules: true },
  'rules, lifetime': { byRules: true, freshMs: 300_000 },
  'Link, lifetime': { byRules: false, freshMs: 300_000 },
  /** Nothing else is known, as from a log. */
  'a log': {},
} as const satisfies Record<string, Pick<Access, 'byRules' | 'freshMs'>>;
type Way = Pick<Access, 'byRules' | 'freshMs'>;

class Browser {
  readonly #prefetchd: Prefetchd;
  readonly #client: string;
  readonly #way: Way;
  readonly #beacons: string[];
  #nowMs: number;
  #page: string | undefined;
  /** What it would show at once. */
  #ready = new Set<string>();
  shownFromPrefetch = 0;

  /** @param beacons pages that say that they are shown */
  constructor(prefetchd: Prefetchd, client: string, nowMs: number, way: Way, beacons: string[]) {
    this.#beacons = beacons;
    this.#prefetchd = prefetchd;
    this.#client = client;
    this.#nowMs = nowMs;
    this.#way = way;
  }

  /** Opens a page, which embeds a style sheet that everybody has who was here before. */
  open(url: string, { hasStyle = false } = {}): void {
    const isReady = this.#ready.has(url);
    this.#nowMs += 10 * secondMs;
    const from = this.#page;
    const visit = { url, ...(from !== undefined && { page: from }) };
    if (isReady) this.shownFromPrefetch++;
    else this.#observe(visit);
    if (this.#beacons.includes(url)) this.#observe({ ...visit, shown: true, tellsShown: true });
    if (this.#way.freshMs === undefined) this.#ready.clear();
    this.#page = url;
    if (!hasStyle) this.#observe({ url: '/site.css', kind: 'object', page: url });
    const asked = { url, client: this.#client, timeMs: this.#nowMs };
    // A page that was prefetched carries the hints it came with.
    for (const hint of this.#prefetchd.hints({ ...asked, kind: 'document' })) {
      if (this.#ready.has(hint.url)) continue;
      this.#observe({ url: hint.url, prefetch: true, page: url, ...this.#way });
      this.#ready.add(hint.url);
    }
  }

  #observe(access: Partial<Access> & { url: string }): void {
    this.#prefetchd.observe({
      ...{ client: this.#client, timeMs: this.#nowMs, kind: 'document', status: 200 },
      ...{ bytes: 5000, prefetch: false },
      ...access,
    });
  }
}

const isNews = ({ url }: { url: string }) => url === '/news';

/** Evenly spread: of any first n, `share`. */
const goes = (visitor: number, share: number) =>
  Math.floor((visitor + 1) * share) > Math.floor(visitor * share);

/** Of 200 visitors some go on to the news: how often, and which pages have the beacon. */
const walks: [truth: number, beacons: string[]][] = [
  ...[1, 0.7, 0.5].map((truth): [number, string[]] => [truth, []]),
  ...[['/'], ['/', '/news', '/other']].map((beacons): [number, string[]] => [0.7, beacons]),
];

for (const [name, way] of Object.entries(ways)) {
  test.each(walks)(
    `${name}: of 200 visitors %d go on, and the probability says so, beacons on %j`,
    async (truth, beacons) => {
      let nowMs = t0;
      await using prefetchd = createPrefetchd({ ...salted, now: () => nowMs });
      let fromPrefetch = 0;
      for (let visitor = 0; visitor < 200; visitor++) {
        nowMs += 60 * secondMs;
        const browser = new Browser(prefetchd, `192.0.2.${visitor} Chrome`, nowMs, way, beacons);
        browser.open('/');
        browser.open(goes(visitor, truth) ? '/news' : '/other', { hasStyle: true });
        fromPrefetch += browser.shownFromPrefetch;
        if (visitor < 20) continue;
        const hints = prefetchd.hints({ url: '/', threshold: 0, limit: null, timeMs: nowMs });
        const ofNews = hints.find(isNews)?.probability ?? 0;
        expect(Math.abs(ofNews - truth), `visitor ${visitor}: ${ofNews}`).toBeLessThan(0.1);
      }
      expect(fromPrefetch).toBeGreaterThan(180 * truth);
    },
  );

  test(`${name}: each page of a walk through eight comes from a prefetch`, async () => {
    let nowMs = t0;
    await using prefetchd = createPrefetchd({ ...salted, now: () => nowMs });
    const pages = Array.from({ length: 8 }, (_, at) => `/p${at + 1}`);
    for (let visitor = 0; visitor < 5; visitor++) {
      nowMs += 600 * secondMs;
      const way = { byRules: true };
      const browser = new Browser(prefetchd, `192.0.2.${visitor} Chrome`, nowMs, way, []);
      for (const page of pages) browser.open(page);
    }
    nowMs += 600 * secondMs;
    const browser = new Browser(prefetchd, '198.51.100.7 Chrome', nowMs, way, []);
    for (const page of pages) browser.open(page);
    expect(browser.shownFromPrefetch).toBe(pages.length - 1);
  });
}

test('a page that stays fresh was not opened once, however many others were from the same one', async () => {
  let nowMs = t0;
  const options = { ...salted, now: () => nowMs, threshold: 0.05 };
  await using prefetchd = createPrefetchd(options);
  const truth = 0.7;
  for (let visitor = 0; visitor < 120; visitor++) {
    const client = `192.0.2.${visitor} Chrome`;
    const observe = (access: Partial<Access> & { url: string }) => {
      nowMs += 10 * secondMs;
      prefetchd.observe({
        ...{ client, timeMs: nowMs, kind: 'document', status: 200, bytes: 5000, prefetch: false },
        ...access,
      });
    };
    observe({ url: '/' });
    observe({ url: '/site.css', kind: 'object', page: '/' });
    const { byRules, freshMs } = ways['Link, lifetime'];
    const isHinted = prefetchd.hints({ url: '/', kind: 'document' }).some(isNews);
    if (isHinted) observe({ url: '/news', prefetch: true, page: '/', byRules, freshMs });
    const isReader = goes(visitor, truth);
    if (isReader && !isHinted) observe({ url: '/news', page: '/' });
    if (isReader) continue;
    // A hub: the browser shows / again without asking.
    for (const url of ['/a', '/b', '/c']) observe({ url, page: '/' });
  }
  const [news] = prefetchd.hints({ url: '/', threshold: 0, limit: null }).filter(isNews);
  expect(Math.abs((news?.probability ?? 0) - truth)).toBeLessThan(0.1);
});
