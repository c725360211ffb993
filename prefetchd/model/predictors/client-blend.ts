// Blends the client's own earlier paths with those of all clients: one graph per client beside the graph of all. The
// overall weight is the prior before the client has shown any habit, and is worth `priorAccesses` (k) of the client's
// own accesses:
//
//   P(A to B) = (own count of A to B + k * overall weight of A to B) / (own accesses of A + k)
//
// A new client gets the result of the dependency graph; a regular client's habits outweigh it over time. If a hint
// needs several clients (minClients), habits only change the weight of arcs that have them.

import type { Access } from '../../access.ts';
import { CandidateList } from '../graph/candidates.ts';
import { Graph } from '../graph/graph.ts';
import type { Tables } from '../graph/graph-tables.ts';
import { hashOfClient, Windows } from '../graph/window.ts';
import { checkOptions, type ModelOptions, type PredictorOptions } from '../model-options.ts';
import type { Candidates } from '../predictor.ts';
import { ClientGraphs } from './client-graphs.ts';
import { NodePredictor } from './node-predictor.ts';

export class ClientBlend extends NodePredictor {
  readonly name = 'client-blend';
  readonly #options: ModelOptions;
  readonly #graph: Graph;
  readonly #clientGraphs: ClientGraphs;
  readonly #windows: Windows;
  readonly #list = new CandidateList();
  /** Position of an id in the list, plus one. */
  #places = new Int32Array(64);

  constructor(options?: PredictorOptions) {
    const checked = checkOptions(options);
    const graph = new Graph(checked);
    super(graph.nodes);
    this.#options = checked;
    this.#graph = graph;
    this.#clientGraphs = new ClientGraphs(this.#options, this.#graph.nodes);
    this.#windows = new Windows(this.#options, this.#graph.nodes);
    this.#graph.nodes.join(this.#clientGraphs);
    this.#graph.nodes.join(this.#windows);
  }

  get tables(): Tables {
    return { nodes: this.#graph.nodes, graphs: [this.#graph] };
  }

  get window(): number {
    return this.#windows.window;
  }

  set window(window: number) {
    this.#windows.window = window;
  }

  forgetClients(): void {
    this.#windows.clear();
    this.#clientGraphs.clear();
  }

  observe(access: Access): void {
    if (access.prefetch) return;
    const windows = this.#windows;
    const { nodes } = this.#graph;
    const id = nodes.access(access.url, access.kind, access.timeMs);
    const slot = windows.enter(access.client, access.timeMs);
    const hash = windows.hash(slot);
    const earlier = windows.follow(slot, id, nodes.gain, access.window);
    this.#clientGraphs.access(hash, id, nodes.gain);
    this.#graph.follow(windows, earlier, id, windows.print(slot));
    if (!nodes.mayHint(id)) return;
    for (let i = 0; i < earlier; i++) {
      this.#clientGraphs.follow(hash, windows.ids[i] as number, id, windows.gains[i] as number);
    }
  }

  candidates(access: Access, above = 0): Candidates {
    const list = this.#list;
    const { nodes } = this.#graph;
    list.begin(access, nodes);
    const from = access.prefetch ? -1 : nodes.idOf(access.url);
    if (from < 0) return list;
    const row = this.#clientGraphs.rowOf(hashOfClient(access.client), from);
    if (row < 0) {
      this.#graph.candidates(from, list, above);
      return list;
    }
    const prior = this.#options.priorAccesses * nodes.gain;
    const total = this.#clientGraphs.accesses(row) + prior;
    if (this.#places.length < nodes.top) this.#places = new Int32Array(2 * nodes.top);
    this.#addHabits(row, total);
    const own = list.length;
    this.#addEverybody(from, prior / total, above);
    for (let i = 0; i < own; i++) this.#places[list.ids[i] as number] = 0;
    list.keepAbove(above);
    list.sort(nodes);
    return list;
  }

  /** Add each habit; its sign is negative if other clients must confirm it. */
  #addHabits(row: number, total: number): void {
    const list = this.#list;
    const { arcs } = this.#clientGraphs;
    const { nodes } = this.#graph;
    const length = arcs.length(row);
    if (length === 0) return;
    const chunk = arcs.chunk(row);
    const start = arcs.start(row);
    const sign = this.#options.minClients === 1 ? 1 : -1;
    for (let at = start; at < start + length; at++) {
      const id = chunk.to[at] as number;
      if (arcs.leadsNowhere(chunk, at) || !nodes.mayHint(id)) continue;
      const own = (chunk.counts[at] as number) / total;
      if (list.add(id, sign * own, chunk.lasts[at] as number)) this.#places[id] = list.length;
    }
  }

  /** Add the overall weights to the habits, or by themselves if above the threshold. */
  #addEverybody(from: number, share: number, above: number): void {
    const list = this.#list;
    const { arcs, nodes } = this.#graph;
    const length = arcs.length(from);
    if (length === 0) return;
    const chunk = arcs.chunk(from);
    const start = arcs.start(from);
    const accesses = nodes.accesses(from);
    for (let at = start; at < start + length; at++) {
      const id = chunk.to[at] as number;
      const probability = Math.min(1, (chunk.counts[at] as number) / accesses) * share;
      const place = (this.#places[id] as number) - 1;
      if (place < 0 && !(probability > above)) continue;
      if (arcs.leadsNowhere(chunk, at) || !this.#graph.mayFollow(chunk, at)) continue;
      const last = chunk.lasts[at] as number;
      if (place < 0) {
        list.add(id, probability, last);
        continue;
      }
      const own = Math.abs(list.probabilities[place] as number);
      list.probabilities[place] = Math.min(1, own + probability);
      list.lasts[place] = Math.max(list.lasts[place] as number, last);
    }
  }
}
