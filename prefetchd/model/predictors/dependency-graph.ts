// The paper's predictor (Padmanabhan 1995, 7.2): B is a candidate after A if the arc from A to B in the dependency
// graph of all clients has a weight higher than p.
//
// GETALL and GETLIST (5, 7.3): resources sent with a document are no candidates of that access, and nothing is learned
// from them. A weight measures how often clients request B after A, and a client that sends GETALL makes no such
// request. This also keeps forty images from pushing the page itself out of a window of four.

import type { Access } from '../../access.ts';
import { CandidateList } from '../graph/candidates.ts';
import { Graph } from '../graph/graph.ts';
import type { Tables } from '../graph/graph-tables.ts';
import { Windows } from '../graph/window.ts';
import { checkOptions, type PredictorOptions } from '../model-options.ts';
import type { Candidates, Observation } from '../predictor.ts';
import { NodePredictor } from './node-predictor.ts';

export class DependencyGraph extends NodePredictor {
  readonly name: string = 'dependency-graph';
  readonly graph: Graph;
  readonly #windows: Windows;
  readonly #list = new CandidateList();

  constructor(options?: PredictorOptions) {
    const checked = checkOptions(options);
    const graph = new Graph(checked);
    super(graph.nodes);
    this.graph = graph;
    this.#windows = new Windows(checked, this.graph.nodes);
    this.graph.nodes.join(this.#windows);
  }

  get tables(): Tables {
    return { nodes: this.graph.nodes, graphs: [this.graph] };
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
    const windows = this.#windows;
    const { nodes } = this.graph;
    const isCounted = access.isAnticipated !== true;
    const id = nodes.access(access, isCounted ? 1 : 0);
    if (id < 0) return;
    const slot = windows.enter(access);
    if (access.entry === true) windows.end(slot);
    const earlier = windows.follow(slot, id, nodes.gain, access.window);
    if (!isCounted) return;
    this.graph.visit(id, nodes.gain, windows.print(slot));
    this.graph.follow(windows, earlier, id, windows.print(slot));
  }

  anticipate(access: Observation, most: number): number {
    const windows = this.#windows;
    const { nodes } = this.graph;
    const id = nodes.idOf(access.url);
    if (id < 0) return 0;
    const earlier = windows.precede(windows.enter(access), id);
    const part = this.graph.anticipate(windows, earlier, id, most);
    nodes.access(access, part);
    return part;
  }

  candidates(access: Access, above = 0): Candidates {
    const list = this.#list;
    list.begin(access, this.graph.nodes);
    if (!access.prefetch) this.graph.candidates(this.graph.nodes.idOf(access.url), list, above);
    return list;
  }

  get typedBytes(): number {
    return this.graph.typedBytes + this.#windows.typedBytes;
  }
}
