// The icon that a browser shows in its tab (HTML 4.6.7.8): of several it takes one. The standard leaves the choice
// open; this is Chromium's on a desktop, as far as it can be told before an icon is seen.

import type { Found } from './found.ts';

/** Where the link stands. */
interface Place {
  name: string;
  offset: number;
}

export interface IconLink {
  found: Found;
  place: Place;
  /** Its `sizes`, as written. */
  sizes: string;
  /** Of any size. */
  isVector: boolean;
}

/** Shown at 16 or 32 pixels; one that is larger is scaled down. */
const wantedPx = 32;
/** More are not compared. */
const most = 1_000;

/** What a page without any has (HTML 4.6.7.8). */
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

  /** The one that is fetched comes first, the others with a reason. */
  choose(): IconLink[] {
    const [chosen = usual, ...others] = this.#links.toSorted((a, b) => rankOf(a) - rankOf(b));
    const skipped = 'another icon is taken';
    return [
      { ...chosen, found: { ...chosen.found, priority: 'lowest', isLate: true } },
      ...others.map((link) => ({ ...link, found: { ...link.found, skipped } })),
    ];
  }
}

/** The least is taken: one of any size, the smallest that is large enough, one that says nothing, the largest other. */
function rankOf({ sizes, isVector }: IconLink): number {
  if (isVector || /\bany\b/i.test(sizes)) return 0;
  const widths = [...sizes.matchAll(/(\d{1,5})x\d/gi)].map(([, width]) => Number(width));
  const enough = widths.filter((width) => width >= wantedPx);
  if (enough.length > 0) return Math.min(...enough);
  return widths.length === 0 ? 1e6 : 1e6 + wantedPx - Math.max(...widths);
}
