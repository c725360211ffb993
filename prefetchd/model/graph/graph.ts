// The dependency graph (Padmanabhan 1995, 7.2): a node for every URL, and an arc from A to B if the same client
// requested B within a window after A. The weight of an arc is the number of accesses to A that were followed by B,
// divided by the accesses to A: at most 1 (8).
//
// An arc from a page to itself is no transition: it counts the visitors of the page, if `minPageClients` requires that.
// It is apart from the page's other arcs, and never a candidate. A page that needs evidence (model-options.ts) may be
// hinted after five clients visited it.
//
// The graph stores counts, never ratios, so graphs can be added (graph-export.ts). At most `maxArcsPerNode` arcs leave
// a node, and `maxArcs` exist in all; beyond that, a weak one is evicted. An arc to an evicted URL no longer counts;
// each eviction looks for a few of them and removes them.

import { originOf } from '../../normalise-url.ts';
import type { ModelOptions } from '../model-options.ts';
import { addClient, hasAtLeast, mergedSeen, neverNext, nobody } from './client-sets.ts';
import { withLast } from './exact-list.ts';
import {
  type Arc,
  type ArcRow,
  Edges,
  type GraphNumber,
  type Node,
  noEdges,
  removeAt,
} from './node.ts';
import { type NodeListener, NodeTable } from './nodes.ts';
import { SampledEviction } from './sampled-eviction.ts';
import type { WindowEntry } from './windows.ts';

/** Number of distinct clients that must have visited a page with a query or an id before it counts as public. */
export const manyClients = 5;

/** Number of arcs that each eviction of a URL examines, to remove those that lead to evicted URLs. Usually fewer arcs
 *  lead to one URL, so such arcs do not accumulate. */
const sweptPerEviction = 16;

/** A number above all sequence numbers of accesses, added to the rank of arcs that come before those without it. */
const accessNumbers = 2 ** 45;

/** Returns the rank of an arc among those with equal weights, the larger the better: all arcs that ever led to the page
 *  opened next are above those that did not; within each group, the one used last is first. */
export function tieRank({ seen, last }: Arc): number {
  return (seen < neverNext ? accessNumbers : 0) + last;
}

/**
 * The tables of a predictor, whose contents are exported to stores and other processes of a service (graph-export.ts).
 */
export interface Tables {
  readonly nodes: NodeTable;
  /** The dependency-graph has one graph; the double-graph has that of pages, then that of objects. */
  readonly graphs: readonly Graph[];
}

export class Graph implements NodeListener {
  readonly nodes: NodeTable;
  /** Number of this graph among those that share a node table: its index in `Node.edges` and `GraphDelta.graphs`. */
  readonly number: GraphNumber;
  readonly #options: ModelOptions;
  readonly #arcs: Arc[] = [];
  readonly #eviction = new SampledEviction<Arc>(isWeaker);
  /** Number of arcs that lead to evicted URLs. */
  #stale = 0;
  /** Index in `#arcs` at which the next search for arcs to evicted URLs begins. */
  #swept = 0;

  /** @param nodes table shared with another graph; by default a new one */
  constructor(options: ModelOptions, nodes = new NodeTable(options), number: GraphNumber = 0) {
    this.nodes = nodes;
    this.number = number;
    this.#options = options;
    nodes.join(this);
  }

  /** Number of arcs, without those to evicted URLs. */
  get size(): number {
    return this.#arcs.length - this.#stale;
  }

  /** All arcs, in any order, also those to nodes that were evicted. */
  get arcs(): readonly Arc[] {
    return this.#arcs;
  }

  /** Returns the arcs that lead from a node to others, also to nodes that were evicted. */
  row(from: Node): ArcRow {
    return from.edges[this.number].row;
  }

  /** Returns all arcs that leave a node, the one to itself last. */
  allFrom(from: Node): Arc[] {
    const { row, visits } = from.edges[this.number];
    return visits === null ? [...row] : [...row, visits];
  }

