// The options of discovery: which of the resources that a page names are fetched, and for which screen.

import { listOf, number, oneOf, text, trueOrFalse, wholeNumber } from '../options/kinds.ts';
import { option, type TableOf } from '../options/options.ts';
import type { ScannerOptions } from './scan/index.ts';

export interface DiscoveryOptions {
  /** Size of the viewport, CSS pixels. */
  viewportWidth: number;
  viewportHeight: number;
  /** Device pixels per CSS pixel. */
  dpr: number;
  /** The viewport is a phone's, so the page states how wide it is laid out. */
  mobile: boolean;
  /** Scripts would run, so the content of noscript is not shown. */
  scripting: boolean;
  /** Images with loading=lazy to fetch: those that the first view probably shows, all, or none. */
  lazyImages: 'near' | 'all' | 'none';
  /** Images and fonts of style sheets to fetch: those that an element of the page certainly uses, all, or none. */
  styleResources: 'sure' | 'all' | 'none';
  /** Also fetch the icon of the tab and the manifest, after everything else. */
  icons: boolean;
  /** Also fetch audio, video and subtitles. */
  media: boolean;
  /** Also fetch the documents of frames, objects and embeds, with their resources. */
  frames: boolean;
  /** Origins from which resources are fetched, relative to the page's URL. */
  origins: 'all' | 'same-site' | 'same-origin';
  /** Fetch only URLs that match one of these patterns; empty: all. */
  include: string[];
  /** Fetch no URL that matches one of these patterns. */
  exclude: string[];
  /** Record what is not fetched, with the reason. */
  explain: boolean;
}

const pattern = () =>
  text({ rule: 'a URL or a part of one, with * for any characters', pattern: /^[^\s]{1,1024}$/ });
const patterns = () => listOf(pattern(), 'a list of URLs with * for any characters', 100);

export const discoveryTable = {
  viewportWidth: option(
    wholeNumber({ least: 1, most: 100_000 }),
    1280,
    'Width of the viewport, CSS pixels: decides media queries and image sizes.',
  ),
  viewportHeight: option(wholeNumber({ least: 1, most: 100_000 }), 800, 'Its height.'),
  dpr: option(number({ above: 0, most: 100 }), 1, 'Device pixels per CSS pixel.'),
  mobile: option(
    trueOrFalse(),
    false,
    "The viewport is a phone's: `(hover: none)` and `(pointer: coarse)` hold, and without `<meta name=viewport>` a page is laid out 980 CSS pixels wide.",
  ),
  scripting: option(
    trueOrFalse(),
    true,
    'Fetch scripts, and leave out what is in noscript. No script runs in either case.',
  ),
  lazyImages: option(
    oneOf(['near', 'all', 'none']),
    'near',
    'Images and frames with `loading=lazy`. `near`: those with fewer than 8 images before them.',
  ),
  styleResources: option(
    oneOf(['sure', 'all', 'none']),
    'sure',
    'Images and fonts that styles name. `sure`: those that an element of the page surely uses.',
  ),
  icons: option(
    trueOrFalse(),
    false,
    'The icon of the tab and the manifest, after everything else.',
  ),
  media: option(trueOrFalse(), false, 'Audio, video and subtitles.'),
  frames: option(
    trueOrFalse(),
    false,
    'The documents of frames, objects and embeds, with what they name.',
  ),
  origins: option(
    oneOf(['all', 'same-site', 'same-origin']),
    'all',
    "Where resources may be, relative to the page's URL.",
  ),
  include: option(
    patterns(),
    [],
    'Fetch only URLs that match one of these: parts of URLs, in which `*` stands for any characters. An empty list: all.',
  ),
  exclude: option(patterns(), [], 'Fetch no URL that matches one of these.'),
  explain: option(
    trueOrFalse(),
    false,
    'Keep in the record (`skipped`) what was named and not fetched, and why.',
  ),
} satisfies TableOf<DiscoveryOptions>;

export function scannerOptions(options: DiscoveryOptions): Omit<ScannerOptions, 'url'> {
  const { viewportWidth: width, viewportHeight: height, dpr } = options;
  const { mobile, scripting, lazyImages, styleResources, icons, media, frames } = options;
  const viewport = { width, height };
  return { viewport, dpr, mobile, scripting, lazyImages, styleResources, icons, media, frames };
}
