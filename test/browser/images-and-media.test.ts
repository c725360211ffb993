// Media queries and the choice of an image, against Chromium: cases made from a seed, at three screens.

import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { isMediaType } from '../../loader/scan/html/embedded.ts';
import { isImageType, selectImage } from '../../loader/scan/images/selection.ts';
import { matchesMedia } from '../../loader/scan/style/media-query.ts';
import { hasChromium, launchChromium } from '../support/chromium.ts';
import { sharedBrowser } from './set-up.ts';

const screens = [
  { width: 1280, height: 800, dpr: 1 },
  { width: 360, height: 640, dpr: 2 },
  { width: 600, height: 900, dpr: 1.5 },
];
const cases = 400;

const length = fc.constantFrom(
  ...['0', '1px', '360px', '600px', '37.5em', '1280px', '50vw', '10cm', '5in', '3', '-1px', '20%'],
  ...['calc(10em + 2px)', 'min(50vw, 300px)', 'max(1px, 20vh)', 'clamp(1px, 50vw, 2px)'],
  'calc(1px',
);
const range = fc.constantFrom('width', 'height', 'aspect-ratio', 'resolution', 'color', 'foo');
const value = fc.oneof(length, fc.constantFrom('16/10', '1', '2dppx', '96dpi', '1.5x', 'red', '8'));
/** Chromium takes lengths and resolutions for ratios, too, which is not in the grammar (Media Queries 4, 4.2). */
const isRatioOfLengths = (text: string) =>
  /aspect-ratio/.test(text) && /[\d.](?:[a-z%]|\))/.test(text);
const operator = fc.constantFrom('<', '<=', '>', '>=', '=');
const feature = fc.oneof(
  fc
    .tuple(fc.constantFrom('', 'min-', 'max-'), range, value)
    .map(([limit, name, wanted]) => `(${limit}${name}: ${wanted})`),
  fc.tuple(range, operator, value).map(([name, than, wanted]) => `(${name} ${than} ${wanted})`),
  fc.tuple(value, operator, range).map(([wanted, than, name]) => `(${wanted} ${than} ${name})`),
  fc.constantFrom(
    ...['(orientation: landscape)', '(hover)', '(pointer: coarse)', '(color)', '(monochrome)'],
    ...['(grid)', '(prefers-color-scheme: dark)', '(prefers-reduced-motion)', '(foo)', '(width)'],
    '(update: fast)',
  ),
);
const condition = fc.oneof(
  feature,
  feature.map((one) => `not ${one}`),
  fc
    .tuple(feature, fc.constantFrom(' and ', ' or '), feature)
    .map(([one, joined, other]) => one + joined + other),
  fc.tuple(feature, feature).map(([one, other]) => `(${one} or ${other}) and (not ${other})`),
);
const query = fc.oneof(
  condition,
  fc
    .tuple(fc.constantFrom('screen', 'print', 'not all', 'only screen', 'not print'), feature)
    .map(([type, one]) => `${type} and ${one}`),
  fc.tuple(condition, condition).map(([one, other]) => `${one}, ${other}`),
);

const descriptor = fc.constantFrom(
  ...['', ' 1x', ' 2x', ' 1.5x', ' .5x', ' 320w', ' 640w', ' 1280w', ' 640w 480h', ' 3q', ' 0w'],
  ' -1x',
);
const srcset = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), descriptor), { maxLength: 4 })
  .chain((items) =>
    fc
      .constantFrom(', ', ',', ' ,\n')
      .map((comma) => items.map(([name, how]) => `/${name}${how}`).join(comma)),
  );
const sizes = fc.oneof(
  fc.constant(null),
  length,
  fc.tuple(condition, length, length).map(([when, one, other]) => `${when} ${one}, ${other}`),
);
const image = fc.record({
  srcset,
  sizes: sizes.filter((text) => text === null || !isRatioOfLengths(text)),
  src: fc.constantFrom(null, '/src', ''),
});

const imageTypes = (
  'apng avif bmp gif jpeg jpg pjpeg png x-png svg+xml webp vnd.microsoft.icon x-icon ico x-xbitmap jxl jp2 jpx jxr ' +
  'heic heif avif-sequence tiff svg x-ms-bmp x-bmp vnd.adobe.photoshop x'
).split(' ');

const typesOf = (kind: string, names: string) => names.split(' ').map((name) => `${kind}/${name}`);
const mediaTypes = [
  ...typesOf('video', 'mp4 webm ogg quicktime x-matroska x-m4v mpeg mp2t 3gpp x-flv'),
  ...typesOf('audio', 'mpeg mp3 x-mp3 ogg wav x-wav webm flac x-flac aac mp4 x-m4a m4a aiff'),
  ...typesOf('application', 'ogg x-mpegurl vnd.apple.mpegurl dash+xml'),
  'video/nonsense',
];

