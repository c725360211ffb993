// The options of discovery: which of the resources that a page names are fetched, and for which screen.

import { listOf, number, oneOf, text, trueOrFalse, wholeNumber } from '../options/kinds.ts';
import { type Kind, type OptionsOf, objectOf, option, type ValuesOf } from '../options/options.ts';
import type { ScannerOptions } from './scan/index.ts';

const pattern = () =>
  text({ rule: 'a URL or a part of one, with * for any characters', pattern: /^[^\s]{1,1024}$/ });
const patterns = () => listOf(pattern(), 'a list of URLs with * for any characters', 100);

export const discoveryTable = {
  /** Width of the viewport, CSS pixels: decides media queries and image sizes. */
  viewportWidth: option(wholeNumber({ least: 1, most: 100_000 }), 1280),
  /** Height of the viewport, CSS pixels. */
  viewportHeight: option(wholeNumber({ least: 1, most: 100_000 }), 800),
  /** Device pixels per CSS pixel. */
  dpr: option(number({ above: 0, most: 100 }), 1),
  /**
   * The viewport is a phone's: `(hover: none)` and `(pointer: coarse)` hold, and without `<meta name=viewport>` a page
   * is laid out 980 CSS pixels wide.
   */
  mobile: option(trueOrFalse(), false),
  /** Images and frames with `loading=lazy`. `near`: those with fewer than 8 images before them. */
  lazyImages: option(oneOf(['near', 'all', 'none']), 'near'),
  /** Images and fonts that styles name. `sure`: those that an element of the page surely uses. */
  styleResources: option(oneOf(['sure', 'all', 'none']), 'sure'),
  /** The icon of the tab and the manifest, after everything else. */
  icons: option(trueOrFalse(), false),
  /** Audio, video and subtitles. */
  media: option(trueOrFalse(), false),
  /** The documents of frames, objects and embeds, with what they name. */
  frames: option(trueOrFalse(), false),
  /** Where resources may be, relative to the page's URL. */
  origins: option(oneOf(['all', 'same-site', 'same-origin']), 'all'),
  /**
   * Fetch only URLs that match one of these: parts of URLs, in which `*` stands for any characters. An empty list: all.
   */
  include: option(patterns(), []),
  /** Fetch no URL that matches one of these. */
  exclude: option(patterns(), []),
  /** Keep in the record (`skipped`) what was named and not fetched, and why. */
  explain: option(trueOrFalse(), false),
};

export type DiscoverySettings = ValuesOf<typeof discoveryTable>;
export type DiscoveryOptions = OptionsOf<typeof discoveryTable>;
export const discoveryKind: Kind<DiscoverySettings, DiscoveryOptions> = objectOf(discoveryTable);

export function scannerOptions(options: DiscoverySettings): Omit<ScannerOptions, 'url'> {
  const { viewportWidth: width, viewportHeight: height, dpr } = options;
  const { mobile, lazyImages, styleResources, icons, media, frames } = options;
  const viewport = { width, height };
  return { viewport, dpr, mobile, lazyImages, styleResources, icons, media, frames };
}
