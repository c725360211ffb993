// Builds the Link field of hints for responses without one. The same pages are hinted again and again, so their text
// is cached (bounded), and only the probability is formatted again. Whole lists are not cached, because probabilities
// change and long-lived lists cost more than building one.
//
// Invariant: the value equals that of prefetchd/wire's appendLinkHints, character for character.

import { httpOrigin, lateFirst, sitePath } from '../../prefetchd/wire/hint.ts';
import {
  appendLinkHints,
  type Hint,
  hintRank,
  linkHeaderOf,
  linkHintDefaults,
} from '../../prefetchd/wire/index.ts';

interface KnownHint {
  readonly kind: Hint['kind'];
  readonly navigation: Hint['navigation'];
  readonly rank: number;
  /** null if the hint must not be sent. */
  readonly path: string | null;
  /** The link up to the probability; '' if the hint must not be sent as a link. */
  readonly start: string;
}

export const mostKnown = 4000;
const { maxLinks, maxBytes } = linkHintDefaults;

export class HintLinks {
  readonly #origin: string | null;
  readonly #site: string | null;
  readonly #known = new Map<string, KnownHint>();

  /** @param origin of the site, or null */
  constructor(origin: string | null) {
    this.#origin = origin;
    this.#site = httpOrigin(origin ?? '');
  }

  /** Number of cached hints. */
  get size(): number {
    return this.#known.size;
  }

  /** @returns '' if there are no links to send. */
  valueOf(hints: readonly Hint[]): string {
    // A prefetchd sends hints in this order; lists in any other order are left to wire.
    const isUsual = isBestFirst(hints) && !hints.some(({ isLargest }) => isLargest);
    if (!isUsual) return appendLinkHints(undefined, '', hints, { origin: this.#origin });
    const paths: string[] = [];
    const later: [rank: number, link: string][] = [];
    let value = '';
    let links = 0;
    const write = (link: string) => {
      const separated = links === 0 ? link : `, ${link}`;
      if (links === maxLinks || value.length + separated.length > maxBytes) return;
      value += separated;
      links++;
    };
    for (const hint of hints) {
      const { isLate = false } = hint;
      if (links === maxLinks) break;
      const { path, start, rank } = this.#of(hint);
      if (path === null || paths.includes(path)) continue;
      paths.push(path);
      if (start === '') continue;
      const link = start + hundredths(hint.probability);
      if (rank === 0) write(link);
      else later.push([isLate && hint.navigation === 'current' ? rank - lateFirst : rank, link]);
    }
    later.sort(([one], [other]) => one - other);
    for (const [, link] of later) write(link);
    return value;
  }

  #of({ url, kind, navigation }: Hint): KnownHint {
    const known = this.#known.get(url);
    if (known !== undefined && known.kind === kind && known.navigation === navigation) return known;
    const one: Hint = { url, kind, probability: 1, ...(navigation && { navigation }) };
    const link = linkHeaderOf([one], { origin: this.#origin });
    const path = sitePath(url, this.#site);
    const rank = hintRank(kind, navigation);
    const made = { kind, navigation, rank, path, start: link.slice(0, -1) };
    if (this.#known.size >= mostKnown) this.#known.clear();
    this.#known.set(url, made);
    return made;
  }
}

const written = Array.from({ length: 101 }, (_, hundredth) => String(hundredth / 100));

/** True if the hints are sorted by probability, which is also checked to be one. */
function isBestFirst(hints: readonly Hint[]): boolean {
  let before = 1;
  for (const { probability } of hints) {
    if (!(probability <= before && probability >= 0)) return false;
    before = probability;
  }
  return true;
}

/** Equals `Number(probability.toFixed(2))` as text, ten times as fast. */
function hundredths(probability: number): string {
  const scaled = probability * 100;
  const nearest = Math.round(scaled);
  // Close to the midpoint, only all digits decide.
  const isClear = Math.abs(Math.abs(scaled - nearest) - 0.5) > 1e-9;
  return isClear ? (written[nearest] as string) : String(Number(probability.toFixed(2)));
}
