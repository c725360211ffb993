// The paper's predictor (Padmanabhan 1995, 7.2): B is a candidate after A if the arc from A to B in the dependency
// graph of all clients has a weight above the threshold (p).
//
// GETALL and GETLIST (5, 7.3): resources sent with a document are no candidates of that access, and nothing is learned
// from them. A weight measures how often clients request B after A, and a client that sends GETALL makes no such
// request. This also keeps forty images from pushing the page itself out of a window of four.

import type { Access } from '../../access.ts';
import { type ModelOptions, modelDefaults } from '../model-options.ts';
import type { Observation, Prediction, PredictOptions } from '../predictor.ts';
import { isWanted, type Likely, NodePredictor, predictionsOf } from './node-predictor.ts';

export class DependencyGraph extends NodePredictor {
  readonly name: string = 'dependency-graph';

  constructor(options: Partial<ModelOptions> = {}) {
    super({ ...modelDefaults, ...options }, 1);
  }

  observe(access: Observation): void {
    const node = this.counted(access);
    if (node !== null) this.follow(access, node);
  }

  predict(access: Access, options: PredictOptions): Prediction[] {
    const node = this.nodes.find(access.url);
    if (node === undefined || access.prefetch) return [];
    const isWantedNode = isWanted(access);
    const likely: Likely[] = [];
    for (const arc of this.graph.row(node)) {
      const probability = this.graph.probability(arc);
      if (probability <= options.threshold) break;
      if (!isWantedNode(arc.to) || !this.graph.mayFollow(arc)) continue;
      likely.push({ node: arc.to, probability, rank: arc.last });
    }
    return predictionsOf(likely, options);
  }
}
