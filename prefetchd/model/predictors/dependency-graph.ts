// The paper's predictor (Padmanabhan 1995, 7.2): B is a candidate after A if the arc from A to B in the dependency
// graph of all clients has a weight higher than p.
//
// GETALL and GETLIST (5, 7.3): resources sent with a document are no candidates of that access, and nothing is learned
// from them. A weight measures how often clients request B after A, and a client that sends GETALL makes no such
// request. This also keeps forty images from pushing the page itself out of a window of four.

import type { Access } from '../../access.ts';
import { Graph, type Tables } from '../graph/graph.ts';
import { Windows } from '../graph/windows.ts';
import { checkOptions, type PredictorOptions } from '../model-options.ts';
import type { Observation, Prediction, PredictOptions } from '../predictor.ts';
import { isWanted, type Likely, NodePredictor, predictionsOf } from './node-predictor.ts';

export class DependencyGraph extends NodePredictor {
  readonly name: string = 'dependency-graph';
  readonly graph: Graph;
  readonly tables: Tables;
  readonly #windows: Windows;

  constructor(options?: PredictorOptions) {
    super();
    const checked = checkOptions(options);
    this.graph = new Graph(checked);
    this.tables = { nodes: this.graph.nodes, graphs: [this.graph] };
    this.#windows = new Windows(checked);
    this.graph.nodes.join(this.#windows);
  }

  get window(): number {
    return this.#windows.window;
  }

  set window(window: number) {
    this.#windows.window = window;
  }

  forgetClients(): void {
    this.#windows.clear();
  }

  observe(access: Observation): void {
    if (access.prefetch) return;
    const { nodes } = this.graph;
    const isCounted = access.isAnticipated !== true;
    const node = nodes.access(access, isCounted ? 1 : 0);
    if (node === null) return;
    const window = this.#windows.enter(access);
    if (access.entry === true) window.entries = [];
    const earlier = this.#windows.follow(window, node, nodes.gain, access.window);
    if (!isCounted) return;
    this.graph.visit(node, nodes.gain, window.print);
    this.graph.follow(earlier, node, window.print);
  }

  anticipate(access: Observation, most: number): number {
    const { nodes } = this.graph;
    const node = nodes.find(access.url);
    if (node === undefined) return 0;
    const earlier = this.#windows.precede(this.#windows.enter(access), node);
    const part = this.graph.anticipate(earlier, node, most);
    nodes.access(access, part);
    return part;
  }

  predict(access: Access, options: PredictOptions): Prediction[] {
    const node = this.graph.nodes.find(access.url);
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
