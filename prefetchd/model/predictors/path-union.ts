// What several ways lead to, taken as independent: 1 - (1 - p)(1 - q)... A way is the head of a row of arcs,
// taken with a share.
//
// Arcs are gone through twice. First as they stand, without a look at where they lead: that gives no less than
// what is true, so whatever stays below the threshold is done with, which is nearly all of a hundred arcs. Then
// the few that are left are added up exactly: only of these URLs and clients are looked at, which lie anywhere.

import type { Navigation } from '../../access.ts';
import type { ArcChunk } from '../graph/arc-pool.ts';
import type { CandidateList } from '../graph/candidates.ts';
import type { Graph } from '../graph/graph.ts';
import type { NodeTable } from '../graph/nodes.ts';
import { RowHead } from '../graph/row-head.ts';

class Way {
  graph: Graph;
  chunk: ArcChunk;
  /** The arcs that are looked at: in the chunk, from `start` to the end of the head. */
  start = 0;
  readonly head = new RowHead();
  /** Accesses of where they leave. */
  accesses = 0;
  share = 0;
  /** They lead to objects of the page asked about, not to what comes next. */
  isOwn = false;

  constructor(graph: Graph, chunk: ArcChunk) {
    this.graph = graph;
    this.chunk = chunk;
  }
}

/** More than what rounding takes from a sum. */
const slack = 1 + 1e-9;
const leastRoom = 256;
const none = -1;

export class PathUnion {
  readonly #nodes: NodeTable;
  readonly #ways: Way[] = [];
  #length = 0;
  /** Arcs of all ways, and the most that each way gives to anything, added up. */
  #arcs = 0;
  #sum = 0;
  /** How many ids the ways lead to, and which, the most that their arcs give, and where they stand in the list. */
  #found = 0;
  #ids = new Int32Array(leastRoom);
  #bounds = new Float64Array(leastRoom);
  #places = new Int32Array(leastRoom);
  /** By id: its number in these, plus one. */
  #numberOf = new Int32Array(leastRoom);
  /** Of each arc, as it comes: the number of where it leads. */
  #numbers = new Int32Array(leastRoom);
  /** By place in the list: the most that one way alone gives. */
  #most = new Float64Array(leastRoom);
  /** By place in the list, as it was then: the page asked about is the one that gives the most. */
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

  /** Along the first `most` arcs that leave `from`. @param isOwn they lead to objects of the page asked about */
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
    way.isOwn = isOwn;
    this.#arcs += way.head.end - way.start;
    this.#sum += share * Math.min(1, (chunk.counts[way.start] as number) / way.accesses);
  }

  /** Anything may be more probable than `above` by these ways and others that give `more` at most. */
  mayExceed(above: number, more = 0): boolean {
    return (this.#sum + more) * slack > above;
  }

  /** Append what is more probable than `above`, best first, but for one id. */
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

  /** Which page makes an id likeliest that is on the list of the last `unite`. */
  navigationOf(id: number): Navigation {
    const place = this.#places[(this.#numberOf[id] as number) - 1] as number;
    return this.#isOwn[place] === 1 ? 'current' : 'next';
  }

  /** The most that the ways may give, whatever their arcs lead to. */
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
      const { graph, chunk, start, head, accesses, share, isOwn } = this.#ways[i] as Way;
      for (let at = start; at < head.end; at++) {
        const place = this.#places[this.#numbers[arc++] as number] as number;
        if (place === none || !head.isIn(chunk, at) || graph.arcs.leadsNowhere(chunk, at)) continue;
        if (!graph.mayFollow(chunk, at)) continue;
        const probability = Math.min(1, (chunk.counts[at] as number) / accesses) * share;
        const before = list.probabilities[place] as number;
        list.probabilities[place] = before + probability * (1 - before);
        list.lasts[place] = Math.max(list.lasts[place] as number, chunk.lasts[at] as number);
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
