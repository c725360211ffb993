// Loads the scanner of style sheets with the first page that has style.

import { requireBeside } from '../require-beside.ts';
import type { Screen } from '../style/environment.ts';
import type { PageStyles } from './page-styles.ts';
import type { ShownElements } from './shown-elements.ts';

/** See the constructor of `PageStyles`. */
export function pageStyles(screen: Screen, shown: ShownElements, wantsUnsure: boolean): PageStyles {
  const module = requireBeside<typeof import('./page-styles.ts')>(import.meta.url, 'page-styles');
  return new module.PageStyles(screen, shown, wantsUnsure);
}
