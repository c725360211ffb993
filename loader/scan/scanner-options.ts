// The options of the scanner, and those of a loader's discovery that it shares: the screen, what is reported on request.

import { aFunction, any, listOf, number, oneOf, text, trueOrFalse } from '../../options/kinds.ts';
import {
  type OptionsOf,
  objectOf,
  option,
  optionWithoutDefault,
  required,
} from '../../options/options.ts';
import type { Skipped } from './reference.ts';
import { defaultScreen, type Screen } from './style/environment.ts';

/** Matches a `viewport`: width, height, device pixels per CSS pixel (above 0, below 100), ` mobile` for a phone. */
const screen = /^([1-9]\d{0,4})x([1-9]\d{0,4})(?:@([1-9]\d?(?:\.\d+)?|0\.0*[1-9]\d*))?( mobile)?$/;

export const screenTable = {
  /**
   * The screen, which decides media queries and image sizes: width and height of the viewport in CSS pixels, then
   * `@` and the device pixels per CSS pixel (1 if left out), then ` mobile` for a phone's: `390x844@3 mobile`. On a
   * phone `(hover: none)` and `(pointer: coarse)` hold, and without `<meta name=viewport>` a page is laid out 980 CSS
   * pixels wide.
   */
  viewport: option(
    text({ rule: 'a size such as 1280x800, 390x844@3 or 390x844@3 mobile', pattern: screen }),
    `${defaultScreen.width}x${defaultScreen.height}`,
    { flag: '--viewport <size>', help: 'size of the view in CSS pixels' },
  ),
  /**
   * What is found besides what every page needs. `icons`: the icon of the tab and the manifest, after everything
   * else; `media`: audio, video and subtitles; `frames`: the documents of frames, objects and embeds, with the
   * resources that those name.
   */
  also: option(listOf(oneOf(['icons', 'media', 'frames']), 'a list'), [], {
    flag: '--also <what>',
    help: 'fetch more: icons (and the manifest), media (audio, video), frames; several: icons,media',
  }),
};

const { width, height } = defaultScreen;
const side = required(number({ above: 0 }));

export const scannerTable = {
  /** URL of the document, which is the base of relative references. */
  url: required(any<string | URL>((value) => /^(string|object)$/.test(typeof value), 'a URL')),
  /** The document's Content-Type; its charset parameter determines the encoding. */
  contentType: option(text({ rule: 'a media type' }), ''),
  /** The document's Content-Security-Policy; several policies are separated by commas. */
  contentSecurityPolicy: option(text({ rule: 'a policy' }), ''),
  /** Size of the viewport, CSS pixels. */
  viewport: option(objectOf({ width: side, height: side }), { width, height }),
  /** Device pixels per CSS pixel. */
  dpr: option(number({ above: 0 }), defaultScreen.dpr),
  /**
   * The viewport is a phone's: a page is laid out as its `<meta name=viewport>` says, or 980 CSS pixels wide if it has
   * none.
   */
  mobile: option(trueOrFalse(), false),
  also: screenTable.also,
  /** Called during `write`, `end` and `finish` for each resource that a browser would not fetch, with the reason. */
  onSkipped: optionWithoutDefault(aFunction<(skipped: Skipped) => void>()),
};

export type ScannerOptions = OptionsOf<typeof scannerTable>;

/** Returns the screen that a `viewport` describes. */
export function screenOf(viewport: string): Screen {
  const [, width, height, dpr = 1, mobile] = screen.exec(viewport) ?? [];
  const isTouched = mobile !== undefined;
  return { width: Number(width), height: Number(height), dpr: Number(dpr), isTouched };
}
