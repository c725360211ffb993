// Which of its sources an image takes (HTML 4.8.4.3.7, "selecting an image source"). The standard leaves the choice
// among densities open. Chromium 156 takes the smallest that is sharp on the screen, or else the largest.

import { requireBeside } from '../require-beside.ts';
import type { Screen } from '../style/environment.ts';
import { ScreenMemo } from '../style/screen-memo.ts';
import { type ImageCandidate, parseSrcset } from './srcset.ts';

export interface ImageSource {
  /** null: absent. */
  srcset: string | null;
  sizes: string | null;
  /** loading=lazy: its width may be said to be `auto`. */
  isLazy?: boolean;
}

interface Dense {
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
  const candidates = parseSrcset(srcset);
  const hasWidths = candidates.some(({ width }) => width !== null);
  const isOneThere = candidates.some(
    ({ width, density }) => width === null && (density ?? 1) === 1,
  );
  if (src !== null && src !== '' && !hasWidths && !isOneThere) {
    candidates.push({ url: src, width: null, density: 1 });
  }
  if (candidates.length === 0) return null;
  const width = hasWidths ? widthOf(sizes, isLazy, screen) : 0;
  return best(densitiesOf(candidates, width), screen.dpr);
}

/** HTML asks all images to go on after `auto`; Chromium 156 ends there if the image is not lazy. */
function widthOf(sizes: string | null, isLazy: boolean, screen: Screen): number {
  if (sizes === null || sizes.trim() === '') return screen.width;
  if (!isLazy && /^[\t\n\f\r ]*auto[\t\n\f\r ]*(?:,|$)/i.test(sizes)) return screen.width;
  return parsedSizes.of(sizes, screen);
}

const parsedSizes = new ScreenMemo((sizes, screen) => {
  const { sourceSize } = requireBeside<typeof import('./sizes.ts')>(import.meta.url, 'sizes');
  return sourceSize(sizes, screen);
});

/** By density; of equal ones the first. */
function densitiesOf(candidates: readonly ImageCandidate[], imageWidth: number): Dense[] {
  const seen = new Set<number>();
  const dense = candidates.map(
    ({ url, width, density }): Dense => ({
      url,
      density: width === null ? (density ?? 1) : width / imageWidth,
    }),
  );
  const first = dense.filter(({ density }) => {
    const isNew = !seen.has(density);
    seen.add(density);
    return isNew;
  });
  return first.sort((one, other) => one.density - other.density);
}

function best(sources: readonly Dense[], dpr: number): string | null {
  return (sources.find(({ density }) => density >= dpr) ?? sources.at(-1))?.url ?? null;
}
