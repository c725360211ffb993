// What a predictor with one graph learned, as lists: out of the delta that a store would be given (graph-export.ts).

import { GraphExport } from '../../../prefetchd/model/graph-export.ts';
import type { DependencyGraph } from '../../../prefetchd/model/predictors/dependency-graph.ts';
import { contentOf } from '../../support/graph-deltas.ts';

export interface LearnedArc {
  from: string;
  to: string;
  count: number;
  clients: number[];
}

export function learnedNodes(predictor: DependencyGraph) {
  const nodes = [...content(predictor).nodes];
  return nodes.map(([url, { kind, accesses }]) => ({ url, kind, accesses }));
}

export function learnedArcs(predictor: DependencyGraph): LearnedArc[] {
  const rows = [...(content(predictor).graphs[0] ?? [])];
  return rows.flatMap(([from, arcs]) =>
    arcs.map(({ to, count, clients }) => ({ from, to, count, clients })),
  );
}

const era = 1;

/** What `from` learned, added to what `to` knows. */
export function addLearned(from: DependencyGraph, to: DependencyGraph): void {
  new GraphExport(to, 1).add(new GraphExport(from, 1).whole(era), era);
}

function content(predictor: DependencyGraph) {
  return contentOf(new GraphExport(predictor, 1).whole(era));
}
