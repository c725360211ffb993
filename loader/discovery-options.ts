// The options of discovery: which of the resources that a page names are fetched, and for which screen.

import { listOf, number, oneOf, text, trueOrFalse } from '../options/kinds.ts';
import { type Kind, type OptionsOf, objectOf, option, type ValuesOf } from '../options/options.ts';
import type { ScannerOptions } from './scan/index.ts';
import type { Screen } from './scan/style/environment.ts';

const size = /^[1-9]\d{0,4}x[1-9]\d{0,4}$/;
const pattern = text({
  rule: 'a URL or a part of one, with * for any characters',
  pattern: /^[^\s]{1,1024}$/,
});

export const discoveryTable = {
  /** Width and height of the viewport, CSS pixels: they decide media queries and image sizes. */
  viewport: option(text({ rule: 'a size such as 1280x800', pattern: size }), '1280x800'),
  /** Device pixels per CSS pixel. */
  dpr: option(number({ above: 0, most: 100 }), 1),
  /**
   * The viewport is a phone's: `(hover: none)` and `(pointer: coarse)` hold, and without `<meta name=viewport>` a page
   * is laid out 980 CSS pixels wide.
   */
  mobile: option(trueOrFalse(), false),
  /**
   * What is fetched besides what every page needs. `icons`: the icon of the tab and the manifest, after everything else;
   * `media`: audio, video and subtitles; `frames`: the documents of frames, objects and embeds, with what they name.
   */
  also: option(listOf(oneOf(['icons', 'media', 'frames']), 'a list'), []),
  /** Where resources may be, relative to the page's URL. */
  origins: option(oneOf(['all', 'same-site', 'same-origin']), 'all'),
  /** Fetch no URL that matches one of these: parts of URLs, in which `*` stands for any characters. */
  exclude: option(listOf(pattern, 'a list of URLs with * for any characters', 100), []),
};

export type DiscoverySettings = ValuesOf<typeof discoveryTable>;
export type DiscoveryOptions = OptionsOf<typeof discoveryTable>;
export const discoveryKind: Kind<DiscoverySettings, DiscoveryOptions> = objectOf(discoveryTable);

/** The screen that a page is loaded for. */
export function screenOf({ viewport, dpr, mobile }: DiscoverySettings): Screen {
  const [width = 0, height = 0] = viewport.split('x').map(Number);
  return { width, height, dpr, isTouched: mobile };
}

export function scannerOptions(options: DiscoverySettings): Omit<ScannerOptions, 'url'> {
  const { dpr, mobile, also } = options;
  return { viewport: screenOf(options), dpr, mobile, also };
}
