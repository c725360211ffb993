// Top-N: whatever the client requested, the N most popular URLs of the site are the candidates. The probability is
// the share of accesses that the URL followed within the window, as if an arc led to it from every access. A
// threshold therefore means the same as for the other predictors.
//
// Counts only grow (ageing scales all of them alike), so moving up the URL that grew keeps the list of the N best
// exact. If one of the N is evicted, which is rare, the URLs requested next fill its place until better ones replace
// them.

import type { Access } from '../../access.ts';
import { CandidateList } from '../graph/candidates.ts';
import type { Tables } from '../graph/graph-tables.ts';
import { NodeTable } from '../graph/nodes.ts';
import { Windows } from '../graph/window.ts';
import { checkOptions, type ModelOptions, type PredictorOptions } from '../model-options.ts';
import type { Candidates } from '../predictor.ts';
import { ClientSets } from '../tables/client-sets.ts';
import { growArray } from '../tables/grow-array.ts';
import type { IdListener } from '../tables/id-listener.ts';
import { NodePredictor } from './node-predictor.ts';

export class MostPopular extends NodePredictor implements IdListener {
  readonly name = 'most-popular';
  readonly #options: ModelOptions;
  readonly #nodes: NodeTable;
  readonly #windows: Windows;
  readonly #list = new CandidateList();
  /** By id: accesses of any kind that the URL followed; aged like the node counts. */
  #followed = new Float64Array(64);
  /** Clients that requested it after something else. */
  readonly #clients = new ClientSets(64);
  #accesses = 0;
  /** Ids of the N best, best first. */
  #best: number[] = [];

  constructor(options?: PredictorOptions) {
    const checked = checkOptions(options);
    const nodes = new NodeTable(checked);
    super(nodes);
    this.#options = checked;
    this.#nodes = nodes;
    this.#windows = new Windows(this.#options, this.#nodes);
    this.#nodes.join(this.#windows);
    this.#nodes.join(this);
  }

  /** Its counts belong to no arcs and are not exported. */
  get tables(): Tables {
    return { nodes: this.#nodes, graphs: [] };
  }

  get window(): number {
    return this.#windows.window;
  }

  set window(window: number) {
    this.#windows.window = window;
  }

  forgetClients(): void {
    this.#windows.clear();
    this.#clients.endEra();
  }

  observe(access: Access): void {
    if (access.prefetch) return;
    const nodes = this.#nodes;
    const windows = this.#windows;
    const id = nodes.access(access.url, access.kind, access.timeMs);
    if (id >= this.#followed.length) this.#grow();
    this.#accesses += nodes.gain;
    const slot = windows.enter(access.client, access.timeMs);
    const earlier = windows.follow(slot, id, nodes.gain, access.window);
    if (earlier === 0 || !nodes.mayHint(id)) return;
    let amount = 0;
    for (let i = 0; i < earlier; i++) amount += windows.gains[i] as number;
    this.#followed[id] = (this.#followed[id] as number) + amount;
    this.#clients.add(id, windows.print(slot));
    this.#rise(id);
  }

  candidates(access: Access, above = 0): Candidates {
    const list = this.#list;
    const nodes = this.#nodes;
    list.begin(access, nodes);
    if (access.prefetch) return list;
    const own = nodes.idOf(access.url);
    for (const id of this.#best) {
      if (id === own || !this.#clients.hasAtLeast(id, this.#options.minClients)) continue;
      list.add(id, (this.#followed[id] as number) / this.#accesses, nodes.last(id));
    }
    list.keepAbove(above);
    list.sort(nodes);
    return list;
  }

  forget(id: number): void {
    if (id >= this.#followed.length || this.#followed[id] === 0) return;
    this.#followed[id] = 0;
    this.#clients.clear(id);
    const at = this.#best.indexOf(id);
    if (at >= 0) this.#best.splice(at, 1);
  }

  scale(factor: number): void {
    this.#accesses *= factor;
    for (let id = 0; id < this.#followed.length; id++) {
      this.#followed[id] = (this.#followed[id] as number) * factor;
    }
  }

  /** Move a URL whose count grew to its place among the best, if it belongs there. */
  #rise(id: number): void {
    const best = this.#best;
    const followed = this.#followed;
    const count = followed[id] as number;
    let at = best.indexOf(id);
    if (at < 0) {
      if (best.length < this.#options.top) at = best.push(id) - 1;
      else if ((followed[best[best.length - 1] as number] as number) <= count) at = best.length - 1;
      else return;
    }
    for (; at > 0 && (followed[best[at - 1] as number] as number) <= count; at--) {
      best[at] = best[at - 1] as number;
    }
    best[at] = id;
  }

  #grow(): void {
    const length = Math.ceil(this.#followed.length * 1.5);
    this.#followed = growArray(this.#followed, new Float64Array(length));
    this.#clients.resize(length);
  }
}
