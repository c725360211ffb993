// Which of its sources an image takes (HTML 4.8.4.3.7, "selecting an image source"). The standard leaves the choice
// among densities open. Chromium 156 takes the smallest that is sharp on the screen, or else the largest.

import type { Screen } from '../style/environment.ts';
import { ScreenMemo } from '../style/screen-memo.ts';
import { sourceSize } from './sizes.ts';
import { type ImageCandidate, parseSrcset } from './srcset.ts';

export interface ImageSource {
  /** null: absent. */
  srcset: string | null;
  sizes: string | null;
  /** loading=lazy: its width may be said to be `auto`. */
  isLazy?: boolean;
}

/** A candidate with its density for the width that the image is shown in. */
interface ImageChoice {
  url: string;
  density: number;
}

/**
 * The URL as written that the screen takes.
 * @param src of img; null: none, or of a source
 * @returns null: there is none
 */
export function selectImage(
  { srcset, sizes, isLazy = false }: ImageSource,
  src: string | null,
  screen: Screen,
): string | null {
  if (srcset === null) return src === '' ? null : src;
  const choices = imageChoices({ srcset, sizes, isLazy }, src, screen);
  return best(choices, screen.dpr)?.url ?? null;
}

/** The URLs of `srcset` that the screen does not take, each with the reason. */
export function whyCandidatesLose(
  source: ImageSource,
  src: string | null,
  screen: Screen,
): ReadonlyMap<string, string> {
  const choices = imageChoices(source, src, screen);
  const taken = best(choices, screen.dpr);
  const lost = new Map<string, string>();
  for (const { url, density } of choices) {
    if (taken === null || url === taken.url || url === src) continue;
    lost.set(url, whyLost(density, taken.density));
  }
  return lost;
}

function whyLost(density: number, taken: number): string {
  if (density === taken) return 'an earlier candidate is as sharp';
  return density > taken ? 'a smaller candidate is sharp enough' : 'a sharper candidate is taken';
}

/** In the order of the document; `src` is the last one, if it is any. */
function imageChoices(
  { srcset, sizes, isLazy = false }: ImageSource,
  src: string | null,
  screen: Screen,
): ImageChoice[] {
  if (srcset === null) return [];
  const candidates = parseSrcset(srcset);
  const hasWidths = candidates.some(({ width }) => width !== null);
  const isOneThere = candidates.some(
    ({ width, density }) => width === null && (density ?? 1) === 1,
  );
  if (src !== null && src !== '' && !hasWidths && !isOneThere) {
    candidates.push({ url: src, width: null, density: 1 });
  }
  const width = hasWidths ? widthOf(sizes, isLazy, screen) : 0;
  return candidates.map((each) => ({ url: each.url, density: densityOf(each, width) }));
}

/** HTML asks all images to go on after `auto`; Chromium 156 ends there if the image is not lazy. */
function widthOf(sizes: string | null, isLazy: boolean, screen: Screen): number {
  if (sizes === null || sizes.trim() === '') return screen.width;
  if (!isLazy && /^[\t\n\f\r ]*auto[\t\n\f\r ]*(?:,|$)/i.test(sizes)) return screen.width;
  return parsedSizes.of(sizes, screen);
}

const parsedSizes = new ScreenMemo((sizes, screen) => {
  return sourceSize(sizes, screen);
});

const densityOf = ({ width, density }: ImageCandidate, imageWidth: number): number =>
  width === null ? (density ?? 1) : width / imageWidth;

/** Of equal ones the first. */
function best(choices: readonly ImageChoice[], dpr: number): ImageChoice | null {
  const byDensity = choices.toSorted((one, other) => one.density - other.density);
  const sharp = byDensity.find(({ density }) => density >= dpr);
  return sharp ?? choices.find(({ density }) => density === byDensity.at(-1)?.density) ?? null;
}
