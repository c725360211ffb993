// The options of discovery: which of the resources that a page names are fetched, and for which screen.

import { listOf, oneOf, text } from '../options/kinds.ts';
import { type Kind, type OptionsOf, objectOf, option, type ValuesOf } from '../options/options.ts';
import type { ScannerOptions } from './scan/index.ts';
import type { Screen } from './scan/style/environment.ts';

/** Matches a `viewport`: width, height, device pixels per CSS pixel (above 0, below 100), ` mobile` for a phone. */
const screen = /^([1-9]\d{0,4})x([1-9]\d{0,4})(?:@([1-9]\d?(?:\.\d+)?|0\.0*[1-9]\d*))?( mobile)?$/;
const pattern = text({
  rule: 'a URL or a part of one, with * for any characters',
  pattern: /^[^\s]{1,1024}$/,
});

export const discoveryTable = {
  /**
   * The screen, which decides media queries and image sizes: width and height of the viewport in CSS pixels, then
   * `@` and the device pixels per CSS pixel (1 if left out), then ` mobile` for a phone's: `390x844@3 mobile`. On a
   * phone `(hover: none)` and `(pointer: coarse)` hold, and without `<meta name=viewport>` a page is laid out 980 CSS
   * pixels wide.
   */
  viewport: option(
    text({
      rule: 'a size such as 1280x800, 390x844@3 or 390x844@3 mobile',
      pattern: screen,
    }),
    '1280x800',
    { flag: '--viewport <size>', help: 'size of the view in CSS pixels' },
  ),
  /**
   * What is fetched besides what every page needs. `icons`: the icon of the tab and the manifest, after everything
   * else; `media`: audio, video and subtitles; `frames`: the documents of frames, objects and embeds, with the
   * resources that those name.
   */
  also: option(listOf(oneOf(['icons', 'media', 'frames']), 'a list'), [], {
    flag: '--also <what>',
    help: 'fetch more: icons (and the manifest), media (audio, video), frames; several: icons,media',
  }),
  /**
   * Fetch no URL that matches one of these: parts of URLs, in which `*` stands for any characters. `cross-origin`
   * stands for all URLs of other origins than the page's, `cross-site` for all URLs of other sites, `all-images` for
   * all images.
   */
  exclude: option(listOf(pattern, 'a list of URLs with * for any characters', 100), [], {
    flag: '--exclude <part>',
    help: 'no URL with this part (* for any characters), or cross-origin, cross-site or all-images; repeatable',
    isRepeated: true,
  }),
};

export type DiscoverySettings = ValuesOf<typeof discoveryTable>;
export type DiscoveryOptions = OptionsOf<typeof discoveryTable>;
export const discoveryKind: Kind<DiscoverySettings, DiscoveryOptions> = objectOf(discoveryTable);

/** Returns the screen that a page is loaded for, as `viewport` describes it. */
export function screenOf({ viewport }: DiscoverySettings): Screen {
  const [, width, height, dpr = 1, mobile] = screen.exec(viewport) ?? [];
  const isTouched = mobile !== undefined;
  return { width: Number(width), height: Number(height), dpr: Number(dpr), isTouched };
}

export function scannerOptions(options: DiscoverySettings): Omit<ScannerOptions, 'url'> {
  const { dpr, isTouched: mobile = false, ...viewport } = screenOf(options);
  return { viewport, dpr, mobile, also: options.also };
}
