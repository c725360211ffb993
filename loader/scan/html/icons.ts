// Chooses the icon that a browser shows in its tab (HTML 4.6.7.8) from several. The standard leaves the choice open;
// this is Chromium's on a desktop, as far as it can be predicted before an icon is loaded.

import type { Found } from './found.ts';

/** Position of the link element. */
interface IconPlace {
  name: string;
  offset: number;
}

export interface IconLink {
  found: Found;
  place: IconPlace;
  /** Value of its `sizes` attribute, as written. */
  sizes: string;
  /** The icon is scalable to any size. */
  isVector: boolean;
}

/** Icons are shown at 16 or 32 pixels; a larger one is scaled down. */
const wantedPx = 32;
/** Most icons that are compared. */
const most = 1_000;

/** The icon of a page that names none (HTML 4.6.7.8). */
const usual: IconLink = {
  found: { kind: 'icon', written: '/favicon.ico', named: 'default' },
  place: { name: 'icon', offset: 0 },
  sizes: '',
  isVector: false,
};

export class Icons {
  readonly #links: IconLink[] = [];

  add(link: IconLink): void {
    if (this.#links.length < most) this.#links.push(link);
  }

  /** All icons: the one that is fetched comes first, the others have the reason why they are not. */
  choose(): IconLink[] {
    const [chosen = usual, ...others] = this.#links.toSorted((a, b) => rankOf(a) - rankOf(b));
    const skipped = 'another icon is taken';
    return [
      { ...chosen, found: { ...chosen.found, priority: 'lowest', isLate: true } },
      ...others.map((link) => ({ ...link, found: { ...link.found, skipped } })),
    ];
  }
}

/** Rank of an icon, lowest first: scalable, the smallest large enough, without sizes, the largest of the others. */
function rankOf({ sizes, isVector }: IconLink): number {
  if (isVector || /\bany\b/i.test(sizes)) return 0;
  const widths = [...sizes.matchAll(/(\d{1,5})x\d/gi)].map(([, width]) => Number(width));
  const enough = widths.filter((width) => width >= wantedPx);
  if (enough.length > 0) return Math.min(...enough);
  return widths.length === 0 ? 1e6 : 1e6 + wantedPx - Math.max(...widths);
}
