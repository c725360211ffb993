// An endless stream of accesses to a generated site; the same seed gives the same accesses. Many concurrent visitors
// walk from page to page: four times in five along a page's links, otherwise to a page chosen by popularity (Zipf's
// law). A page is immediately followed by its images. A visitor who leaves is replaced.

import type { Access } from '../../prefetchd/index.ts';
import { randomOf } from './random.ts';

export interface SiteSettings {
  pages: number;
  images: number;
  /** At a time. */
  visitors: number;
  /** Whoever comes instead of one who left is the same client again; else somebody new. */
  returning: boolean;
  seed?: number;
}

const linksPerPage = 6;
const imagesPerPage = 3;
const alongLinks = 0.8;
const leaves = 0.2;
const pauseMs = 20_000;
const startMs = Date.UTC(2026, 0, 1);

/** All URLs there are: pages, then images. */
export function siteUrls({ pages, images }: SiteSettings): string[] {
  return [
    ...Array.from({ length: pages }, (_, page) => pageUrl(page)),
    ...Array.from({ length: images }, (_, image) => imageUrl(image)),
  ];
}

export function* siteAccesses(settings: SiteSettings): Generator<Access, never> {
  const { pages, images, visitors, returning, seed = 1995 } = settings;
  const random = randomOf(seed);
  const popular = () => Math.max(0, Math.floor(pages ** random()) - 1);
  const pageOf = Array.from({ length: visitors }, popular);
  const nameOf = Array.from({ length: visitors }, (_, visitor) => clientName(visitor));
  let names = visitors;
  let timeMs = startMs;
  for (;;) {
    const visitor = Math.floor(random() * visitors);
    const client = nameOf[visitor] as string;
    const page = pageOf[visitor] as number;
    timeMs += (random() * 2 * pauseMs) / visitors;
    yield accessOf(client, pageUrl(page), timeMs, 'document', 4000 + ((page * 137) % 30_000));
    for (let nth = 0; nth < imagesPerPage; nth++) {
      const image = (page * 7 + nth * nth * 31) % images;
      yield accessOf(client, imageUrl(image), timeMs, 'object', 800 + ((image * 211) % 20_000));
    }
    const link = Math.floor(random() ** 2 * linksPerPage);
    const isGone = random() < leaves;
    const follows = !isGone && random() < alongLinks;
    pageOf[visitor] = follows ? (page * 3 + link * 17 + 1) % pages : popular();
    if (isGone && !returning) nameOf[visitor] = clientName(names++);
  }
}

/** The next `count` of them. */
export function batchOf(accesses: Iterator<Access>, count: number): Access[] {
  return Array.from({ length: count }, () => accesses.next().value as Access);
}

function pageUrl(page: number): string {
  return `/section-${page % 97}/page-${page}.html`;
}

function imageUrl(image: number): string {
  return `/images/${image % 97}/picture-${image}.gif`;
}

function clientName(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
}

function accessOf(
  client: string,
  url: string,
  timeMs: number,
  kind: Access['kind'],
  bytes: number,
): Access {
  return { client, url, timeMs: Math.floor(timeMs), kind, status: 200, bytes, prefetch: false };
}
