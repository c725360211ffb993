// What the predictors of this folder have in common: tables of nodes and arcs, and the way from what is likely to what
// is predicted: best first, ties by recency, then URL. Resources sent with an access through GETALL or GETLIST are
// already at the client, so they are no predictions of that access (Padmanabhan 1995, 7.3: "need not be considered as
// candidates ... at this time"). They may be predicted again at the client's next access.

import type { Access, Navigation } from '../../access.ts';
import type { Tables } from '../graph/graph.ts';
import type { Node } from '../graph/node.ts';
import type { Observation, Prediction, PredictOptions, Predictor } from '../predictor.ts';

export abstract class NodePredictor implements Predictor {
  abstract readonly name: string;
  abstract window: number;
  abstract readonly tables: Tables;

  abstract observe(access: Observation): void;

  abstract anticipate(access: Observation, most: number): number;

  abstract predict(access: Access, options: PredictOptions): Prediction[];

  /** Forgets all clients, with their windows, because their identities can no longer be resolved. */
  abstract forgetClients(): void;

  embedsObjects(_url: string): boolean {
    return false;
  }

  bytesOf(url: string): number {
    return this.tables.nodes.find(url)?.bytes ?? 0;
  }

  isTooEarly(page: string, url: string): boolean {
    const { nodes, graphs } = this.tables;
    const [from, to] = [nodes.find(page), nodes.find(url)];
    if (from === undefined || !to?.isShortLived) return false;
    return graphs[0]?.isNeverNext(from, to) === true;
  }
}

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