describe.skipIf(!hasChromium)('Chromium and the scanner', () => {
  const browser = sharedBrowser(launchChromium);

  async function opened({ width, height, dpr }: (typeof screens)[number]): Promise<Page> {
    const context = await browser().newContext({
      viewport: { width, height },
      screen: { width, height },
      deviceScaleFactor: dpr,
    });
    await context.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
    const page = await context.newPage();
    await page.goto('http://site.example/');
    return page;
  }

  it.each(screens)('agree on media queries at %o', async (screen) => {
    const page = await opened(screen);
    const queries = fc.sample(
      query.filter((text) => !isRatioOfLengths(text)),
      { seed: 1, numRuns: cases },
    );
    const theirs = await page.evaluate<boolean[]>(
      `${JSON.stringify(queries)}.map((query) => matchMedia(query).matches)`,
    );
    const ours = queries.map((text) => matchesMedia(text, screen));
    const differing = queries
      .map((text, at) => `${text}: ${theirs[at]}`)
      .filter((_, at) => ours[at] !== theirs[at]);
    expect(differing).toEqual([]);
    await page.context().close();
  });

  it('agree on the types of images', async () => {
    const page = await opened(screens[0] as (typeof screens)[number]);
    const sources = imageTypes.map(
      (type) =>
        `<picture><source type="image/${type}" srcset="/yes"><img src="/${type}/no"></picture>
        <link rel="preload" as="image" type="image/${type}" href="/preload/${type}">`,
    );
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    await page.setContent(sources.join(''));
    const theirs = await page.evaluate<string[]>(
      '[...document.images].map(({ currentSrc }) => new URL(currentSrc).pathname)',
    );
    const ours = imageTypes.map((type) => isImageType(`image/${type}`));
    expect(imageTypes.filter((_, at) => ours[at] !== (theirs[at] === '/yes'))).toEqual([]);
    const preloaded = imageTypes.map((type) => requested.includes(`/preload/${type}`));
    expect(imageTypes.filter((_, at) => ours[at] !== preloaded[at])).toEqual([]);
    await page.context().close();
  });

  it('agree on the types of audio and video', async () => {
    const page = await opened(screens[0] as (typeof screens)[number]);
    const theirs = await page.evaluate<string[]>(
      `${JSON.stringify(mediaTypes)}.filter((type) => document.createElement('video').canPlayType(type) !== '')`,
    );
    expect(mediaTypes.filter(isMediaType)).toEqual(theirs);
    await page.context().close();
  });

  it('agree on sizes that begin with auto', async () => {
    const page = await opened(screens[0] as (typeof screens)[number]);
    const autos = ['auto', 'auto, 300px', 'AUTO,300px', '(width > 1px) auto, 300px', '300px, auto'];
    // A lazy one is 300 pixels wide until it has come, if no rule says more (HTML 15.4.2).
    const images = autos.flatMap((sizes, at) =>
      [false, sizes.includes('300px')].map((isLazy, which) => ({
        ...{ sizes, isLazy, src: null },
        srcset: `/${at}${which}/s 300w, /${at}${which}/l 1280w`,
      })),
    );
    await page.setContent(
      images
        .map(
          ({ sizes, isLazy, srcset }) =>
            `<img ${isLazy ? 'loading=lazy' : ''} sizes="${sizes}" srcset="${srcset}">`,
        )
        .join(''),
    );
    // Chromium chooses a lazy one with its first frame.
    await page.waitForFunction('[...document.images].every(({ currentSrc }) => currentSrc)');
    const theirs = await page.evaluate<string[]>(
      '[...document.images].map(({ currentSrc }) => new URL(currentSrc).pathname)',
    );
    const screen = screens[0] as (typeof screens)[number];
    expect(images.map((each) => selectImage(each, null, screen))).toEqual(theirs);
    await page.context().close();
  });

  it.each(screens)('agree on images at %o', async (screen) => {
    const page = await opened(screen);
    // Chromium takes a larger one that it has already, so no two images share a URL.
    const own = (text: string, at: number) => text.replace(/\/(?=[a-ds])/g, `/${at}/`);
    const images = fc.sample(image, { seed: 2, numRuns: cases }).map((one, at) => ({
      ...one,
      srcset: own(one.srcset, at),
      src: one.src && own(one.src, at),
    }));
    const written = images.map(({ src, ...others }) =>
      Object.entries({ ...others, src })
        .filter(([, text]) => text !== null)
        .map(([name, text]) => `${name}="${text}"`)
        .join(' '),
    );
    // The page is loaded when each image has been asked for.
    await page.setContent(written.map((attributes) => `<img ${attributes}>`).join(''));
    const theirs = await page.evaluate<string[]>(
      '[...document.images].map(({ currentSrc }) => currentSrc && new URL(currentSrc).pathname)',
    );
    const ours = images.map(({ src, ...source }) => selectImage(source, src, screen) ?? '');
    const differing = images
      .map((one, at) => `${JSON.stringify(one)}: ${theirs[at]}, not ${ours[at]}`)
      .filter((_, at) => ours[at] !== theirs[at]);
    expect(differing).toEqual([]);
    await page.context().close();
  });
});
