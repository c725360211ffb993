// Which face of a family a text takes (CSS Fonts 4, 5.2).

import type { CharacterSet } from './character-set.ts';
import type { FontFace } from './font-face.ts';

export interface FontRequest {
  weight: number;
  style: 'normal' | 'italic';
}

/** @param faces of one family */
export function facesFor(
  faces: readonly FontFace[],
  request: FontRequest,
  characters: CharacterSet,
): FontFace[] {
  const distances = faces.map((face) => distance(face, request));
  const best = distances.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const matching = faces.filter((_, index) => distances[index] === best);
  // Of faces for the same characters, the last one is taken first.
  const last = new Map(matching.map((face) => [JSON.stringify(face.unicodeRange), face]));
  return [...last.values()].filter((face) => hasCharacters(face, characters));
}

function hasCharacters({ unicodeRange }: FontFace, characters: CharacterSet): boolean {
  return unicodeRange?.some(([first, last]) => characters.has(first, last)) ?? true;
}

/** The style decides first, then the weight. */
function distance(face: FontFace, request: FontRequest): number {
  const styles =
    request.style === 'italic' ? ['italic', 'oblique', 'normal'] : ['normal', 'oblique', 'italic'];
  return styles.indexOf(face.style) * 10_000 + weightDistance(face.weight, request.weight);
}

function weightDistance([first, last]: readonly [number, number], wanted: number): number {
  if (first <= wanted && wanted <= last) return 0;
  const isLighter = last < wanted;
  const apart = isLighter ? wanted - last : first - wanted;
  if (wanted > 500) return isLighter ? apart + 2_000 : apart;
  if (wanted < 400) return isLighter ? apart : apart + 2_000;
  // From the wanted weight up to 500, then lighter ones, then heavier ones.
  if (!isLighter) return first <= 500 ? apart : apart + 4_000;
  return apart + 2_000;
}
