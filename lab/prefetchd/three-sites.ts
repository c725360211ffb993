// Two months of three kinds of site: a brochure, a shop with faceted queries, and a CMS whose pages are in the query. The
// same seed gives the same accesses. Of ten visitors six are robots that call themselves browsers. People return now and then, from another address each month.

import type { Access } from '../../prefetchd/index.ts';
import { randomOf } from './random.ts';

interface SiteKind {
  name: string;
  /** Visits of people a day. */
  visitsPerDay: number;
  /** Pages from the front page on; each page of a visit is chosen by the one before. */
  next(page: string, random: () => number): string | null;
  pages: readonly string[];
}

const dayMs = 24 * 60 * 60_000;
const startMs = Date.UTC(2026, 0, 1);
const days = 60;
const robotShare = 0.6;
const pick = <T>(from: readonly T[], random: () => number): T =>
  from[Math.floor(random() * from.length)] as T;
/** The first are asked for most (Zipf's law). */
const popular = <T>(from: readonly T[], random: () => number): T =>
  from[Math.min(from.length - 1, Math.floor(from.length ** random()) - 1)] as T;

const services = ['consulting', 'training', 'support', 'audits'].map((name) => `/services/${name}`);
const brochure: SiteKind = {
  name: 'brochure',
  visitsPerDay: 12,
  pages: [
    '/',
    '/about',
    '/team',
    '/services/',
    ...services,
    '/references',
    '/jobs',
    '/contact',
    '/imprint',
  ],
  next(page, random) {
    if (random() < 0.35) return null;
    if (page === '/')
      return pick(['/services/', '/services/', '/about', '/references', '/jobs'], random);
    if (page === '/services/') return popular(services, random);
    if (services.includes(page)) return pick(['/references', '/contact', '/services/'], random);
    return pick(['/contact', '/team', '/about', '/'], random);
  },
};

const categories = Array.from({ length: 8 }, (_, at) => `/category/${at}`);
const facets = ['color=blue', 'color=red', 'size=m', 'size=l', 'sort=price', 'color=blue&size=m'];
const listings = categories.flatMap((page) => facets.map((facet) => `${page}?${facet}`));
const products = Array.from({ length: 240 }, (_, at) => `/product/${at}`);
/** Of a category by its number. */
const stock = (category: number) => products.filter((_, at) => at % categories.length === category);
const shop: SiteKind = {
  name: 'shop',
  visitsPerDay: 60,
  pages: ['/', ...categories, ...listings, ...products, '/cart', '/shipping'],
  next(page, random) {
    if (random() < 0.2) return null;
    if (page === '/') return popular(categories, random);
    if (page.startsWith('/category/')) {
      const category = Number(page.slice('/category/'.length).split('?')[0]);
      const own = `/category/${category}`;
      if (page === own && random() < 0.5) return `${own}?${popular(facets, random)}`;
      return popular(stock(category), random);
    }
    if (page.startsWith('/product/')) {
      if (random() < 0.15) return '/cart';
      const at = products.indexOf(page);
      return random() < 0.5
        ? (products[(at + categories.length) % products.length] as string)
        : `/category/${at % categories.length}`;
    }
    return pick(['/', '/shipping', '/cart?action=update'], random);
  },
};

const article = (id: number) => `/index.php?option=com_content&view=article&id=${id}`;
const blog = (id: number) => `/index.php?option=com_content&view=category&layout=blog&id=${id}`;
const articles = Array.from({ length: 300 }, (_, id) => article(id));
const sections = Array.from({ length: 10 }, (_, id) => blog(id));
const cms: SiteKind = {
  name: 'CMS',
  visitsPerDay: 40,
  pages: ['/index.php', ...sections, ...articles],
  next(page, random) {
    if (random() < 0.25) return null;
    if (page === '/index.php')
      return random() < 0.6 ? popular(sections, random) : popular(articles, random);
    if (random() < 0.05) return '/index.php?option=com_search&searchword=help';
    const section = sections.indexOf(page);
    if (section !== -1)
      return popular(
        articles.filter((_, id) => id % 10 === section),
        random,
      );
    const id = articles.indexOf(page);
    return random() < 0.6 ? article((id + 10) % articles.length) : blog(id % 10);
  },
};

export const siteKinds: readonly SiteKind[] = [brochure, shop, cms];

/** In order of time. */
export function siteLog(site: SiteKind, seed = 1995): Access[] {
  const random = randomOf(seed);
  const accesses: Access[] = [];
  const add = (client: string, url: string, timeMs: number) => {
    const kind = url.endsWith('.css') || url.endsWith('.png') ? 'object' : 'document';
    const bytes = kind === 'object' ? 8_000 : 6_000 + ((url.length * 7_919) % 30_000);
    accesses.push({ client, url, timeMs, kind, status: 200, bytes, prefetch: false });
  };
  const visitsPerDay = Math.round(site.visitsPerDay / (1 - robotShare));
  const people = 30 * site.visitsPerDay;
  for (let visit = 0; visit < days * visitsPerDay; visit++) {
    let timeMs = startMs + (visit / visitsPerDay) * dayMs;
    const isRobot = random() < robotShare;
    const month = Math.floor(visit / visitsPerDay / 30);
    const person = Math.floor(random() * people);
    const client = isRobot ? `robot-${visit} Browser` : `person-${month}-${person} Browser`;
    if (isRobot) {
      for (let page = 0; page < 4; page++) {
        add(client, pick(site.pages, random), timeMs + page * 2_000);
      }
      continue;
    }
    let page: string | null =
      random() < 0.5 ? (site.pages[0] as string) : popular(site.pages, random);
    add(client, page, timeMs);
    add(client, '/style.css', timeMs + 100);
    for (;;) {
      page = site.next(page, random);
      if (page === null) break;
      timeMs += 5_000 + random() * 60_000;
      add(client, page, timeMs);
      add(client, `/images/${page.length % 5}.png`, timeMs + 100);
    }
  }
  return accesses.sort((left, right) => left.timeMs - right.timeMs);
}
