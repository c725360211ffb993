// Whether a browser surely fetches what a sheet refers to, asked whenever the page has shown more.

import { areShown, type CssFound, type Shown } from './found.ts';
import type { PageFonts } from './page-fonts.ts';

/**
 * @param fonts Those of all sheets of the page, as given to their scanners
 * @returns false: perhaps
 */
export function isSure(item: CssFound, shown: Shown, fonts: PageFonts): boolean {
  if (item.skipped !== undefined || item.maybe !== undefined) return false;
  if (item.fontFace !== undefined) return fonts.isUsed(item.fontFace, shown);
  const { selectors, usedBy = null } = item;
  return areShown(selectors, shown) && areShown(usedBy, shown);
}
