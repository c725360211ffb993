// From what is likely to what is predicted: best first, ties by recency, then URL. Resources sent with an access through
// GETALL or GETLIST are already at the client, so they are no predictions of that access (Padmanabhan 1995, 7.3: "need
// not be considered as candidates ... at this time"). They may be predicted again at the client's next access.

import type { Access, Navigation } from '../../access.ts';
import type { Prediction, PredictOptions } from '../predictor.ts';
import type { Node } from './node.ts';

export interface Likely {
  node: Node;
  probability: number;
  /** Decides ties, highest first. */
  rank: number;
  /** Of an object; absent: the predictor cannot tell. */
  navigation?: Navigation;
}

/** True for a URL that the client has not got with this access. */
export function isWanted({ alsoSent = [] }: Access): (node: Node) => boolean {
  const sent = new Set(alsoSent);
  return ({ url }) => sent.size === 0 || !sent.has(url);
}

export function predictionsOf(
  likely: readonly Likely[],
  { threshold, limit, kind }: PredictOptions,
): Prediction[] {
  return likely
    .filter((each) => each.probability > threshold && (!kind || kind === each.node.kind))
    .sort(byProbability)
    .slice(0, limit ?? likely.length)
    .map(({ node: { url, kind }, probability, navigation }) =>
      kind === 'object' && navigation !== undefined
        ? { url, kind, probability, navigation }
        : { url, kind, probability },
    );
}

function byProbability(one: Likely, other: Likely): number {
  const difference = other.probability - one.probability || other.rank - one.rank;
  return difference || (one.node.url < other.node.url ? -1 : 1);
}
