// Combines several paths to the same URL as independent: 1 - (1 - p)(1 - q)... Paths are added by their last node: its
// strongest arcs, each multiplied by the probability of reaching the node (`share`).
//
// Two passes over the arcs. The first adds them up without looking at their targets, which gives an upper bound and
// rules out most ids. The second adds up the rest exactly, and only for these are URLs and clients looked up.

import type { Navigation } from '../../access.ts';
import { type ArcChunk, tieRank } from '../graph/arc-pool.ts';
import type { CandidateList } from '../graph/candidates.ts';
import type { Graph } from '../graph/graph.ts';
import type { NodeTable } from '../graph/nodes.ts';
import { RowHead } from '../graph/row-head.ts';

const none = -1;

class Way {
  graph: Graph;
  chunk: ArcChunk;
  /** The head consists of arcs in the chunk from `start` on. */
  start = 0;
  readonly head = new RowHead();
  /** Accesses of the source. */
  accesses = 0;
  share = 0;
  from = none;
  /** True if the arcs lead to objects of the requested page, false if they lead to what comes next. */
  isOwn = false;

  constructor(graph: Graph, chunk: ArcChunk) {
    this.graph = graph;
    this.chunk = chunk;
  }
}

/** Allows for rounding in sums. */
const slack = 1 + 1e-9;
const leastRoom = 256;

export class PathUnion {
  readonly #nodes: NodeTable;
  readonly #ways: Way[] = [];
  #length = 0;
  /** Arcs of all paths, and the sum of each path's largest contribution. */
  #arcs = 0;
  #sum = 0;
  /** Number of ids found, then for each: the id, the bound from its arcs, and its place in the list. */
  #found = 0;
  #ids = new Int32Array(leastRoom);
  #bounds = new Float64Array(leastRoom);
  #places = new Int32Array(leastRoom);
  /** For each id: its index in these arrays, plus one. */
  #numberOf = new Int32Array(leastRoom);
  /** For each arc, in order: the index of its target. */
  #numbers = new Int32Array(leastRoom);
  /** For each place in the list: the largest contribution of a single path. */
  #most = new Float64Array(leastRoom);
  /** For each place in the list before sorting: 1 if the requested page contributes the most. */
  #isOwn = new Uint8Array(leastRoom);

  constructor(nodes: NodeTable) {
    this.#nodes = nodes;
  }

  begin(): void {
    for (let i = 0; i < this.#found; i++) this.#numberOf[this.#ids[i] as number] = 0;
    this.#found = 0;
    this.#length = 0;
    this.#arcs = 0;
    this.#sum = 0;
  }

  /** Add the first `most` arcs that leave `from`. @param isOwn true if they lead to objects of the requested page */
  add(graph: Graph, from: number, share: number, isOwn: boolean, most = 2 ** 16): void {
    const { arcs } = graph;
    const length = arcs.length(from);
    if (length === 0) return;
    const chunk = arcs.chunk(from);
    if (this.#length === this.#ways.length) this.#ways.push(new Way(graph, chunk));
    const way = this.#ways[this.#length++] as Way;
    way.graph = graph;
    way.chunk = chunk;
    way.start = arcs.start(from);
    way.head.find(chunk, way.start, length, most);
    way.accesses = graph.nodes.accesses(from);
    way.share = share;
    way.from = from;
    way.isOwn = isOwn;
    this.#arcs += way.head.end - way.start;
    this.#sum += share * Math.min(1, (chunk.counts[way.start] as number) / way.accesses);
  }

  /** True if these paths, with others that add at most `more`, could yield a probability above `above`. */
  mayExceed(above: number, more = 0): boolean {
    return (this.#sum + more) * slack > above;
  }

  /** Append everything more probable than `above`, best first, except one id. */
  unite(list: CandidateList, above: number, except: number): void {
    if (!this.mayExceed(above)) return;
    this.#makeRoom();
    this.#bound();
    for (let i = 0; i < this.#found; i++) {
      const id = this.#ids[i] as number;
      const isLeft = (this.#bounds[i] as number) * slack > above && id !== except;
      this.#places[i] = isLeft && list.add(id, 0, 0) ? list.length - 1 : none;
    }
    if (list.length === 0) return;
    this.#most.fill(0, 0, list.length);
    this.#addUp(list);
    list.keepAbove(above);
    list.sort(this.#nodes);
  }

  /** Which page makes an id of the last `unite` likeliest. */
  navigationOf(id: number): Navigation {
    const place = this.#places[(this.#numberOf[id] as number) - 1] as number;
    return this.#isOwn[place] === 1 ? 'current' : 'next';
  }

  /** Compute the upper bounds, whatever the targets are. */
  #bound(): void {
    const [numberOf, ids] = [this.#numberOf, this.#ids];
    const [bounds, numbers] = [this.#bounds, this.#numbers];
    let [found, arc] = [0, 0];
    for (let i = 0; i < this.#length; i++) {
      const { chunk, start, head, accesses, share } = this.#ways[i] as Way;
      const { to, counts } = chunk;
      const { end } = head;
      for (let at = start; at < end; at++) {
        const id = to[at] as number;
        let number = (numberOf[id] as number) - 1;
        if (number < 0) {
          number = found++;
          ids[number] = id;
          bounds[number] = 0;
          numberOf[id] = found;
        }
        numbers[arc++] = number;
        const probability = Math.min(1, (counts[at] as number) / accesses) * share;
        const before = bounds[number] as number;
        bounds[number] = before + probability * (1 - before);
      }
    }
    this.#found = found;
  }

  #addUp(list: CandidateList): void {
    let arc = 0;
    for (let i = 0; i < this.#length; i++) {
      const { graph, chunk, start, head, accesses, share, isOwn, from } = this.#ways[i] as Way;
      for (let at = start; at < head.end; at++) {
        const place = this.#places[this.#numbers[arc++] as number] as number;
        if (place === none || !head.isIn(chunk, at) || graph.arcs.leadsNowhere(chunk, at)) continue;
        if (chunk.to[at] === from || !graph.mayFollow(chunk, at)) continue;
        const probability = Math.min(1, (chunk.counts[at] as number) / accesses) * share;
        const before = list.probabilities[place] as number;
        list.probabilities[place] = before + probability * (1 - before);
        list.lasts[place] = Math.max(list.lasts[place] as number, tieRank(chunk, at));
        if (probability <= (this.#most[place] as number)) continue;
        this.#most[place] = probability;
        this.#isOwn[place] = isOwn ? 1 : 0;
      }
    }
  }

  #makeRoom(): void {
    if (this.#numberOf.length < this.#nodes.top) {
      this.#numberOf = new Int32Array(2 * this.#nodes.top);
    }
    let room = this.#ids.length;
    if (this.#arcs <= room) return;
    while (room < this.#arcs) room *= 2;
    this.#ids = new Int32Array(room);
    this.#bounds = new Float64Array(room);
    this.#places = new Int32Array(room);
    this.#numbers = new Int32Array(room);
    this.#most = new Float64Array(room);
    this.#isOwn = new Uint8Array(room);
  }
}