  arc(from: Node, to: Node): Arc | undefined {
    const { row, targets, visits } = from.edges[this.number];
    return from === to ? (visits ?? undefined) : row[targets.indexOf(to)];
  }

  /** Records a visitor of a page, in its arc to itself. @param print fingerprint of the client (client-sets.ts) */
  visit(page: Node, gain: number, print: number): void {
    const isCounted = this.#options.minPageClients > 1 && page.kind === 'document';
    if (isCounted && this.nodes.mayHint(page)) this.#learn(page, page, gain, print);
  }

  /** Records that a client requested `to` after the accesses `earlier` in its window (the latest first), in an arc from
   *  each of them. @param print fingerprint of the client (client-sets.ts) */
  follow(earlier: readonly WindowEntry[], to: Node, print: number): void {
    if (earlier.length > 0 && this.nodes.mayHint(to)) this.#follow(earlier, to, print, 1);
  }

  /** Counts a prefetch of `to` as a fraction of an access after `earlier` ones, the latest first: the probability that
   *  the arc from the latest one to `to` had before that access. @returns the fraction, at most `most` */
  anticipate(earlier: readonly WindowEntry[], to: Node, most: number): number {
    const [latest] = earlier;
    if (latest === undefined || !this.nodes.mayHint(to)) return 0;
    const arc = this.arc(latest.node, to);
    const before = latest.node.accesses - latest.gain;
    if (arc === undefined || before <= 0) return 0;
    const part = Math.min(most, arc.count / before);
    this.#follow(earlier, to, 0, part);
    return part;
  }

  /** Records that an access to the page `from`, of weight `gain`, was followed by one to the object `to`. */
  followOne(from: Node, to: Node, gain: number, print: number): void {
    if (this.nodes.mayHint(to)) this.#learn(from, to, gain, print, neverNext);
  }

  /**
   * Adds to the count of an arc, which is created if needed. @param amount number of accesses, weighted by the gain at
   * their time (ageing.ts) @param print fingerprint of the client; 0: there is none, and the arc counts as later than
   * those added before @param seen largest number of clients under one earlier salt, and a flag (client-sets.ts)
   */
  credit(from: Node, to: Node, amount: number, print: number, seen = 0): Arc {
    if (print === 0) this.nodes.sequence++;
    const known = this.arc(from, to);
    const arc = known ?? this.#add(from, to);
    arc.seen = known === undefined ? seen : mergedSeen(arc.seen, seen);
    arc.count += amount;
    arc.last = this.nodes.sequence;
    if (to !== from) rise(from.edges[this.number], arc);
    if (print !== 0) addClient(arc, print);
    return arc;
  }

  /** Returns the probability that an access to the start of an arc is followed by one to its end, 0..1. */
  probability({ from, count }: Arc): number {
    return Math.min(1, count / from.accesses);
  }

  /** Returns whether enough distinct clients followed the arc and visited its target, and the target may be hinted. */
  mayFollow(arc: Arc): boolean {
    const { from, to } = arc;
    const { minClients } = this.#options;
    if (to === from || to.isGone) return false;
    if (minClients > 1 && !hasAtLeast(arc, minClients)) return false;
    return this.nodes.mayHint(to) && this.isVisited(to);
  }

  /** Returns whether enough distinct clients visited the page that it may be hinted; call `mayHint` first. An object
   *  needs no count of its own: that of the page that embeds it suffices. */
  isVisited(page: Node): boolean {
    const { minPageClients } = this.#options;
    if (minPageClients === 1 || page.kind === 'object') return true;
    const needed = page.needsEvidence ? manyClients : minPageClients;
    const { visits } = page.edges[this.number];
    return visits !== null && hasAtLeast(visits, needed);
  }

  /** Returns whether, as far as is known, the page was only opened some pages after `from`, never next. */
  isNeverNext(from: Node, to: Node): boolean {
    const arc = this.arc(from, to);
    return arc !== undefined && arc.seen >= neverNext;
  }

