// The variants of Microscape look as the page does: screenshots from Chromium, pixel by pixel. Animations stand still
// at their first frame.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { microscapeDir } from '../../fixtures/index.ts';
import { differingShare } from '../../lab/make/content/bitmaps.ts';
import { createOrigin, type Origin } from '../../server/origin/origin.ts';
import { hasChromium, launchChromium } from '../support/chromium.ts';
import { sharedBrowser } from './set-up.ts';

const viewport = { width: 640, height: 800 };
/** At most 1 pixel in 100 differs by more than 32 of 255 in a channel: letters are set in a font of the system. */
const tolerance = { amount: 32, share: 0.01 };

interface Shot {
  pixels: Buffer;
  width: number;
  height: number;
  /** Of images and of what stands in for them, pixels. */
  boxes: Array<{ left: number; top: number; right: number; bottom: number }>;
}

// Run in the page.
const boxesScript = `Array.from(document.querySelectorAll('img, .pic'), (element) => {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  return { left, top, right, bottom };
})`;
const imagesScript = `Array.from(document.images, ({ complete, naturalWidth, src }) =>
  complete && naturalWidth > 0 ? src : 'broken: ' + src)`;
const framesScript = `async (path, type) => {
  const data = await (await fetch(path)).arrayBuffer();
  const decoder = new ImageDecoder({ data, type });
  await decoder.completed;
  await decoder.tracks.ready;
  const shown = [];
  for (let frameIndex = 0; frameIndex < decoder.tracks.selectedTrack.frameCount; frameIndex++) {
    const { image } = await decoder.decode({ frameIndex });
    const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const { data: rgba } = context.getImageData(0, 0, canvas.width, canvas.height);
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', rgba)).join();
    shown.push({ durationUs: image.duration, digest });
  }
  return shown;
}`;

describe.skipIf(!hasChromium)('Microscape with other content, in Chromium', () => {
  const neverAnimate = 2; // blink::mojom::ImageAnimationPolicy
  const args = [`--blink-settings=imageAnimationPolicy=${neverAnimate}`];
  const browser = sharedBrowser(() => launchChromium({ args }));
  let origin: Origin;
  let url: string;
  let page: Page;
  let original: Shot;

  beforeAll(async () => {
    origin = createOrigin(microscapeDir);
    ({ url } = await origin.listen());
    page = await browser().newPage({ viewport });
    original = await shoot('/');
  });
  afterAll(() => origin?.close());

  async function shoot(path: string, css = ''): Promise<Shot> {
    await page.goto(`${url}${path}`, { waitUntil: 'load' });
    if (css !== '') await page.addStyleTag({ content: css });
    const boxes = (await page.evaluate(boxesScript)) as Shot['boxes'];
    const picture = sharp(await page.screenshot({ fullPage: true }))
      .removeAlpha()
      .raw();
    const { data, info } = await picture.toBuffer({ resolveWithObject: true });
    return { pixels: data, width: info.width, height: info.height, boxes };
  }

  it('two screenshots of one page are the same', async () => {
    const again = await shoot('/');
    expect(again.pixels.equals(original.pixels)).toBe(true);
  });

  it('with PNG and APNG every pixel is the same', async () => {
    const { pixels } = await shoot('/png/');
    expect(differingShare(original.pixels, pixels, 0)).toBe(0);
  });

  it.each(['css', 'css-png', 'modern'])(
    '%s/: nothing moved, at most 1 % of it differs',
    async (name) => {
      const shot = await shoot(`/${name}/`);
      expect([shot.width, shot.height]).toEqual([original.width, original.height]);
      const [before, after] = [original, shot].map((one) => withoutBoxes(one, shot.boxes));
      expect(differingShare(before as Buffer, after as Buffer, 0)).toBe(0);
      const share = differingShare(original.pixels, shot.pixels, tolerance.amount);
      expect(share).toBeGreaterThan(0);
      expect(share).toBeLessThan(tolerance.share);
    },
  );

  it('the tolerance does not hide a missing image or box', async () => {
    const unpainted = await shoot('/css/', '.head, .banner, .nav { visibility: hidden }');
    const unlit = await shoot('/modern/', 'img { visibility: hidden }');
    for (const { pixels } of [unpainted, unlit]) {
      const share = differingShare(original.pixels, pixels, tolerance.amount);
      expect(share).toBeGreaterThan(tolerance.share);
    }
  });

  it.each(['anim-horizon', 'anim-voyager'])('%s as APNG has the frames of GIF', async (name) => {
    await page.goto(`${url}/`);
    const frames = (path: string, type: string) =>
      page.evaluate(
        `(${framesScript})(${JSON.stringify(path)}, ${JSON.stringify(type)})`,
      ) as Promise<Array<{ durationUs: number; digest: string }>>;
    const gif = await frames(`/images/${name}.gif`, 'image/gif');
    expect(gif.length).toBeGreaterThan(5);
    expect(new Set(gif.map(({ digest }) => digest)).size).toBeGreaterThan(5);
    expect(await frames(`/png/images/${name}.png`, 'image/png')).toEqual(gif);
  });

  it('each variant is loaded whole: no image is broken', async () => {
    for (const { folder, images } of JSON.parse(
      readFileSync(join(microscapeDir, 'variants.json'), 'utf8'),
    ).pages) {
      await page.goto(`${url}/${folder}/`, { waitUntil: 'load' });
      const loaded = (await page.evaluate(imagesScript)) as string[];
      const expected = images.map(({ file }: { file: string }) => `${url}/${folder}/${file}`);
      expect(new Set(loaded)).toEqual(new Set(expected));
    }
  });
});

/** The boxes painted black: what is left is text and layout. */
function withoutBoxes({ pixels, width, height }: Shot, boxes: Shot['boxes']): Buffer {
  const left = Buffer.from(pixels);
  for (const box of boxes) {
    const [from, to] = [Math.floor(box.left), Math.min(Math.ceil(box.right), width)];
    const bottom = Math.min(Math.ceil(box.bottom), height);
    for (let y = Math.floor(box.top); y < bottom; y++) {
      left.fill(0, (y * width + from) * 3, (y * width + to) * 3);
    }
  }
  return left;
}
