// Objects of a page that browsers find late: which they are, that they are preloaded first, and that they stop being
// preloaded when the page embeds them no more. A browser fetches what is preloaded, used or not, with the page as
// Referer; what a style sheet names has the style sheet (Chromium 156, test/browser/late-objects.test.ts).

import { describe, expect, it } from 'vitest';
import { engineOf } from '../../../prefetchd/engine/prefetchd.ts';
import { createPrefetchd, type Prefetchd } from '../../../prefetchd/index.ts';
import type { Hint } from '../../../prefetchd/wire/hint.ts';
import { linkHeaderOf } from '../../../prefetchd/wire/link-hints.ts';
import { salted } from '../../support/known-salt.ts';
import { randomFrom } from '../../support/random.ts';

const t0 = Date.UTC(2026, 0, 5, 12);
const minuteMs = 60_000;

/** What a page embeds: paths, by what names them. */
type Embedded = Readonly<Record<string, readonly string[]>>;

const images = Array.from({ length: 6 }, (_, n) => `/${n}.png`);
const home: Embedded = {
  '/': ['/site.css', ...images],
  '/site.css': ['/more.css', '/bg.svg'],
  '/more.css': ['/f.woff2'],
};
const lateOnes = ['/bg.svg', '/f.woff2', '/more.css'];

class Site implements AsyncDisposable {
  readonly prefetchd: Prefetchd;
  /** The hints of the latest page itself. */
  answered: Hint[] = [];
  #nowMs = t0;
  #visitors = 0;

