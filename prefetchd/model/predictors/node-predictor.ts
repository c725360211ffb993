// What the predictors of this folder have in common: tables of nodes and arcs.

import type { Access } from '../../access.ts';
import type { Tables } from '../graph/graph-tables.ts';
import type { Observation, Prediction, PredictOptions, Predictor } from '../predictor.ts';

export abstract class NodePredictor implements Predictor {
  abstract readonly name: string;
  abstract window: number;
  abstract readonly tables: Tables;

  abstract observe(access: Observation): void;

  abstract predict(access: Access, options: PredictOptions): Prediction[];

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
