// All visitors of one variant, one after the other with a few at the same time.

import { fileURLToPath } from 'node:url';
import { Devtools } from '../../../test/support/devtools.ts';
import { LineProcess } from '../../processes.ts';
import { VisitorLink, type VisitorLinkSettings } from './link.ts';
import type { SiteCounts, Variant } from './variants.ts';
import { type Navigation, walk } from './visitor.ts';
import type { Walk } from './walks.ts';

/** How many walk at the same time; the next begins when one has left. */
export const atOnce = 4;
/** A browser process serves so many visitors. */
const visitorsPerBrowser = 20;

export const link: VisitorLinkSettings = {
  rttMs: 60,
  downBitsPerSecond: 10e6,
  upBitsPerSecond: 5e6,
};

/** A headless browser calls itself so, and is a bot to prefetchd. */
const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

export interface Measured {
  /** Of each visitor, in the order in which they came. */
  visitors: Navigation[][];
  site: SiteCounts;
  /** From the site to all visitors, fields included. */
  bytes: number;
}

const worker = fileURLToPath(new URL('site-worker.ts', import.meta.url));

export async function measure(
  variant: Variant,
  { seed, cacheControl }: { seed: number; cacheControl: string | null },
  walks: readonly Walk[],
  progress: (visitors: number) => void,
): Promise<Measured> {
  const settings = JSON.stringify({ seed, cacheControl, ...variant.site(seed) });
  await using site = new LineProcess(process.execPath, [worker, settings]);
  await using front = await variant.front(Number(await site.nextLine()));
  const visitors: Navigation[][] = [];
  let bytes = 0;
  for (let first = 0; first < walks.length; first += visitorsPerBrowser) {
    const some = walks.slice(first, first + visitorsPerBrowser);
    await using devtools = await Devtools.launch([`--user-agent=${userAgent}`]);
    await inOrder(some, async (way, at) => {
      await using line = await VisitorLink.open(front.port, addressOf(first + at), link);
      visitors[first + at] = await walk(devtools, line.origin, way);
      bytes += line.downBytes;
      progress(visitors.filter((each) => each !== undefined).length);
    });
  }
  site.send('counts');
  return { visitors, bytes, site: JSON.parse(await site.nextLine()) as SiteCounts };
}

export const addressOf = (visitor: number): string =>
  `127.1.${Math.floor(visitor / 250)}.${1 + (visitor % 250)}`;

async function inOrder<T>(
  items: readonly T[],
  work: (item: T, at: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const oneByOne = async () => {
    while (next < items.length) {
      const at = next++;
      await work(items[at] as T, at);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, oneByOne));
}
