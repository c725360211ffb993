// What a predictor learned, of its first graph, as lists: out of the delta that a store would be given (graph-export.ts).

import type { Keepable } from '../../../prefetchd/model/graph/graph-tables.ts';
import { GraphExport } from '../../../prefetchd/model/graph-export.ts';
import { contentOf } from '../../support/graph-deltas.ts';

export interface LearnedArc {
  from: string;
  to: string;
  count: number;
  clients: number[];
}

export function learnedNodes(predictor: Keepable) {
  const nodes = [...content(predictor).nodes];
  return nodes.map(([url, { kind, accesses }]) => ({ url, kind, accesses }));
}

export function learnedArcs(predictor: Keepable): LearnedArc[] {
  const rows = [...(content(predictor).graphs[0] ?? [])];
  return rows.flatMap(([from, arcs]) =>
    arcs.map(({ to, count, clients }) => ({ from, to, count, clients })),
  );
}

const era = 1;

/** What `from` learned, added to what `to` knows. */
export function addLearned(from: Keepable, to: Keepable): void {
  new GraphExport(to).add(new GraphExport(from).whole(era), era);
}

function content(predictor: Keepable) {
  return contentOf(new GraphExport(predictor).whole(era));
}
