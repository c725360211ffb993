// Base of predictors with a node table: ids are those of the table, and `predict` reads hints from the head of the
// list that `candidates` returns.

import type { Access, AccessKind } from '../../access.ts';
import { select } from '../graph/candidates.ts';
import type { Tables } from '../graph/graph-tables.ts';
import type { NodeTable } from '../graph/nodes.ts';
import type {
  CandidateSource,
  Candidates,
  Observation,
  Prediction,
  PredictOptions,
  Predictor,
} from '../predictor.ts';

export abstract class NodePredictor implements Predictor, CandidateSource {
  abstract readonly name: string;
  abstract window: number;
  abstract readonly tables: Tables;
  readonly #nodes: NodeTable;

  constructor(nodes: NodeTable) {
    this.#nodes = nodes;
  }

  abstract observe(access: Observation): void;

  abstract candidates(access: Access, above?: number): Candidates;

  predict(access: Access, options: PredictOptions): Prediction[] {
    return select(this.candidates(access, options.threshold), this, options);
  }

  urlOf(id: number): string {
    return this.#nodes.urlOf(id);
  }

  bytesOf(id: number): number {
    return this.#nodes.bytesOf(id);
  }

  isTooEarly(page: string, id: number): boolean {
    const [pages] = this.tables.graphs;
    return this.#nodes.isShortLived(id) && pages?.isNeverNext(this.#nodes.idOf(page), id) === true;
  }

  kindOf(id: number): AccessKind {
    return this.#nodes.kindOf(id);
  }
}