  /** Returns the weight of the arc between two URLs: the share of accesses to `from` that `to` followed; 0: no arc. */
  weight(from: string, to: string): number {
    const [source, target] = [this.nodes.find(from), this.nodes.find(to)];
    const arc = source && target && this.arc(source, target);
    return arc === undefined ? 0 : this.probability(arc);
  }

  forget(node: Node): void {
    this.#stale += node.edges[this.number].into;
    for (const arc of this.allFrom(node)) this.#drop(arc);
    node.edges[this.number] = noEdges; // frees the lists of a node that windows may keep for long
    for (let n = 0; n < sweptPerEviction && this.#stale > 0; n++) {
      if (this.#swept >= this.#arcs.length) this.#swept = 0;
      const arc = this.#arcs[this.#swept] as Arc;
      if (arc.to.isGone) this.#drop(arc);
      else this.#swept++;
    }
  }

  scale(factor: number): void {
    for (const arc of this.#arcs) {
      arc.count *= factor;
      if (arc.news !== null) arc.news.count *= factor;
    }
  }

  #follow(earlier: readonly WindowEntry[], to: Node, print: number, part: number): void {
    let seen = 0;
    for (const { node, gain } of earlier) {
      this.#learn(node, to, part * gain, print, seen);
      if (seen === 0 && isPageOfSiteOf(node, to)) seen = neverNext;
    }
  }

  #learn(from: Node, to: Node, amount: number, print: number, seen = 0): void {
    const arc = this.credit(from, to, amount, print, seen);
    this.nodes.credited(arc, amount, print, seen);
  }

  #add(from: Node, to: Node): Arc {
    const { maxArcs, maxArcsPerNode } = this.#options;
    const edges = this.#edgesOf(from);
    const arcsThere = edges.row.length + (edges.visits === null ? 0 : 1);
    if (arcsThere >= maxArcsPerNode) this.#drop(weakest(this.allFrom(from)));
    if (this.#arcs.length >= maxArcs) this.#drop(this.#eviction.weakest(this.#arcs));
    const arc: Arc = { from, to, count: 0, last: 0, prints: nobody, seen: 0, at: 0, news: null };
    arc.at = this.#arcs.push(arc) - 1;
    if (to === from) edges.visits = arc;
    else {
      edges.row = withLast(edges.row, arc);
      edges.targets = withLast(edges.targets, to);
    }
    this.#edgesOf(to).into++;
    return arc;
  }

  #edgesOf(node: Node): Edges {
    if (node.edges[this.number] === noEdges) node.edges[this.number] = new Edges();
    return node.edges[this.number];
  }

  #drop(arc: Arc): void {
    const { from, to } = arc;
    removeAt(this.#arcs, arc);
    const edges = from.edges[this.number];
    if (to === from) edges.visits = null;
    else {
      const at = edges.targets.indexOf(to);
      edges.row.splice(at, 1);
      edges.targets.splice(at, 1);
    }
    if (to.isGone) this.#stale--;
    else to.edges[this.number].into--;
  }
}

/** Returns whether an arc is the weaker: its target is gone, its count is smaller, or it was used longer ago. */
function isWeaker(one: Arc, than: Arc): boolean {
  if (one.to.isGone || than.to.isGone) return !than.to.isGone;
  return one.count < than.count || (one.count === than.count && one.last < than.last);
}

function weakest(row: ArcRow): Arc {
  return row.reduce((arc, other) => (isWeaker(other, arc) ? other : arc));
}

/** Moves an arc whose count has become larger before those with smaller counts. */
function rise({ row, targets }: Edges, arc: Arc): void {
  let at = targets.indexOf(arc.to);
  for (; at > 0 && (row[at - 1] as Arc).count < arc.count; at--) {
    row[at] = row[at - 1] as Arc;
    targets[at] = targets[at - 1] as Node;
  }
  row[at] = arc;
  targets[at] = arc.to;
}

/** Returns whether a node is a page of the same site as `other`; one of another site is taken to be in another tab. */
function isPageOfSiteOf(node: Node, other: Node): boolean {
  return node.kind === 'document' && originOf(node.url) === originOf(other.url);
}
