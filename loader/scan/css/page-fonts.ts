// The fonts of a page: faces, and rules that use them. They are often in different sheets, so all sheets of a page share
// one of these. Which face a text takes is decided as in CSS Fonts 4, 5.2.

import type { FontFace } from './font-face.ts';
import { areShown, type SelectorUse, type Shown } from './found.ts';

/** A rule that names a family, a weight or a style. */
export interface FontUse {
  /** null: it is in a style attribute. */
  selectors: SelectorUse[] | null;
  /** In lower case; null: that of the elements around. */
  families: readonly string[] | null;
  /** null: the rule does not say. */
  weight: number | null;
  style: 'normal' | 'italic' | null;
}

interface Request {
  weight: number;
  style: 'normal' | 'italic';
}

const boldTags = ['b', 'strong', 'th', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
const italicTags = ['em', 'i', 'cite', 'dfn', 'address', 'var'];
const letters: ReadonlyArray<readonly [number, number]> = [
  [0x41, 0x5a],
  [0x61, 0x7a],
];
/** Of faces, and of rules. */
const most = 20_000;
const mostRequests = 32;
const mostOfFamily = 1_000;

export class PageFonts {
  readonly #faces = new Map<string, FontFace[]>();
  readonly #uses: FontUse[] = [];
  #count = 0;

  addFace(face: FontFace): void {
    if (this.#count++ >= most) return;
    const faces = this.#faces.get(face.family);
    if (faces === undefined) this.#faces.set(face.family, [face]);
    else if (faces.length < mostOfFamily) faces.push(face);
  }

  addUse(use: FontUse): void {
    if (this.#uses.length < most) this.#uses.push(use);
  }

  /** Whether some text of the page surely takes this face. */
  isUsed(face: FontFace, shown: Shown): boolean {
    if (!hasCharacters(face, shown)) return false;
    const uses = this.#uses.filter(({ selectors }) => areShown(selectors, shown));
    const ofFamily = distinct(uses.filter(({ families }) => families?.includes(face.family)));
    const others = distinct(uses.filter(({ families }) => families === null));
    return ofFamily.some((use) =>
      requestsOf(use, others, shown).some((request) =>
        this.#taken(face.family, request).includes(face),
      ),
    );
  }

  #taken(family: string, request: Request): FontFace[] {
    const faces = this.#faces.get(family) ?? [];
    const best = Math.min(...faces.map((face) => distance(face, request)));
    const matching = faces.filter((face) => distance(face, request) === best);
    // Of faces for the same characters, the last one is taken first.
    const ranges = matching.map(({ unicodeRange }) => JSON.stringify(unicodeRange));
    return matching.filter((_, at) => !ranges.includes(ranges[at] as string, at + 1));
  }
}

function hasCharacters({ unicodeRange }: FontFace, shown: Shown): boolean {
  if (unicodeRange === null) return true;
  const has = (first: number, last: number) =>
    shown.hasCharacter?.(first, last) ?? letters.some(([a, z]) => first <= z && last >= a);
  return unicodeRange.some(([first, last]) => has(first, last));
}

/** One for each weight and style that rules name. */
function distinct(uses: readonly FontUse[]): FontUse[] {
  const byRequest = new Map(uses.map((use) => [`${use.weight} ${use.style}`, use]));
  return [...byRequest.values()].slice(0, mostRequests);
}

/** What the elements of a rule ask for, and those in them. That another rule overrides it is not known here. */
function requestsOf(use: FontUse, others: readonly FontUse[], shown: Shown): Request[] {
  const weight = use.weight ?? 400;
  const style = use.style ?? 'normal';
  const requests: Request[] = [{ weight, style }];
  if (boldTags.some((name) => shown.hasTag(name))) requests.push({ weight: 700, style });
  if (italicTags.some((name) => shown.hasTag(name))) requests.push({ weight, style: 'italic' });
  for (const other of others) {
    requests.push({ weight: other.weight ?? weight, style: other.style ?? style });
  }
  return requests;
}

/** The style decides first, then the weight. */
function distance(face: FontFace, request: Request): number {
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
