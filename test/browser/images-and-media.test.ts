// Media queries and the choice of an image, against Chromium: what the standards tell apart (Media Queries 5; HTML
// 4.8.4.3.7, 4.8.4.3.10 and 4.8.4.3.11), and cases made from a seed, at three screens.

import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { isMediaType } from '../../loader/scan/html/embedded.ts';
import { isImageType, selectImage } from '../../loader/scan/images/selection.ts';
import { parseSrcset } from '../../loader/scan/images/srcset.ts';
import { matchesMedia } from '../../loader/scan/style/media-query.ts';
import { hasChromium, launchChromium } from '../support/chromium.ts';
import { sharedBrowser } from './set-up.ts';

const laptop = { width: 1280, height: 800, dpr: 1 };
const screens = [
  laptop,
  { width: 360, height: 640, dpr: 2 },
  { width: 600, height: 900, dpr: 1.5 },
];
const cases = 400;

/** Queries, which stand between semicolons: those that match one of the screens, fail, are unknown, and are invalid. */
const queries = `
  all; SCREEN; only screen; not print; print, screen; screen,; (min-width: 1280px); (max-width: 1280px)
  (width: 1280px); (width); (min-width: 0); screen and (min-width: 60em); (min-width: 80rem); (width >= 100vw)
  (width < 34cm); (400px <= width <= 1280px); (400px < width); (height <= 50em)
  (orientation: landscape); (aspect-ratio: 16/10); (aspect-ratio: 1.6); (aspect-ratio > 1/1)
  (min-resolution: 2dppx); (resolution: 192dpi); (min-resolution: 2x)
  (-webkit-min-device-pixel-ratio: 1.5); (-webkit-device-pixel-ratio: 2); (color); (min-color: 8)
  not (monochrome); (hover); (pointer: fine); (prefers-color-scheme: light)
  (prefers-reduced-motion: no-preference); not (prefers-reduced-motion); (scripting: enabled)
  (width > 1px) and (height > 1px); (width < 1px) or (height > 1px); not (width < 1px)
  ((width > 1px) and (not (height < 1px))); not print and (width); (min-width: calc(1000px + 10em))
  (min-width: min(2000px, 10em)); (max-width: clamp(1px, 1300px, 2000px)); (min-width: max(10px, 2 * 5em))
  (width < 1px), (height); (foo) or (width); (foo: bar) , screen; (min-width: 1e3px)
  print; not all; speech; not screen; only print; tv; handheld; (min-width: 1281px); (max-width: 1279.9px)
  (width: 1279px); (max-width: 600px); screen and (max-width: 40em); (width > 1280px); (400px <= width < 1280px)
  (orientation: portrait); (aspect-ratio: 16/9); (max-resolution: 96dpi); (monochrome); (hover: none)
  (pointer: coarse); (prefers-color-scheme: dark); (prefers-reduced-motion); (prefers-reduced-motion: reduce)
  (display-mode: fullscreen)
  (foo); not (foo); (foo: bar); (width) and (foo); (min-width: 3s); (width: red); (orientation: sideways)
  (min-orientation: portrait); (min-hover: hover); (100px)
  screen and; and (width); (width) and (height) or (color); screen or (width); not screen or (width)
  screen (width); (400px < width > 300px); &; (min-width: 1px 2px); (min-width >= 1px); (width =< 2000px)`
  .split(/[;\n]/)
  .map((text) => text.trim());

/** Values of srcset, with the names of files for their URLs. */
const srcsets = [
  ...['a 1x, b 2x', 'a 1.5x, b 2x', 'a 0.5x, b 2x', 'b 2x', 'a 1x, c 1x', 'c 3x, b 2x, a 1x', ''],
  ...['a 1q', 'a, b 2x', 'a 480w, b 800w', 'a 480w,\n\tb 800w', 'a 480w 320h', 'a 320h, b'],
  ...['a,b 1x', 'a, b 2x', 'a,,, b', 'a,b 2x', ' ,, a', '  ,  ', 'a 1e1x, b 2E-1x', 'a .5x'],
  ...['a 1.x, b +1x, c xx, d 1.5w', 'a -1w, b 0w, c 1X', 'a -1x', 'b -0x', 'a 1x 2x, b 1w 2w'],
  ...['a 1x 1w, b 1w 1x', 'a 1q, b 1x hello, c 2x', 'a calc(1, 2) 1x, b 2x', 'a (b, c 2x'],
];
/** Values of sizes. */
const sizesOf = [
  ...['', '10px', '50vw', '(min-width: 500px) 10px, 20px', '(min-width: 1500px) 10px, 20px'],
  ...['(min-width: 1500px) 10px', '20px, 30px', 'calc(100vw / 2 + 1em)', 'calc(1px - 2px)', '0'],
  ...['(width > 1px) min(10em, 50vw), 1px', '-1px, 5px', '50%, 5px', '5, 7px', 'screen 5px, 7px'],
  ...['(foo) 5px, 7px', 'not (foo) 5px, 7px', 'not (width < 1px) 5px, 7px', '10px /* of */ , 5px'],
  ...['(width > 1px)5px', ',,5px', 'url(x) 5px', '(', '5px'.repeat(10_000)],
  ...[
    '(max-width: 600px) 100vw, 300px',
    '(min-width: 500px) and (orientation: landscape) 9vw, 1px',
  ],
];
const widths = Array.from(
  { length: 14 },
  (_, at) => `/a${at} ${Math.round(5 * 1.5 ** at)}w`,
).join();
const images: Array<{ srcset: string; sizes: string | null; src: string | null }> = [
  ...srcsets.flatMap((text) =>
    [null, '', '/src'].map((src) => {
      return { srcset: text.replaceAll(/\b[abcd]\b/g, '/$&'), sizes: null, src };
    }),
  ),
  ...sizesOf.map((sizes) => ({ srcset: widths, sizes, src: '/src' })),
];

