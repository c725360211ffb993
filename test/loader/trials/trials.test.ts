// What an audit tries has an end: by its time, also inside one image, and by the caller's signal.

import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Loaded } from '../../../loader/audit/subject.ts';
import { tryOut } from '../../../loader/trials/trials.ts';
import { resource } from '../report/page-load-builder.ts';

const [width, height] = [1500, 1500];
/** Noise takes long in every format, and stays large. */
let slow: Loaded;
let quick: Loaded;

beforeAll(async () => {
  const raw = { width, height, channels: 3 } as const;
  const body = await sharp(randomBytes(3 * width * height), { raw })
    .png()
    .toBuffer();
  // Of less than what a range is asked of.
  slow = { row: resource({ mimeType: 'image/png', encodedBytes: 90_000 }), body };
  const dot = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#c00' } })
    .png()
    .toBuffer();
  const url = 'http://a.test/dot.png';
  quick = { row: resource({ url, mimeType: 'image/png', encodedBytes: dot.length }), body: dot };
});

const fetchOptions = () => ({});

describe('converting images', () => {
  it('ends when its time is up, in the middle of an image', async () => {
    const trials = await tryOut([slow, quick], { fetchOptions, imagesMs: 300 });
    expect([...trials.images.keys()]).toEqual([]);
    expect(trials.untried).toContain(
      '2 images in other formats: 0.3 s were up, larger ones came first',
    );
  });

  it('ends when it is aborted, in the middle of an image', async () => {
    const abort = new AbortController();
    const [reason, steps] = [new Error('enough'), [] as string[]];
    const trying = tryOut([slow], {
      fetchOptions,
      signal: abort.signal,
      onProgress: (step) => {
        steps.push(step);
        if (step.startsWith('converting')) abort.abort(reason);
      },
    });
    await expect(trying).rejects.toBe(reason);
    expect(steps.at(-1)).toBe('converting images: 1 of 1');
  });
});
