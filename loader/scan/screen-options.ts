// The screen of a loader's discovery, and what both discovery and the scanner report on request.

import { listOf, oneOf, text } from '../../options/kinds.ts';
import { option } from '../../options/options.ts';
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

/** Returns the screen that a `viewport` describes. */
export function screenOf(viewport: string): Screen {
  const [, width, height, dpr = 1, mobile] = screen.exec(viewport) ?? [];
  const isTouched = mobile !== undefined;
  return { width: Number(width), height: Number(height), dpr: Number(dpr), isTouched };
}
