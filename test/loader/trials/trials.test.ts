// What an audit tries has an end: by its time, and by the caller's signal.

import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Loaded } from '../../../loader/audit/subject.ts';
import { pictureOf, type TriedImage } from '../../../loader/trials/image-trial.ts';
import { conversionsOf, tryImages } from '../../../loader/trials/trials.ts';
import { resource } from '../report/page-load-builder.ts';

const [width, height] = [300, 300];
/** Noise: large in every format. */
let slow: Loaded;
let quick: Loaded;

beforeAll(async () => {
  const raw = { width, height, channels: 3 } as const;
  const body = await sharp(randomBytes(3 * width * height), { raw })
    .png()
    .toBuffer();
  slow = { row: resource({ mimeType: 'image/png', encodedBytes: 90_000 }), body };
  const dot = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#c00' } })
    .png()
    .toBuffer();
  const url = 'http://a.test/dot.png';
  quick = { row: resource({ url, mimeType: 'image/png', encodedBytes: dot.length }), body: dot };
});

describe('converting images', () => {
  it('ends when its time is up, and keeps what was found by then', async () => {
    const convertMs = 3_000;
    const startMs = performance.now();
    const trials = await tryImages([slow, quick], {
      convertMs,
      // The first conversions are done in a moment; the time is up before the fourth.
      onProgress(step) {
        while (step.includes(': 4 of') && performance.now() < startMs + convertMs + 10);
      },
    });
    expect(trials.untried).toEqual(['2 of 2 images not fully converted: stopped after 3 s']);
    expect(trials.images.get(quick.row.url)?.look).toMatchObject({ width: 9, colours: 1 });
    for (const { row } of [slow, quick]) {
      const formats = trials.images.get(row.url)?.conversions.map(({ format }) => format);
      expect(new Set(formats)).toEqual(new Set(['webp']));
    }
  });

  it('tries the cheap conversions of all images before the dear ones of any, small images first', async () => {
    const image = (side: number): Promise<Buffer> =>
      sharp(randomBytes(3 * side * side), { raw: { width: side, height: side, channels: 3 } })
        .png()
        .toBuffer();
    const pictures = new Map<string, TriedImage>();
    for (const side of [40, 20]) {
      const picture = await pictureOf(sharp, await image(side));
      if (picture !== null) pictures.set(`${side}`, picture);
    }
    const work = conversionsOf(pictures).map(({ url, convert }) => `${convert.name} ${url}`);
    expect(work).toEqual(
      ['exactWebp', 'lossyWebp', 'exactPng', 'lossyAvif'].flatMap((name) => [
        `${name} 20`,
        `${name} 40`,
      ]),
    );
  });

  it('takes the least quality that looks the same', async () => {
    const smooth = await sharp(randomBytes(3 * 8 * 8), {
      raw: { width: 8, height: 8, channels: 3 },
    })
      .resize(256, 256, { kernel: 'cubic' })
      .jpeg({ quality: 100 })
      .toBuffer();
    const row = resource({ url: 'http://a.test/s.jpg', mimeType: 'image/jpeg', encodedBytes: 9 });
    const { images } = await tryImages([{ row, body: smooth }], { convertMs: 60_000 });
    const conversions = images.get(row.url)?.conversions ?? [];
    expect(conversions.map(({ format, quality }) => `${format}-${quality}`)).toEqual([
      'webp-40',
      'avif-40',
    ]);
  });

  it('is left out as asked, and that is said', async () => {
    const { images, untried } = await tryImages([quick], { convertMs: 0 });
    expect([images.size, untried]).toEqual([0, ['1 image not checked, as asked']]);
  });

  it('ends when it is aborted, in the middle of an image', async () => {
    const abort = new AbortController();
    const [reason, steps] = [new Error('enough'), [] as string[]];
    const trying = tryImages([slow], {
      convertMs: 60_000,
      signal: abort.signal,
      onProgress: (step) => {
        steps.push(step);
        if (step.startsWith('converting')) abort.abort(reason);
      },
    });
    await expect(trying).rejects.toBe(reason);
    expect(steps.at(-1)).toMatch(/^converting images: 1 of \d+ conversions$/);
  });
});