const length = fc.constantFrom(
  ...['0', '1px', '360px', '600px', '37.5em', '1280px', '50vw', '10cm', '5in', '3', '-1px', '20%'],
  ...['calc(10em + 2px)', 'min(50vw, 300px)', 'max(1px, 20vh)', 'clamp(1px, 50vw, 2px)'],
);
/** A feature that has a range, and a value of its kind: `(width: 3)` is refused, but neither another nor a comparison. */
const ranged = fc.oneof(
  fc.tuple(fc.constantFrom('width', 'height', 'foo'), length),
  fc.tuple(fc.constant('aspect-ratio'), fc.constantFrom('16/10', '1', '8', 'red')),
  fc.tuple(fc.constant('resolution'), fc.constantFrom('2dppx', '96dpi', '1.5x', 'red')),
);
const operator = fc.constantFrom('<', '<=', '>', '>=');
const feature = fc.oneof(
  fc
    .tuple(fc.constantFrom('', 'min-', 'max-'), ranged)
    .map(([limit, [name, wanted]]) => `(${limit}${name}: ${wanted})`),
  fc
    .tuple(
      ranged.filter(([, wanted]) => wanted !== '3'),
      operator,
      fc.boolean(),
    )
    .map(([[name, wanted], than, isFirst]) =>
      isFirst ? `(${name} ${than} ${wanted})` : `(${wanted} ${than} ${name})`,
    ),
  fc.constantFrom(
    ...['(orientation: landscape)', '(hover)', '(pointer: coarse)', '(color)', '(monochrome)'],
    ...['(prefers-color-scheme: dark)', '(prefers-reduced-motion)', '(foo)', '(width)'],
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
  sizes,
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

it('a media query that is too long or too deep does not match, and does not throw', () => {
  const around = (count: number, start: string, text: string) =>
    `${start.repeat(count)}${text}${')'.repeat(count)}`;
  const texts = [
    ...[`(width)${' '.repeat(5000)}`, around(30, '(', 'width')],
    ...[`(min-width: ${'1'.repeat(5000)}px)`, around(1500, '(', 'width')],
    `(min-width: ${around(500, 'calc(', '1px')})`,
  ];
  expect(texts.filter((text) => matchesMedia(text, laptop))).toEqual(texts.slice(0, 2));
});

it('a ratio in a media query may be computed, which Chromium does not do', () => {
  expect(matchesMedia('(min-aspect-ratio: calc(3/2))', laptop)).toBe(true);
});

it('each URL of a srcset is a part of the text, and nothing throws', () => {
  const piece = fc.constantFrom(' ', '\n', ...'a , ( ) 1x 2w 3h data:, . -'.split(' '));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      for (const { url } of parseSrcset(text)) {
        expect(text).toContain(url);
        expect(url).not.toMatch(/^,|[\t\n\f\r ]/);
      }
    }),
    { seed: 1, numRuns: 500 },
  );
});

describe.skipIf(!hasChromium)('Chromium and the scanner', () => {
  const browser = sharedBrowser(launchChromium);

  async function opened({ width, height, dpr }: typeof laptop): Promise<Page> {
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
    const all = [...queries, ...fc.sample(query, { seed: 1, numRuns: cases })];
    const theirs = await page.evaluate<boolean[]>(
      `${JSON.stringify(all)}.map((query) => matchMedia(query).matches)`,
    );
    const ours = all.map((text) => matchesMedia(text, screen));
    const differing = all
      .map((text, at) => `${text}: ${theirs[at]}`)
      .filter((_, at) => ours[at] !== theirs[at]);
    expect(differing).toEqual([]);
    await page.context().close();
  });

  it('agree on the types of images', async () => {
    const page = await opened(laptop);
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
    const page = await opened(laptop);
    const theirs = await page.evaluate<string[]>(
      `${JSON.stringify(mediaTypes)}.filter((type) => document.createElement('video').canPlayType(type) !== '')`,
    );
    expect(mediaTypes.filter(isMediaType)).toEqual(theirs);
    await page.context().close();
  });

  it('agree on sizes that begin with auto', async () => {
    const page = await opened(laptop);
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
    expect(images.map((each) => selectImage(each, null, laptop))).toEqual(theirs);
    await page.context().close();
  });

  it.each(screens)('agree on images at %o', async (screen) => {
    const page = await opened(screen);
    // Chromium takes a larger one that it has already, so no two images share a URL.
    const own = (text: string, at: number) => text.replace(/\/(?=[a-ds])/g, `/${at}/`);
    const made = fc.sample(image, { seed: 2, numRuns: cases });
    const all = [...images, ...made].map((one, at) => ({
      ...one,
      srcset: own(one.srcset, at),
      src: one.src && own(one.src, at),
    }));
    const written = all.map(({ src, ...others }) =>
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
    const ours = all.map(({ src, ...source }) => selectImage(source, src, screen) ?? '');
    const differing = all
      .map((one, at) => `${JSON.stringify(one)}: ${theirs[at]}, not ${ours[at]}`)
      .filter((_, at) => ours[at] !== theirs[at]);
    expect(differing).toEqual([]);
    await page.context().close();
  });
});
