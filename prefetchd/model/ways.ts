// What several ways lead to, taken as independent: 1 - (1 - p)(1 - q)... A way is the head of a row of arcs,
// taken with a share.
//
// The probability of anything is at most the sum of what each way gives it. So with a threshold, only what
// some way alone gives its part of the threshold is worth adding up, parts being in proportion to the best
// each way has to give: of a hundred arcs a few. Nothing above the threshold is missed.

import type { CandidateList } from './candidates.ts';
import type { Graph } from './graph.ts';
import type { NodeTable } from './nodes.ts';

interface Way {
  graph: Graph;
  from: number;
  share: number;
  /** Arcs that are looked at. */
  length: number;
  /** The most it gives to anything. */
  most: number;
}

/** More than what rounding adds to a sum. */
const slack = 1 + 1e-9;

export class Ways {
  readonly #nodes: NodeTable;
  #ways: Way[] = [];
  /** Where an id stands in the list, plus one. */
  #places = new Int32Array(64);

  constructor(nodes: NodeTable) {
    this.#nodes = nodes;
  }

  begin(): void {
    this.#ways = [];
  }

  /** Along the first `length` arcs that leave `from`. */
  add(graph: Graph, from: number, share: number, length = 2 ** 16): void {
    const arcs = Math.min(length, graph.arcs.length(from));
    if (arcs === 0) return;
    if (arcs < graph.arcs.length(from)) graph.arcs.settle(from, arcs);
    const best = graph.arcs.chunk(from).counts[graph.arcs.start(from)] as number;
    const most = share * Math.min(1, best / graph.nodes.accesses(from));
    this.#ways.push({ graph, from, share, length: arcs, most });
  }

  /** Append what is more probable than `above`, best first, but for one id. */
  unite(list: CandidateList, above: number, except: number): void {
    const nodes = this.#nodes;
    if (this.#places.length < nodes.top) this.#places = new Int32Array(2 * nodes.top);
    let sum = 0;
    for (const { most } of this.#ways) sum += most;
    if (!(sum * slack > above)) return;
    this.#places[except] = -1;
    for (const way of this.#ways) this.#enter(way, list, (way.most * above) / (sum * slack));
    for (const way of this.#ways) this.#addUp(way, list);
    this.#places[except] = 0;
    for (let i = 0; i < list.length; i++) this.#places[list.ids[i] as number] = 0;
    list.keepAbove(above);
    list.sort(nodes);
  }

  /** Put what the way gives more than `part` on the list. */
  #enter({ graph, from, share, length }: Way, list: CandidateList, part: number): void {
    const { arcs } = graph;
    const chunk = arcs.chunk(from);
    const start = arcs.start(from);
    const least = (part / share) * graph.nodes.accesses(from);
    for (let at = start; at < start + length && (chunk.counts[at] as number) > least; at++) {
      const id = chunk.to[at] as number;
      if (this.#places[id] !== 0 || arcs.leadsNowhere(chunk, at)) continue;
      if (list.add(id, 0, 0)) this.#places[id] = list.length;
    }
  }

  #addUp({ graph, from, share, length }: Way, list: CandidateList): void {
    const { arcs } = graph;
    const chunk = arcs.chunk(from);
    const start = arcs.start(from);
    const accesses = graph.nodes.accesses(from);
    for (let at = start; at < start + length; at++) {
      const place = (this.#places[chunk.to[at] as number] as number) - 1;
      if (place < 0 || arcs.leadsNowhere(chunk, at) || !graph.mayFollow(chunk, at)) continue;
      const probability = Math.min(1, (chunk.counts[at] as number) / accesses) * share;
      const before = list.probabilities[place] as number;
      list.probabilities[place] = before + probability * (1 - before);
      list.lasts[place] = Math.max(list.lasts[place] as number, chunk.lasts[at] as number);
    }
  }
}
