// Figures 5 to 8: the time to load a document by the number and size of its images (Padmanabhan 1995, 6).

import { join } from 'node:path';
import type { LinkSettings } from '../link/link.ts';
import { onLink } from '../page-loads/links.ts';
import { originPort } from '../page-loads/nginx.ts';
import { startNginxAndOrigin } from '../page-loads/nginx-and-origin.ts';
import type { PageFolder } from '../page-loads/page-folder.ts';
import { makePage } from '../page-loads/page-shapes.ts';
import { interleave, ours, oursAt, type WayOptions } from '../page-loads/ways.ts';
import { Scratch } from '../scratch.ts';

export const ways: ReadonlyArray<[name: string, options: WayOptions]> = [
  ['standard', { protocol: 'http1.0', connections: 1 }],
  ['standard x4', { protocol: 'http1.0', connections: 4 }],
  ['long-lived', { protocol: 'persistent', connections: 1 }],
  ['pipelined', { protocol: 'pipelined', connections: 1 }],
  ['at once', { protocol: 'pipelined', connections: 1, constants: { batch: { maxEndWaitMs: 0 } } }],
  [
    'GETALL',
    {
      ...{ protocol: 'pipelined', connections: 1, getAll: true },
      extraHeaders: { 'accept-encoding': 'identity' },
    },
  ],
];

/** 2,544 and 45,566 B are the paper's; the others show what lies around and between. */
export const imageSizes = [512, 2_544, 12_000, 45_566] as const;
const counts: Readonly<Record<(typeof imageSizes)[number], readonly number[]>> = {
  512: [1, 2, 5, 10, 20],
  2544: [1, 2, 5, 10, 20],
  12000: [1, 2, 5, 10, 20],
  45566: [1, 2, 5, 10],
};

export interface Latency {
  imageBytes: number;
  images: number;
  way: string;
  /** Of each round. */
  ms: number[];
}

export async function latencies(
  link: LinkSettings,
  rounds: number,
  say: (line: string) => void,
): Promise<Latency[]> {
  using scratch = new Scratch();
  const pages = imageSizes.flatMap((imageBytes) =>
    counts[imageBytes].map((images) => ({
      ...{ imageBytes, images },
      page: pageOf(scratch.path, imageBytes, images),
    })),
  );
  const site: PageFolder = { folder: scratch.path, path: '/', htmlBytes: 0, images: 0, bytes: 0 };
  return await onLink(
    link,
    site,
    async (place) => {
      const results: Latency[] = [];
      for (const { imageBytes, images, page } of pages) {
        say(`${link.name}: ${images} images of ${imageBytes} B`);
        const samples = await interleave(
          ways.map(([name, options]) =>
            options.getAll
              ? oursAt(originPort, { ...place, page }, name, options)
              : ours({ ...place, page }, name, 'plain', options),
          ),
          rounds,
          () => {},
        );
        for (const [way, taken] of samples) {
          results.push({ imageBytes, images, way, ms: taken.map(({ ownMs }) => ownMs) });
        }
      }
      return results;
    },
    startNginxAndOrigin,
  );
}

/** The document is a median one of the paper's sample: under 2 KB. */
function pageOf(folder: string, imageBytes: number, images: number): PageFolder {
  const name = `${images}x${imageBytes}`;
  const shape = { name, htmlBytes: 2_000, images, imageBytes: [imageBytes, imageBytes] as const };
  return { ...makePage(shape, join(folder, name)), path: `/${name}/` };
}

/** Share of the time of `base` that `way` saves, round by round. */
export function savedShares(
  all: readonly Latency[],
  { imageBytes, images }: Pick<Latency, 'imageBytes' | 'images'>,
  way: string,
  base = 'standard',
): number[] {
  const of = (name: string) =>
    all.find((one) => one.imageBytes === imageBytes && one.images === images && one.way === name)
      ?.ms ?? [];
  const bases = of(base);
  return of(way).map((ms, round) => 1 - ms / (bases[round] as number));
}
