// The client's own earlier paths, blended with everybody's: a graph for each client beside the graph
// of all. Everybody's weight serves as what is believed before the client has shown anything, worth
// `priorAccesses` accesses (k) of its own:
//
//   P(A to B) = (own count of A to B + k * everybody's weight of A to B) / (own accesses of A + k)
//
// A newcomer gets what the dependency graph says; a regular's habits outweigh it as they show.
// Where a hint needs several clients (minClients), habits only weigh arcs that have them.

import type { Access, AccessKind } from '../access.ts';
import { CandidateList, select } from './candidates.ts';
import { Graph } from './graph.ts';
import { Habits } from './habits.ts';
import { checkOptions, type ModelOptions, type PredictorOptions } from './options.ts';
import type {
  CandidateSource,
  Candidates,
  Prediction,
  PredictOptions,
  Predictor,
} from './predictor.ts';
import { hashOfClient, Windows } from './window.ts';

export class ClientBlend implements Predictor, CandidateSource {
  readonly name = 'client-blend';
  readonly #options: ModelOptions;
  readonly #graph: Graph;
  readonly #habits: Habits;
  readonly #windows: Windows;
  readonly #list = new CandidateList();
  readonly #everybody = new CandidateList();
  /** Where an id stands in the list, plus one. */
  #places = new Int32Array(64);

  constructor(options?: PredictorOptions) {
    this.#options = checkOptions(options);
    this.#graph = new Graph(this.#options);
    this.#habits = new Habits(this.#options);
    this.#windows = new Windows(this.#options);
    this.#graph.nodes.join(this.#habits);
    this.#graph.nodes.join(this.#windows);
  }

  get window(): number {
    return this.#windows.window;
  }

  set window(window: number) {
    this.#windows.window = window;
  }

  observe(access: Access): void {
    if (access.prefetch) return;
    const windows = this.#windows;
    const { nodes } = this.#graph;
    const id = nodes.access(access.url, access.kind, access.timeMs);
    const slot = windows.enter(access.client, access.timeMs);
    const hash = windows.hash(slot);
    const earlier = windows.follow(slot, id, nodes.gain);
    this.#habits.access(hash, id, nodes.gain, nodes.sequence);
    for (let i = 0; i < earlier; i++) {
      const from = windows.ids[i] as number;
      const gain = windows.gains[i] as number;
      this.#graph.follow(from, id, gain, hash);
      if (nodes.mayHint(id)) this.#habits.follow(hash, from, id, gain, nodes.sequence);
    }
  }

  predict(access: Access, options: PredictOptions): Prediction[] {
    return select(this.candidates(access, options.threshold), this, options);
  }

  candidates(access: Access, above = 0): Candidates {
    const list = this.#list;
    const { nodes } = this.#graph;
    list.begin(access, nodes);
    const from = access.prefetch ? -1 : nodes.idOf(access.url);
    if (from < 0) return list;
    const everybody = this.#everybody;
    everybody.begin(access, nodes);
    this.#graph.candidates(from, everybody);
    const row = this.#habits.rowOf(hashOfClient(access.client), from);
    if (row < 0) {
      for (let i = 0; i < everybody.length; i++) copy(everybody, i, 1, list);
      list.keepAbove(above);
      return list;
    }
    const prior = this.#options.priorAccesses * nodes.gain;
    const total = (this.#habits.accesses[row] as number) + prior;
    if (this.#places.length < nodes.counts.length) {
      this.#places = new Int32Array(nodes.counts.length);
    }
    for (let i = 0; i < everybody.length; i++) {
      if (copy(everybody, i, prior / total, list)) {
        this.#places[everybody.ids[i] as number] = list.length;
      }
    }
    this.#addHabits(row, total);
    for (let i = 0; i < list.length; i++) this.#places[list.ids[i] as number] = 0;
    list.keepAbove(above);
    list.sort(nodes);
    return list;
  }

  urlOf(id: number): string {
    return this.#graph.nodes.urlOf(id);
  }

  kindOf(id: number): AccessKind {
    return this.#graph.nodes.kindOf(id);
  }

  #addHabits(row: number, total: number): void {
    const list = this.#list;
    const { arcs } = this.#habits;
    const end = arcs.start(row) + arcs.length(row);
    for (let at = arcs.start(row); at < end; at++) {
      const id = arcs.to[at] as number;
      const own = (arcs.counts[at] as number) / total;
      const place = (this.#places[id] as number) - 1;
      if (place >= 0) {
        list.probabilities[place] = Math.min(1, (list.probabilities[place] as number) + own);
        list.lasts[place] = Math.max(list.lasts[place] as number, arcs.lasts[at] as number);
      } else if (this.#options.minClients === 1) {
        list.add(id, own, arcs.lasts[at] as number);
      }
    }
  }
}

function copy(from: CandidateList, at: number, share: number, to: CandidateList): boolean {
  const { length } = to;
  to.add(
    from.ids[at] as number,
    (from.probabilities[at] as number) * share,
    from.lasts[at] as number,
  );
  return to.length > length;
}
