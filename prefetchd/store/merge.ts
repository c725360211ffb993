// How an addition changes stored data, in every store: counts are added, client sets of one era are united, and those
// of an earlier era are reduced to a number (see graph-delta.ts). Pure.
//
// Invariant: the arcs of a URL are sorted strongest first; among equals, those credited last come first.

import { fingerprintsPerArc, mergedSeen, neverNext } from '../model/delta/graph-delta.ts';

/** An arc; `Target` is the store's way to identify the URL that it leads to. */
export interface KeptArc<Target> {
  to: Target;
  /** Count in the units of the store (forward-decay.ts). */
  count: number;
  /** Fingerprints of up to six distinct clients, 1..1023. */
  prints: readonly number[];
  /** Era of the fingerprints; 0 if there are none. */
  era: number;
  /** As in a delta (graph-delta.ts). */
  seen: number;
}

/** The arcs of one URL after an addition, at most `most` of them. */
export function mergeArcs<Target>(
  kept: readonly KeptArc<Target>[],
  given: readonly KeptArc<Target>[],
  most: number,
): KeptArc<Target>[] {
  const before = new Map(kept.map((arc) => [arc.to, arc]));
  const credited = new Map<Target, KeptArc<Target>>();
  for (const arc of given) {
    const earlier = credited.get(arc.to) ?? before.get(arc.to);
    credited.set(arc.to, earlier === undefined ? arc : mergedArc(earlier, arc));
    before.delete(arc.to);
  }
  // The sort is stable, so arcs credited last stay ahead of their equals.
  const arcs = [...credited.values(), ...before.values()];
  return arcs.sort((left, right) => right.count - left.count).slice(0, most);
}

export function mergedArc<Target>(kept: KeptArc<Target>, given: KeptArc<Target>): KeptArc<Target> {
  const { to } = kept;
  const count = kept.count + given.count;
  const seen = mergedSeen(kept.seen, given.seen);
  if (given.prints.length === 0) return { ...kept, count, seen };
  const { prints, era } = given;
  if (kept.era !== era) {
    return { to, count, prints, era, seen: mergedSeen(seen, neverNext + kept.prints.length) };
  }
  const union = [...new Set([...kept.prints, ...prints])].slice(0, fingerprintsPerArc);
  return { to, count, prints: union, era, seen };
}
