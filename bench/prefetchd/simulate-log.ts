// A synthetic log for the simulator, from a seed: visitors walk pages of a site along links, each page
// with its images; pages are as popular as a Zipf law says. It grows without end, so cost can be shown
// over length.

import type { Access } from '../../prefetchd/access.ts';

const pages = 2000;
const linksPerPage = 6;
const imagesPerPage = 3;

export function* syntheticLog(accesses: number, seed = 1995): Generator<Access> {
  const random = seededRandom(seed);
  let made = 0;
  let timeMs = 0;
  for (let visitor = 0; made < accesses; visitor++) {
    let page = popular(random());
    const client = `v${visitor}`;
    for (let step = 0; step < 2 + Math.floor(random() * 6) && made < accesses; step++) {
      timeMs += 1000;
      yield accessOf(
        client,
        `/page-${page}.html`,
        timeMs,
        'document',
        4000 + ((page * 137) % 30_000),
      );
      made++;
      for (let image = 0; image < imagesPerPage && made < accesses; image++, made++) {
        const number = (page * 7 + image * image * 31) % (pages * 2);
        yield accessOf(
          client,
          `/image-${number}.gif`,
          timeMs,
          'object',
          800 + ((number * 211) % 20_000),
        );
      }
      timeMs += 5000 + Math.floor(random() * 30_000);
      // A link of the page, the first ones more often, or somewhere else.
      const link = Math.floor(random() ** 2 * linksPerPage);
      page = random() < 0.8 ? (page * 3 + link * 17 + 1) % pages : popular(random());
    }
  }
}

function popular(uniform: number): number {
  return Math.min(pages - 1, Math.floor(pages ** uniform) - 1);
}

function accessOf(
  client: string,
  url: string,
  timeMs: number,
  kind: Access['kind'],
  bytes: number,
): Access {
  return { client, url, timeMs, kind, status: 200, bytes, prefetch: false };
}

/** mulberry32 */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
