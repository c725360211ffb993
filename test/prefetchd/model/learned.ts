// What a predictor learned, of its first graph, as lists: out of the delta that a store would be given (graph-export.ts).

import { GraphExport } from '../../../prefetchd/model/graph-export.ts';
import type { NodePredictor } from '../../../prefetchd/model/predictors/node-predictor.ts';
import { contentOf } from '../../support/graph-deltas.ts';

export interface LearnedArc {
  from: string;
  to: string;
  count: number;
  clients: number[];
}

export function learnedNodes(predictor: NodePredictor) {
  const nodes = [...content(predictor).nodes];
  return nodes.map(([url, { kind, accesses }]) => ({ url, kind, accesses }));
}

export function learnedArcs(predictor: NodePredictor): LearnedArc[] {
  const rows = [...(content(predictor).graphs[0] ?? [])];
  return rows.flatMap(([from, arcs]) =>
    arcs.map(({ to, count, clients }) => ({ from, to, count, clients })),
  );
}

const era = 1;

function content(predictor: NodePredictor) {
  return contentOf(new GraphExport(predictor).whole(era));
}