  constructor(options: Parameters<typeof createPrefetchd>[0] = {}) {
    const calm = { load: () => 0, ...salted, now: () => this.#nowMs };
    this.prefetchd = createPrefetchd({ ...calm, ...options });
  }

  newVisitor(): string {
    const number = this.#visitors++;
    return `10.${number >> 8}.${number & 255}.1 Chrome`;
  }

  /** Somebody opens the page, which is answered `slowMs` after a 103. @returns the hints of that */
  view(embedded: Embedded, client = this.newVisitor(), slowMs = 0): Hint[] {
    this.#nowMs += minuteMs;
    const question = { url: '/', client, timeMs: this.#nowMs };
    const hints = this.prefetchd.hints({ ...question, kind: 'object' });
    const has = new Set<string>();
    const fetch = (url: string, page: string) => {
      if (!has.has(url)) this.#fetch(client, url, page, slowMs);
      has.add(url);
    };
    for (const { url } of hints) fetch(url, '/');
    this.answered = this.prefetchd.hints(question);
    this.#fetch(client, '/');
    const names = ['/'];
    for (const by of names) {
      for (const url of embedded[by] ?? []) {
        fetch(url, by);
        if (url.endsWith('.css')) names.push(url);
      }
    }
    return hints;
  }

  /** The beacon of somebody who was just here. */
  nameLargest(client: string, url: string): void {
    this.prefetchd.observe({
      ...{ client, url, kind: 'object', timeMs: this.#nowMs, status: 200, bytes: 0 },
      ...{ prefetch: false, page: '/', shown: true, isLargest: true },
    });
  }

  views(count: number, embedded = home): Hint[][] {
    return Array.from({ length: count }, () => this.view(embedded));
  }

  #fetch(client: string, url: string, page?: string, laterMs = 0): void {
    const kind = url === '/' ? 'document' : 'object';
    this.prefetchd.observe({
      ...{ client, url, kind, timeMs: this.#nowMs + laterMs, status: 200, bytes: 9 },
      prefetch: false,
      ...(kind === 'document' ? { userActivated: true } : { page: page ?? '/' }),
    });
  }

  /** What somebody new would be sent, which is a view without a fetch. */
  ask(client = this.newVisitor()): Hint[] {
    return this.prefetchd.hints({ url: '/', client, kind: 'object', timeMs: this.#nowMs });
  }

  [Symbol.asyncDispose]() {
    return this.prefetchd.close();
  }
}

const probabilityOf = (url: string, hints: readonly Hint[]) =>
  hints.find((hint) => hint.url === url)?.probability;
const urlsOf = (hints: readonly Hint[]) => hints.map(({ url }) => url);
const latesOf = (hints: readonly Hint[]) => urlsOf(hints.filter(({ isLate }) => isLate)).toSorted();

describe('what style sheets name, and fonts,', () => {
  it('are preloaded once k addresses fetched them, however many objects come before', async () => {
    await using site = new Site();
    expect(latesOf(site.view(home))).toEqual([]);
    expect(latesOf(site.view(home))).toEqual([]);
    expect(latesOf(site.view(home))).toEqual(lateOnes);
  });

  it('of one address are not', async () => {
    await using site = new Site();
    const client = site.newVisitor();
    for (let n = 0; n < 5; n++) site.view(home, `${client} ${n}`);
    expect(latesOf(site.ask())).toEqual([]);
  });

  it('take the places of those that the HTML names, and none of a page', async () => {
    await using site = new Site({ limit: 2, window: 8 });
    site.views(4, { ...home, '/site.css': ['/more.css'] });
    const asked = urlsOf(site.ask()).toSorted();
    expect(asked).toEqual(['/f.woff2', '/more.css']);
  });

  it('stand first in the field, before what is likelier', async () => {
    await using site = new Site({ limit: 8 });
    site.views(4);
    site.view({ '/': home['/'] as string[] });
    const field = linkHeaderOf(site.ask());
    const named = [...field.matchAll(/<([^>]*)>/g)].map(([, path]) => path as string);
    expect(named.slice(0, 3).toSorted()).toEqual(lateOnes);
    expect(named.length).toBeGreaterThan(3);
    expect(field).toContain('</f.woff2>; rel=preload; as=font; crossorigin;');
    expect(field).toContain('</more.css>; rel=preload; as=style;');
  });

  it('are not preloaded once they are private, nor when they are denied', async () => {
    await using site = new Site();
    site.views(3);
    engineOf(site.prefetchd).dropped('private', { url: '/f.woff2', kind: 'object' });
    expect(latesOf(site.ask())).toEqual(['/bg.svg', '/more.css']);
    await using denying = new Site({ deny: { extra: ['/more.css'] } });
    denying.views(3);
    expect(latesOf(denying.ask())).toEqual(['/bg.svg', '/f.woff2']);
  });
});

describe('feedback', () => {
  it('a font that the page always embeds keeps its probability, and its preload, for 200 visitors', async () => {
    await using site = new Site();
    const probabilities = site
      .views(200)
      .flatMap((hints) => probabilityOf('/f.woff2', hints) ?? []);
    // All but the first two, and each eighth.
    expect(probabilities.length).toBeGreaterThan(170);
    for (const said of probabilities) expect(Math.abs(said - 1)).toBeLessThan(0.1);
  });

  it('so it does where a page comes seconds after what a 103 named', async () => {
    await using site = new Site();
    site.views(3);
    for (let n = 0; n < 40; n++) {
      const hints = site.view(home, site.newVisitor(), 5000);
      if (hints.length > 0) expect(probabilityOf('/f.woff2', hints)).toBe(1);
    }
    expect(latesOf(site.ask())).toEqual(lateOnes);
  });

  it('one that 0.7 of them embed has that probability, give or take what 16 trials tell', async () => {
    const random = randomFrom(1);
    await using site = new Site();
    const said: number[] = [];
    for (let visitor = 0; visitor < 800; visitor++) {
      const hints = site.view(random() < 0.7 ? home : { ...home, '/more.css': [] });
      if (visitor > 200) said.push(probabilityOf('/f.woff2', hints) ?? Number.NaN);
    }
    const known = said.filter((each) => !Number.isNaN(each));
    const mean = known.reduce((sum, each) => sum + each, 0) / known.length;
    expect(known.length).toBeGreaterThan(said.length / 2);
    expect(Math.abs(mean - 0.7), `${mean} on average`).toBeLessThan(0.1);
  });

  it('an object that the page embeds no more is preloaded to at most 64 further visitors', async () => {
    await using site = new Site({ limit: 8 });
    site.views(100);
    const redesigned = { '/': ['/new.css'], '/new.css': ['/g.woff2'] };
    const old = [...lateOnes, '/site.css', ...images];
    const told = site.views(300, redesigned).map((hints) => urlsOf(hints));
    const lastOf = (url: string) => told.findLastIndex((urls) => urls.includes(url));
    for (const url of old) expect(lastOf(url), url).toBeLessThan(64);
    expect(told.at(-1)).toContain('/g.woff2');
  });

  it('so is a largest image that beacons named, when the page has none any more', async () => {
    await using site = new Site();
    const withHero = { '/': ['/site.css'], '/site.css': ['/hero.svg'] };
    for (let n = 0; n < 20; n++) {
      const client = site.newVisitor();
      site.view(withHero, client);
      site.nameLargest(client, '/hero.svg');
    }
    const hero = expect.objectContaining({ url: '/hero.svg', isLargest: true });
    expect(site.ask()).toContainEqual(hero);
    const told = site.views(300, { '/': ['/site.css'] }).map((hints) => urlsOf(hints));
    const last = told.findLastIndex((urls) => urls.includes('/hero.svg'));
    expect(last).toBeGreaterThan(0);
    expect(last).toBeLessThan(64);
  });

  it('one view in eight goes without preloads, in all its questions', async () => {
    await using site = new Site();
    site.views(3);
    const without = site.views(80).filter((hints) => hints.length === 0);
    expect(without).toHaveLength(10);
  });
});
